//! External functions, called natively: a small program that finds them by name, in the sandbox
//! that all subject code runs in. It is built when the first call is made.

use crate::subject::{Scratch, Source};
use nanoscope_explore::{Caller, NativeAnswer, NativeCall, library};
use nanoscope_ieee::{Flags, Format, Rounding};
use nanoscope_native::Limits;
use nanoscope_native::whole::{Inputs, Invocation, Whole};
use nanoscope_program::compile::{Build, Compiler, ExecutableRequest, Flags as CompilerFlags};
use nanoscope_program::ir::{Act, Callee, Code, FunctionId, Type};
use nanoscope_program::{Fault, Program, Target, Wish, Wishes};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How long one call may take.
const CALL: Duration = Duration::from_millis(500);
/// Most arguments of a function that is called.
const ARGUMENTS: usize = 8;
/// Words of an answer: two of the result, `errno`, flags, and whether there is one.
const ANSWER: u64 = 5;
/// The function that makes the calls.
const ENTRY: &str = "nanoscope_call_natively";

/// Whoever calls the external functions of a program that have no effects: those that the
/// library's table names, and those that the user does.
pub(crate) fn caller(
    code: &Code,
    source: &Source,
    pure: &BTreeSet<String>,
    deadline: Instant,
) -> Option<Caller> {
    let mut text = String::from(HEAD);
    let mut numbers = BTreeMap::new();
    for (id, types, result) in calls(code) {
        let function = code.function(id);
        let name = function.name.strip_prefix("nanoscope_").unwrap_or(&function.name);
        if function.is_defined()
            || function.variadic
            || numbers.contains_key(&id)
            || !(library::is_pure(name) || pure.contains(name))
        {
            continue;
        }
        let number = numbers.len();
        if write_case(&mut text, number, name, types, result).is_some() {
            numbers.insert(id, number as u32);
        }
    }
    if numbers.is_empty() {
        return None;
    }
    text.push_str("    }\n}\n");
    let linked = |flag: &&String| ["-l", "-L", "-Wl,"].iter().any(|start| flag.starts_with(start));
    let mut flags: Vec<String> = ["-O1", "-fno-builtin", "-frounding-math", "-Wl,--no-as-needed"]
        .map(str::to_owned)
        .to_vec();
    flags.extend(source.flags.iter().filter(linked).cloned());
    flags.push("-lm".to_owned());
    let calls = Mutex::new(Calls { text, flags, numbers, deadline, process: Process::NotYet });
    Some(Caller::new(move |call| calls.lock().ok()?.call(call)))
}

/// The calls of functions by name: what they are given and give.
fn calls(code: &Code) -> impl Iterator<Item = (FunctionId, &[Type], &Type)> {
    code.functions.iter().flat_map(|function| {
        let instructions = function.blocks.iter().flat_map(|block| &block.instructions);
        instructions.filter_map(|instruction| match &instruction.act {
            Act::Call { callee: Callee::Function(id), types, .. } => {
                let result = &function.registers[instruction.result?.0 as usize];
                Some((*id, &types[..], result))
            }
            _ => None,
        })
    })
}

struct Calls {
    text: String,
    flags: Vec<String>,
    /// The functions' numbers in the text.
    numbers: BTreeMap<FunctionId, u32>,
    deadline: Instant,
    process: Process,
}

enum Process {
    NotYet,
    Started(Box<(Whole, Target)>),
    /// It cannot be built; whoever asks gets no answers.
    None,
}

impl Calls {
    fn call(&mut self, call: &NativeCall) -> Option<NativeAnswer> {
        let number = *self.numbers.get(&call.function)?;
        if matches!(self.process, Process::NotYet) {
            self.process = match self.start() {
                Ok(started) => Process::Started(Box::new(started)),
                Err(_) => Process::None,
            };
        }
        let Process::Started(started) = &mut self.process else { return None };
        let (whole, target) = &mut **started;
        let mut words = vec![0; target.input_words];
        let mut give = |name: &str, value: u64| {
            let input = target.inputs.iter().find(|input| input.name == name)?;
            words[input.word] = value;
            Some(())
        };
        give("which", number.into())?;
        give("mode", mode(call.rounding)?)?;
        give("error", u64::from(call.errno as u32))?;
        for (at, argument) in call.arguments.iter().enumerate() {
            let bits = argument.to_u128()?;
            give(&format!("d{}", 2 * at), bits as u64)?;
            give(&format!("d{}", 2 * at + 1), (bits >> 64) as u64)?;
        }
        let run = whole.run(&Inputs { words, ..Inputs::default() }, CALL).ok()?;
        let got = |at: usize| {
            let name = format!("data[{at}]");
            let output = target.outputs.iter().find(|output| output.name == name)?;
            run.outputs.get(output.word).copied()
        };
        if got(4)? != 1 {
            return None;
        }
        let raised = got(3)?;
        Some(NativeAnswer {
            result: u128::from(got(1)?) << 64 | u128::from(got(0)?),
            errno: got(2)? as u32 as i32,
            // The bits of x86-64's <fenv.h>.
            raised: Flags {
                invalid: raised & 1 != 0,
                divide_by_zero: raised & 4 != 0,
                overflow: raised & 8 != 0,
                underflow: raised & 16 != 0,
                inexact: raised & 32 != 0,
                tiny: false,
            },
        })
    }

