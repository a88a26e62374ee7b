// What lowering asks of LLVM that its C interface does not show: constants bit for bit,
// the names of local variables, and linking of what is needed only.

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm-c/Types.h"

using namespace llvm;

namespace {

llvm::Value *value(LLVMValueRef ref) { return reinterpret_cast<llvm::Value *>(ref); }
Module *module(LLVMModuleRef ref) { return reinterpret_cast<Module *>(ref); }

size_t copy(const APInt &bits, uint64_t *words, size_t room) {
  size_t count = bits.getNumWords();
  for (size_t i = 0; i < count && i < room; ++i) words[i] = bits.getRawData()[i];
  return count;
}

} // namespace

extern "C" {

// The words of an integer or floating-point constant, least significant first: how many
// there are, or 0 for any other constant.
size_t nanoscope_constant_words(LLVMValueRef constant, uint64_t *words, size_t room) {
  if (auto *integer = dyn_cast<ConstantInt>(value(constant)))
    return copy(integer->getValue(), words, room);
  if (auto *real = dyn_cast<ConstantFP>(value(constant)))
    return copy(real->getValueAPF().bitcastToAPInt(), words, room);
  return 0;
}

// The bytes of a constant array or vector of plain numbers, as memory holds them, or null.
const char *nanoscope_constant_data(LLVMValueRef constant, size_t *length) {
  auto *data = dyn_cast<ConstantDataSequential>(value(constant));
  if (!data) return nullptr;
  StringRef bytes = data->getRawDataValues();
  *length = bytes.size();
  return bytes.data();
}

// Gives an instruction these fast-math flags (bits as in LLVM's C interface) and no others:
// LLVMSetFastMathFlags only adds to what is there.
// Takes back what `-ffinite-math-only` promises of parameters and results, here and at calls.
void nanoscope_forget_classes(LLVMValueRef function) {
  auto *f = reinterpret_cast<Function *>(function);
  f->removeRetAttr(Attribute::NoFPClass);
  for (unsigned i = 0; i < f->arg_size(); i++) f->removeParamAttr(i, Attribute::NoFPClass);
  for (Instruction &instruction : instructions(*f))
    if (auto *call = dyn_cast<CallBase>(&instruction)) {
      call->removeRetAttr(Attribute::NoFPClass);
      for (unsigned i = 0; i < call->arg_size(); i++)
        call->removeParamAttr(i, Attribute::NoFPClass);
    }
}

void nanoscope_set_fast_math(LLVMValueRef instruction, unsigned bits) {
  FastMathFlags flags;
  flags.setAllowReassoc(bits & 1);
  flags.setNoNaNs(bits & 2);
  flags.setNoInfs(bits & 4);
  flags.setNoSignedZeros(bits & 8);
  flags.setAllowReciprocal(bits & 16);
  flags.setAllowContract(bits & 32);
  flags.setApproxFunc(bits & 64);
  cast<Instruction>(value(instruction))->copyFastMathFlags(flags);
}

// Has the phi nodes of a block forget a predecessor.
void nanoscope_forget_predecessor(LLVMBasicBlockRef block, LLVMBasicBlockRef gone) {
  reinterpret_cast<BasicBlock *>(block)->removePredecessor(
      reinterpret_cast<BasicBlock *>(gone), /*KeepOneInputPHIs=*/true);
}

// Whether the address of a block is taken anywhere.
int nanoscope_takes_block_addresses(LLVMModuleRef ref) {
  for (Function &function : *module(ref))
    for (BasicBlock &block : function)
      if (block.hasAddressTaken()) return 1;
  return 0;
}

// The source's name of the variable that an alloca holds, or null.
const char *nanoscope_stack_name(LLVMValueRef alloca, size_t *length) {
  DILocalVariable *variable = nullptr;
  for (DbgVariableRecord *record : findDVRDeclares(value(alloca)))
    variable = record->getVariable();
  for (DbgDeclareInst *declare : findDbgDeclares(value(alloca))) variable = declare->getVariable();
  if (!variable) return nullptr;
  *length = variable->getName().size();
  return variable->getName().data();
}

// Adds those definitions of `from` that `into` declares and does not define, and what they
// need in turn. `from` is used up. 0 when all went well; messages go to the context's handler.
int nanoscope_link_needed(LLVMModuleRef into, LLVMModuleRef from) {
  std::unique_ptr<Module> source(module(from));
  Module &destination = *module(into);
  // Flags of the two may differ where it does not matter here (position independence,
  // unwind tables); layouts and triples differ in spelling only.
  if (NamedMDNode *flags = source->getModuleFlagsMetadata()) source->eraseNamedMetadata(flags);
  source->setDataLayout(destination.getDataLayout());
  source->setTargetTriple(destination.getTargetTriple());
  source->setIsNewDbgInfoFormat(destination.IsNewDbgInfoFormat);
  return Linker::linkModules(destination, std::move(source), Linker::Flags::LinkOnlyNeeded);
}

// Moves functions to a module of their own. What the two need of each other is hidden, under
// names that no other object has.
LLVMModuleRef nanoscope_split(LLVMModuleRef from, LLVMValueRef *functions, size_t count) {
  Module &whole = *module(from);
  SmallPtrSet<const GlobalValue *, 16> moved;
  SmallSetVector<GlobalValue *, 32> shared;
  SmallVector<const Constant *, 64> queue;
  SmallPtrSet<const Constant *, 32> seen;
  for (size_t i = 0; i < count; ++i) {
    auto *function = cast<Function>(value(functions[i]));
    moved.insert(function);
    shared.insert(function);
    for (auto &block : *function)
      for (auto &instruction : block)
        for (auto &operand : instruction.operands())
          if (auto *constant = dyn_cast<Constant>(operand)) queue.push_back(constant);
  }
  while (!queue.empty()) {
    const Constant *constant = queue.pop_back_val();
    if (!seen.insert(constant).second) continue;
    if (auto *global = dyn_cast<GlobalValue>(constant)) {
      shared.insert(const_cast<GlobalValue *>(global));
      continue;
    }
    for (auto &operand : constant->operands())
      if (auto *inner = dyn_cast<Constant>(operand)) queue.push_back(inner);
  }
  size_t number = 0;
  for (GlobalValue *global : shared) {
    if (global->isDeclaration() || global->hasExternalLinkage()) continue;
    global->setName("nanoscope_shared_" + std::to_string(number++));
    global->setLinkage(GlobalValue::ExternalLinkage);
    global->setVisibility(GlobalValue::HiddenVisibility);
    global->setDSOLocal(true);
    if (auto *object = dyn_cast<GlobalObject>(global)) object->setComdat(nullptr);
  }
  ValueToValueMapTy map;
  auto part = CloneModule(whole, map, [&](const GlobalValue *global) { return moved.contains(global); });
  part->setModuleInlineAsm("");
  for (auto &global : make_early_inc_range(part->globals()))
    if (global.isDeclaration() && global.use_empty()) global.eraseFromParent();
  for (size_t i = 0; i < count; ++i) {
    auto *function = cast<Function>(value(functions[i]));
    function->deleteBody();
    function->setComdat(nullptr);
  }
  return reinterpret_cast<LLVMModuleRef>(part.release());
}

} // extern "C"
