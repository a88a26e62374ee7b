// Debug information that LLVM's C interface does not show: the parameters of a
// function as the source declares them, and the types they have.

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm-c/Types.h"

using namespace llvm;

namespace {

const Metadata *node(LLVMMetadataRef ref) { return reinterpret_cast<const Metadata *>(ref); }

LLVMMetadataRef ref(const Metadata *md) {
  return reinterpret_cast<LLVMMetadataRef>(const_cast<Metadata *>(md));
}

const char *text(StringRef string, size_t *length) {
  *length = string.size();
  return string.data();
}

} // namespace

extern "C" {

// A symbol as the source writes it, or null where it is no mangled one. The caller frees it.
char *nanoscope_demangled(const char *symbol) { return itaniumDemangle(symbol); }

// Makes a phi node name `to` where it named `from` as a predecessor.
void nanoscope_phi_rename(LLVMValueRef phi, LLVMBasicBlockRef from, LLVMBasicBlockRef to) {
  reinterpret_cast<PHINode *>(phi)->replaceIncomingBlockWith(
      reinterpret_cast<BasicBlock *>(from), reinterpret_cast<BasicBlock *>(to));
}

// The offset a getelementptr adds, where it is a constant.
int nanoscope_constant_offset(LLVMValueRef value, int64_t *offset) {
  auto *gep = dyn_cast<GEPOperator>(reinterpret_cast<llvm::Value *>(value));
  if (!gep) return 0;
  const llvm::Module *module = nullptr;
  if (auto *instruction = dyn_cast<Instruction>(gep))
    module = instruction->getModule();
  else if (auto *global = dyn_cast<GlobalValue>(gep->stripInBoundsOffsets()))
    module = global->getParent();
  if (!module) return 0;
  const DataLayout &layout = module->getDataLayout();
  APInt sum(layout.getIndexTypeSizeInBits(gep->getType()), 0);
  if (!gep->accumulateConstantOffset(layout, sum)) return 0;
  *offset = sum.getSExtValue();
  return 1;
}

// The bytes a value of a type takes when stored.
uint64_t nanoscope_byte_size(LLVMTypeRef type) {
  return (reinterpret_cast<llvm::Type *>(type)->getPrimitiveSizeInBits().getKnownMinValue() + 7) / 8;
}

// The declared type of a local or global variable, or null.
LLVMMetadataRef nanoscope_object_type(LLVMValueRef object) {
  auto *value = reinterpret_cast<llvm::Value *>(object);
  if (auto *global = dyn_cast<GlobalVariable>(value)) {
    SmallVector<DIGlobalVariableExpression *, 1> known;
    global->getDebugInfo(known);
    return known.empty() ? nullptr : ref(known[0]->getVariable()->getType());
  }
  if (!isa<AllocaInst>(value)) return nullptr;
  DILocalVariable *variable = nullptr;
  for (DbgVariableRecord *record : findDVRDeclares(value)) variable = record->getVariable();
  for (DbgDeclareInst *declare : findDbgDeclares(value)) variable = declare->getVariable();
  return variable ? ref(variable->getType()) : nullptr;
}

// The variable that holds parameter `number` (from 1), or null.
LLVMMetadataRef nanoscope_parameter(LLVMValueRef function, unsigned number) {
  auto *f = reinterpret_cast<Function *>(function);
  auto *subprogram = f->getSubprogram();
  if (!subprogram) return nullptr;
  auto fits = [&](const DILocalVariable *variable) {
    return variable && variable->getArg() == number &&
           variable->getScope()->getSubprogram() == subprogram;
  };
  for (const DINode *retained : subprogram->getRetainedNodes())
    if (auto *variable = dyn_cast<DILocalVariable>(retained))
      if (fits(variable)) return ref(variable);
  for (Instruction &instruction : instructions(*f)) {
    for (DbgVariableRecord &record : filterDbgVars(instruction.getDbgRecordRange()))
      if (fits(record.getVariable())) return ref(record.getVariable());
    if (auto *intrinsic = dyn_cast<DbgVariableIntrinsic>(&instruction))
      if (fits(intrinsic->getVariable())) return ref(intrinsic->getVariable());
  }
  return nullptr;
}

// The name of a subprogram, a namespace or a class.
const char *nanoscope_scope_name(LLVMMetadataRef scope, size_t *length) {
  return text(cast<DIScope>(node(scope))->getName(), length);
}

// The namespace or class that a subprogram, a namespace or a class stands in, or null.
LLVMMetadataRef nanoscope_outer_scope(LLVMMetadataRef scope) {
  auto *inner = cast<DIScope>(node(scope));
  if (auto *subprogram = dyn_cast<DISubprogram>(inner))
    if (subprogram->getDeclaration()) inner = subprogram->getDeclaration();
  auto *outer = inner->getScope();
  return outer && isa<DINamespace, DICompositeType>(outer) ? ref(outer) : nullptr;
}

const char *nanoscope_variable_name(LLVMMetadataRef variable, size_t *length) {
  return text(cast<DILocalVariable>(node(variable))->getName(), length);
}

LLVMMetadataRef nanoscope_variable_type(LLVMMetadataRef variable) {
  return ref(cast<DILocalVariable>(node(variable))->getType());
}

// The type of parameter `number` (from 1; 0 is the result) in the declared signature.
LLVMMetadataRef nanoscope_signature_type(LLVMValueRef function, unsigned number) {
  auto *subprogram = reinterpret_cast<Function *>(function)->getSubprogram();
  if (!subprogram || !subprogram->getType()) return nullptr;
  auto types = subprogram->getType()->getTypeArray();
  return number < types.size() ? ref(types[number]) : nullptr;
}

unsigned nanoscope_signature_length(LLVMValueRef function) {
  auto *subprogram = reinterpret_cast<Function *>(function)->getSubprogram();
  if (!subprogram || !subprogram->getType()) return 0;
  return subprogram->getType()->getTypeArray().size();
}

// The DWARF tag of a type.
unsigned nanoscope_type_tag(LLVMMetadataRef type) { return cast<DINode>(node(type))->getTag(); }

const char *nanoscope_type_name(LLVMMetadataRef type, size_t *length) {
  return text(cast<DIType>(node(type))->getName(), length);
}

uint64_t nanoscope_type_bits(LLVMMetadataRef type) {
  return cast<DIType>(node(type))->getSizeInBits();
}

uint64_t nanoscope_type_offset(LLVMMetadataRef type) {
  return cast<DIType>(node(type))->getOffsetInBits();
}

// DW_ATE_* of a basic type, else 0.
unsigned nanoscope_type_encoding(LLVMMetadataRef type) {
  auto *basic = dyn_cast<DIBasicType>(node(type));
  return basic ? basic->getEncoding() : 0;
}

// What a derived or array type is made from, or null.
LLVMMetadataRef nanoscope_type_base(LLVMMetadataRef type) {
  if (auto *derived = dyn_cast<DIDerivedType>(node(type))) return ref(derived->getBaseType());
  if (auto *composite = dyn_cast<DICompositeType>(node(type))) return ref(composite->getBaseType());
  return nullptr;
}

unsigned nanoscope_type_elements(LLVMMetadataRef type) {
  auto *composite = dyn_cast<DICompositeType>(node(type));
  return composite && composite->getRawElements() ? composite->getElements().size() : 0;
}

LLVMMetadataRef nanoscope_type_element(LLVMMetadataRef type, unsigned index) {
  return ref(cast<DICompositeType>(node(type))->getElements()[index]);
}

// The mangled name of a class, empty where it has none.
const char *nanoscope_type_identifier(LLVMMetadataRef type, size_t *length) {
  auto *composite = dyn_cast<DICompositeType>(node(type));
  return text(composite ? composite->getIdentifier() : StringRef(), length);
}

// How a Fortran array lies behind a descriptor: 0 it does not, 1 assumed shape, 2 allocatable,
// 3 pointer.
unsigned nanoscope_type_descriptor(LLVMMetadataRef type) {
  auto *composite = dyn_cast<DICompositeType>(node(type));
  if (!composite || !composite->getRawDataLocation()) return 0;
  if (composite->getRawAllocated()) return 2;
  return composite->getRawAssociated() ? 3 : 1;
}

// The result and the parameters of the type of a function.
unsigned nanoscope_subroutine_length(LLVMMetadataRef type) {
  auto *subroutine = dyn_cast<DISubroutineType>(node(type));
  return subroutine ? subroutine->getTypeArray().size() : 0;
}

LLVMMetadataRef nanoscope_subroutine_type(LLVMMetadataRef type, unsigned index) {
  return ref(cast<DISubroutineType>(node(type))->getTypeArray()[index]);
}

// Whether a member is static: it has no place in the object.
int nanoscope_member_is_static(LLVMMetadataRef member) {
  auto *derived = dyn_cast<DIDerivedType>(node(member));
  return derived && derived->isStaticMember();
}

int nanoscope_member_is_bit_field(LLVMMetadataRef member) {
  auto *derived = dyn_cast<DIDerivedType>(node(member));
  return derived && derived->isBitField();
}

// The name of a global variable in the source; empty where debug information has none.
const char *nanoscope_global_name(LLVMValueRef global, size_t *length) {
  SmallVector<DIGlobalVariableExpression *, 1> known;
  cast<GlobalVariable>(reinterpret_cast<llvm::Value *>(global))->getDebugInfo(known);
  return text(known.empty() ? StringRef() : known[0]->getVariable()->getName(), length);
}

// Calls back with every variable that a function declares to lie in a global: flang's members
// of COMMON blocks.
void nanoscope_common_members(LLVMValueRef function, void *data,
                              void (*found)(void *, LLVMValueRef, int64_t, LLVMMetadataRef)) {
  auto *f = reinterpret_cast<Function *>(function);
  const DataLayout &layout = f->getParent()->getDataLayout();
  auto look = [&](llvm::Value *address, DILocalVariable *variable) {
    if (!address || !variable || !address->getType()->isPointerTy()) return;
    APInt offset(layout.getIndexTypeSizeInBits(address->getType()), 0);
    auto *base = address->stripAndAccumulateConstantOffsets(layout, offset, true);
    if (auto *global = dyn_cast<GlobalVariable>(base))
      found(data, reinterpret_cast<LLVMValueRef>(global), offset.getSExtValue(), ref(variable));
  };
  for (Instruction &instruction : instructions(*f)) {
    for (DbgVariableRecord &record : filterDbgVars(instruction.getDbgRecordRange()))
      if (record.isDbgDeclare()) look(record.getAddress(), record.getVariable());
    if (auto *declare = dyn_cast<DbgDeclareInst>(&instruction))
      look(declare->getAddress(), declare->getVariable());
  }
}

// The extent of a DISubrange, or -1 where it is not a constant.
int64_t nanoscope_subrange_count(LLVMMetadataRef range) {
  auto *subrange = dyn_cast<DISubrange>(node(range));
  if (!subrange) return -1;
  if (auto *count = dyn_cast_if_present<ConstantInt *>(subrange->getCount()))
    return count->getSExtValue();
  auto *upper = dyn_cast_if_present<ConstantInt *>(subrange->getUpperBound());
  auto *lower = dyn_cast_if_present<ConstantInt *>(subrange->getLowerBound());
  if (!upper) return -1;
  return upper->getSExtValue() - (lower ? lower->getSExtValue() : 1) + 1;
}

} // extern "C"