    fn start(&self) -> Result<(Whole, Target), Fault> {
        let compiler = Compiler::new(CompilerFlags::parse(&self.flags))?;
        let folder = compiler.folder(&[("calls.c", &self.text)])?;
        let limit = Some(self.deadline);
        let program = Program::load(compiler.bitcode(&[folder.join("calls.c")], limit)?)?;
        let data = Wish { function: None, name: "data".to_owned(), value: ANSWER.into() };
        let wishes = Wishes { arrays: vec![data], ..Wishes::default() };
        let untestable = |why: String| Fault::Internal(format!("{ENTRY} {why}"));
        let mut targets = program.targets(&[ENTRY.to_owned()], &wishes)?;
        let target = targets.remove(0).map_err(|fault| untestable(fault.why))?;
        let scratch = Scratch::new()?;
        let bitcode = scratch.path().join("whole.bc");
        program.whole(Some((target.symbol.as_str(), &wishes)), &bitcode)?;
        let request = ExecutableRequest::new(program.bitcode(), Build::Plain, true).of(&bitcode);
        let executable = compiler.executable(&request, limit)?;
        let whole =
            Whole::start(&executable, Build::Plain, &Invocation::default(), &Limits::default())?
                .with_outputs(target.output_words);
        Ok((whole, target))
    }
}

/// C's number of a rounding mode.
fn mode(rounding: Rounding) -> Option<u64> {
    match rounding {
        Rounding::NearestEven => Some(0),
        Rounding::Downward => Some(0x400),
        Rounding::Upward => Some(0x800),
        Rounding::TowardZero => Some(0xc00),
        Rounding::NearestAway => None,
    }
}

const HEAD: &str = "\
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fenv.h>
#include <string.h>

typedef unsigned long word;

void nanoscope_call_natively(unsigned which, int mode, int error,
                             word d0, word d1, word d2, word d3, word d4, word d5, word d6, word d7,
                             word d8, word d9, word d10, word d11, word d12, word d13, word d14,
                             word d15, word *data)
{
    word given[] = {d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, d11, d12, d13, d14, d15};
    data[4] = 0;
    switch (which) {
";

/// The call of one function; `None` where C cannot write its type.
fn write_case(
    text: &mut String,
    number: usize,
    name: &str,
    types: &[Type],
    result: &Type,
) -> Option<()> {
    let parameters: Vec<&str> = types.iter().map(c_type).collect::<Option<_>>()?;
    let result = c_type(result)?;
    if types.is_empty() || types.len() > ARGUMENTS {
        return None;
    }
    let mut case = format!("    case {number}: {{\n");
    for (at, ty) in parameters.iter().enumerate() {
        let _ = writeln!(case, "        {ty} a{at};");
        let _ = writeln!(case, "        memcpy(&a{at}, &given[{}], sizeof a{at});", 2 * at);
    }
    let arguments: Vec<String> = (0..types.len()).map(|at| format!("a{at}")).collect();
    let _ = write!(
        case,
        "        {result} (*f)({}) = dlsym(RTLD_DEFAULT, \"{name}\");
        if (!f) return;
        fesetround(mode);
        feclearexcept(FE_ALL_EXCEPT);
        errno = error;
        {result} r = f({});
        int after = errno, raised = fetestexcept(FE_ALL_EXCEPT);
        fesetround(FE_TONEAREST);
        data[0] = data[1] = 0;
        memcpy(&data[0], &r, sizeof r);
        data[2] = (unsigned)after;
        data[3] = (unsigned)raised;
        data[4] = 1;
        return;
    }}
",
        parameters.join(", "),
        arguments.join(", ")
    );
    text.push_str(&case);
    Some(())
}

/// A type of C that is passed as this one is.
fn c_type(ty: &Type) -> Option<&'static str> {
    Some(match ty {
        Type::Integer(1) => "_Bool",
        Type::Integer(8) => "signed char",
        Type::Integer(16) => "short",
        Type::Integer(32) => "int",
        Type::Integer(64) => "long",
        Type::Float(Format::BINARY16) => "_Float16",
        Type::Float(Format::BINARY32) => "float",
        Type::Float(Format::BINARY64) => "double",
        Type::Float(Format::X87) => "long double",
        Type::Float(Format::BINARY128) => "__float128",
        Type::Void
        | Type::Integer(_)
        | Type::Float(_)
        | Type::Pointer
        | Type::Vector(..)
        | Type::Aggregate(_) => return None,
    })
}
