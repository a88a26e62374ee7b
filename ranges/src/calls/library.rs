//! Models of the C library, and intrinsics that are written as calls.

use crate::calls::complex;
use crate::domain::state::State;
use crate::exceptions::{Exceptions, FloatTransfer};
use crate::fixpoint::interpreter::{Flow, Frame, Interpreter};
use crate::integers::Integers;
use crate::libm;
use crate::memory::Contents;
use crate::memory::address::{ObjectId, Pointers};
use crate::value::AbstractValue;
use nanoscope_ieee::{Format, OutOfRange, Rounding};
use nanoscope_program::ir::{FunctionId, Instruction, Operand, Special, Type};
use nanoscope_program::{Exception, FailureFunction, cxx, specials};
use nanoscope_sets::operation::extremum::{Extremum, NanChoice};
use nanoscope_sets::operation::{round_to_integral, sign, to_integer};
use nanoscope_sets::{Classes, Floats, Grid, Modes, Ordinal, Span};

/// Functions that end the program.
pub const ENDS: &[&str] = &[
    "abort",
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
    "__assert_fail",
    "__assert",
    "reach_error",
    "__VERIFIER_error",
    "klee_silent_exit",
    "klee_report_error",
    "__cxa_throw",
    "_Unwind_Resume",
    "__cxa_rethrow",
    "_ZSt9terminatev",
    "__stack_chk_fail",
    "__cxa_pure_virtual",
    "_FortranAStopStatement",
    "_FortranAStopStatementText",
    "_FortranAReportFatalUserError",
    "_FortranAAbort",
    "_FortranAExit",
    "_FortranAProgramEndStatement",
];

/// Functions that only read what they are given.
const READS: &[&str] = &[
    "printf",
    "fprintf",
    "puts",
    "putchar",
    "fputs",
    "fputc",
    "putc",
    "perror",
    "fflush",
    "strlen",
    "strcmp",
    "strncmp",
    "memcmp",
    "strchr",
    "strrchr",
    "atoi",
    "atof",
    "abs",
    "labs",
    "llabs",
    "isalpha",
    "isdigit",
    "isspace",
    "toupper",
    "tolower",
    "time",
    "clock",
    "rand",
    "getpid",
    "fwrite",
    "feclearexcept",
    "feraiseexcept",
    "fetestexcept",
    "fegetround",
    "srand",
    "getenv",
    "klee_warning",
    "klee_print_expr",
    "nanoscope_overshift_where",
    "vprintf",
    "vfprintf",
    "__printf_chk",
    "__fprintf_chk",
    "free",
    "__cxa_guard_acquire",
    "__cxa_atexit",
    "_ZNSt8ios_base4InitC1Ev",
    "_ZNSt8ios_base4InitD1Ev",
    "_ZdlPv",
    "_ZdaPv",
    "_ZdlPvm",
    "_ZdaPvm",
];

/// Whether a call of this function is a failure that a test looks for.
pub fn is_failure(name: &str) -> bool {
    FailureFunction::named(name).is_some_and(|function| function.always)
}

/// Whether a function of a language's run-time only prints.
fn is_output(name: &str) -> bool {
    name.strip_prefix("_FortranAio").is_some_and(|rest| {
        ["Output", "End", "BeginExternal", "EnableHandlers"].iter().any(|s| rest.starts_with(s))
            && !rest.contains("Input")
    })
}

/// Whether a call of this function leaves memory as it is.
pub fn leaves_memory(name: &str) -> bool {
    is_assumption(name)
        || is_failure(name)
        || is_unknown_number(name)
        || complex::is_function(name)
        || READS.contains(&name)
}

/// Whether a call of this function gives any number.
fn is_unknown_number(name: &str) -> bool {
    name.starts_with("__VERIFIER_nondet_") || name.starts_with("klee_range")
}

/// Whether a call of this function takes a condition for granted.
pub fn is_assumption(name: &str) -> bool {
    matches!(name, "__VERIFIER_assume" | "klee_assume")
}

impl<'c> Interpreter<'c> {
    /// A function of the library; `None` if its effect is not known.
    #[allow(clippy::too_many_arguments, reason = "a call is all of these")]
    pub fn library(
        &mut self,
        frame: &mut Frame<'c>,
        state: &mut State,
        instruction: &'c Instruction,
        id: FunctionId,
        arguments: &[Operand],
        values: &[AbstractValue],
        types: &[Type],
        result: &'c Type,
    ) -> Option<Flow> {
        let name = self.code.function(id).name.as_str();
        if ENDS.contains(&name) {
            return Some(Flow::Ends);
        }
        if is_assumption(name) {
            return Some(self.assume(frame, state, arguments, values));
        }
        if is_unknown_number(name) {
            self.assign(state, instruction, AbstractValue::top(result));
            return Some(Flow::On);
        }
        if let Some(flow) = self.complex(state, instruction, name, values, types, result) {
            return Some(flow);
        }
        if let Some(flow) = self.mathematics(frame, state, instruction, name, values, types, result)
        {
            return Some(flow);
        }
        let bytes = |i: usize| values.get(i).and_then(AbstractValue::count);
        let address = |i: usize| values.get(i).map(AbstractValue::pointers);
        let object = ObjectId::Allocated {
            function: frame.id,
            register: instruction.result.map_or(u32::MAX, |r| r.0),
            heap: true,
        };
        match name {
            "malloc" | "_Znwm" | "_Znam" | "aligned_alloc" => {
                let size = bytes(usize::from(name == "aligned_alloc"));
                state.memory.allocate(object, Contents::unknown(size));
                let null = name == "malloc" || name == "aligned_alloc";
                let pointers = Pointers { null, ..Pointers::to(object) };
                self.assign(state, instruction, AbstractValue::pointer(pointers));
            }
            "calloc" => {
                let size = bytes(0).zip(bytes(1)).and_then(|(a, b)| a.checked_mul(b));
                let contents = size.map_or(Contents::unknown(None), Contents::zeros);
                state.memory.allocate(object, contents);
                let pointers = Pointers { null: true, ..Pointers::to(object) };
                self.assign(state, instruction, AbstractValue::pointer(pointers));
            }
            "memcpy" | "memmove" => {
                let (to, from) = (address(0)?, address(1)?);
                state.memory.copy(&to, &from, bytes(2), &self.globals);
                self.assign(state, instruction, values[0].clone());
            }
            "memset" => {
                self.fill(state, values);
                self.assign(state, instruction, values[0].clone());
            }
            "klee_make_symbolic" => {
                state.memory.forget(&*address(0)?, bytes(1), &self.globals);
            }
            "__errno_location" => {
                state.memory.allocate(object, Contents::unknown(Some(4)));
                self.assign(state, instruction, AbstractValue::pointer(Pointers::to(object)));
            }
            "__cxa_guard_release" => {
                state.memory.forget(&*address(0)?, Some(1), &self.globals);
            }
            _ if cxx::is_of_exception(name) => {
                state.memory.forget(&*address(0)?, None, &self.globals);
                self.assign(state, instruction, AbstractValue::top(result));
            }
            _ if cxx::is_empty(name) => self.assign(state, instruction, AbstractValue::top(result)),
            _ if cxx::is_self_contained(name) => {
                self.record.foreign.insert(name.to_owned());
                state.memory.hand_over(values, &self.globals);
                let first = values.first().filter(|_| cxx::gives_back_first(name)).cloned();
                self.assign(
                    state,
                    instruction,
                    first.unwrap_or_else(|| AbstractValue::top(result)),
                );
            }
            _ if READS.contains(&name) || is_output(name) => {
                // What they give back may be an address within what they were given.
                self.assign(state, instruction, AbstractValue::top(result));
            }
            _ => return None,
        }
        Some(Flow::On)
    }

    fn fill(&mut self, state: &mut State, values: &[AbstractValue]) {
        let to = values[0].pointers();
        let zero = matches!(&values[1], AbstractValue::Zeros)
            || matches!(&values[1], AbstractValue::Integer(byte) if byte.single() == Some(0));
        match values[2].count() {
            Some(0) => {}
            Some(count) if zero => state.memory.fill_with_zeros(&to, count, &self.globals),
            Some(_) | None => state.memory.forget(&to, None, &self.globals),
        }
    }

    /// A function of the mathematical library.
    #[allow(clippy::too_many_arguments, reason = "a call is all of these")]
    fn mathematics(
        &mut self,
        frame: &Frame<'c>,
        state: &mut State,
        instruction: &'c Instruction,
        name: &str,
        values: &[AbstractValue],
        types: &[Type],
        result: &'c Type,
    ) -> Option<Flow> {
        let format = match types.first() {
            Some(Type::Float(format)) => *format,
            Some(_) | None => return None,
        };
        let base = match format {
            Format::BINARY64 => name,
            Format::BINARY32 => name.strip_suffix('f')?,
            Format::X87 => name.strip_suffix('l')?,
            Format { .. } => return None,
        };
        let floats: Vec<Floats> = values
            .iter()
            .zip(types)
            .filter(|(_, ty)| **ty == Type::Float(format))
            .map(|(value, _)| value.floats(format))
            .collect();
        let x = *floats.first()?;
        let extremum = |greater| {
            Some(Extremum { greater, choice: NanChoice::Other }.direct(&x, floats.get(1)?))
        };
        let plain = match base {
            "floor" => Some(round_to_integral::direct(Modes::only(Rounding::Downward), &x)),
            "ceil" => Some(round_to_integral::direct(Modes::only(Rounding::Upward), &x)),
            "trunc" => Some(round_to_integral::direct(Modes::only(Rounding::TowardZero), &x)),
            "round" => Some(round_to_integral::direct(Modes::only(Rounding::NearestAway), &x)),
            "roundeven" => Some(round_to_integral::direct(Modes::only(Rounding::NearestEven), &x)),
            "rint" | "nearbyint" => Some(round_to_integral::direct(self.modes, &x)),
            "fmin" => extremum(false),
            "fmax" => extremum(true),
            _ => None,
        };
        if let Some(floats) = plain {
            self.site(instruction, values, Some(&AbstractValue::float(floats)), Exceptions::NONE);
            self.assign(state, instruction, AbstractValue::float(floats));
            return Some(Flow::On);
        }
        let class = match base {
            "isnan" | "__isnan" => Some(0x003),
            "isinf" | "__isinf" => Some(0x204),
            "finite" | "__finite" => Some(0x1f8),
            _ => None,
        };
        if let (Some(mask), Some(bits)) = (class, result.bits().filter(|bits| *bits <= 64)) {
            let truth = Integers::from(Classes(mask).truth(&x));
            // `isinf` tells the sign; any true value is some number that is not zero.
            let mut value = Integers::everything(bits);
            if truth.single() == Some(0) {
                value = Integers::of_bits(bits, 0);
            }
            self.assign(state, instruction, AbstractValue::Integer(value));
            return Some(Flow::On);
        }
        match base {
            "frexp" | "modf" | "lgamma_r" | "remquo" | "sincos" => {
                return self.two_results(state, instruction, base, values, &floats);
            }
            "ldexp" | "scalbn" | "scalbln" => {
                let by = match values.get(1)? {
                    AbstractValue::Integer(by) => *by,
                    _ => Integers::everything(64),
                };
                self.scale(state, instruction, &x, &by);
                return Some(Flow::On);
            }
            "lrint" | "llrint" | "lround" | "llround" => {
                let modes = match base.ends_with("rint") {
                    true => self.modes,
                    false => Modes::only(Rounding::NearestAway),
                };
                let (value, beyond) =
                    to_integer::direct(modes, &x, 64, true, OutOfRange::Indefinite);
                let mut raised = Exceptions::NONE;
                raised.add_if(beyond, Exception::ConversionOutOfRange);
                let value = match (value, result) {
                    (Some(integers), Type::Integer(64)) => AbstractValue::Integer(integers),
                    (_, _) => AbstractValue::top(result),
                };
                self.site(instruction, values, None, raised);
                self.assign(state, instruction, value);
                return Some(Flow::On);
            }
            "__fpclassify" | "__signbit" | "signbit" | "ilogb" => {
                self.assign(state, instruction, AbstractValue::top(result));
                return Some(Flow::On);
            }
            _ => {}
        }
        if *result != Type::Float(format) {
            return None;
        }
        self.record.libm = true;
        let outcome = match libm::apply(self.modes, base, format, &floats) {
            Some(outcome) => outcome,
            // Nothing is known but that it computes.
            None if matches!(base, "jn" | "yn" | "tgamma" | "y0" | "y1" | "lgamma") => {
                FloatTransfer { result: Floats::everything(format), raised: Exceptions::ALL }
            }
            None => return None,
        };
        self.site(instruction, values, Some(&AbstractValue::float(outcome.result)), outcome.raised);
        self.assign(state, instruction, AbstractValue::float(outcome.result));
        if let (Some(result), true) = (instruction.result, self.domains.order) {
            // No leg is longer than the hypotenuse.
            let list = instruction.act.operands();
            let State { environment, domains, .. } = state;
            match base {
                "hypot" => {
                    list.registers().for_each(|leg| domains.order.bound_magnitude(leg, result))
                }
                "sqrt" if self.modes == Modes::NEAREST && self.effort.order_depth > 0 => {
                    domains.order.bound_legs(&self.text(frame), environment, list[0], result);
                }
                _ => {}
            }
        }
        Some(Flow::On)
    }

    /// Functions that also write through an address.
    fn two_results(
        &mut self,
        state: &mut State,
        instruction: &'c Instruction,
        name: &str,
        values: &[AbstractValue],
        floats: &[Floats],
    ) -> Option<Flow> {
        let x = floats[0];
        let format = x.format;
        let unit = Floats::between(format, !Grid::of(format).one(), Grid::of(format).one());
        let address = values.get(floats.len())?.pointers();
        let (value, written, raised) = match name {
            "frexp" => (fraction(&x), None, Exceptions::NONE),
            "modf" => {
                let whole = round_to_integral::direct(Modes::only(Rounding::TowardZero), &x);
                let part = sign::copy_sign(&unit.magnitudes(), &x);
                let value = Floats { nan: x.nan, ..part };
                (value, Some(AbstractValue::float(whole)), Exceptions::NONE)
            }
            "lgamma_r" => {
                let outcome = libm::apply(self.modes, "lgamma", format, &floats[..1])?;
                (outcome.result, None, outcome.raised)
            }
            "remquo" => {
                let outcome = libm::apply(self.modes, "remquo", format, floats)?;
                (outcome.result, None, outcome.raised)
            }
            _ => {
                let result = Floats { nan: x.nan || x.has_infinity(), ..unit };
                let second = values.get(2)?.pointers();
                let ty = Type::Float(format);
                for place in [&address, &second] {
                    state.memory.store(place, &ty, &AbstractValue::float(result), &self.globals);
                }
                self.site(instruction, values, None, Exceptions::ALL);
                return Some(Flow::On);
            }
        };
        match written {
            Some(written) => {
                state.memory.store(&address, &Type::Float(format), &written, &self.globals);
            }
            None => {
                let ty = Type::Integer(32);
                state.memory.store(&address, &ty, &AbstractValue::top(&ty), &self.globals);
            }
        }
        self.site(instruction, &[], Some(&AbstractValue::float(value)), raised);
        self.assign(state, instruction, AbstractValue::float(value));
        Some(Flow::On)
    }

    /// `x` times two to an integer.
    fn scale(&mut self, state: &mut State, instruction: &Instruction, x: &Floats, by: &Integers) {
        let (lo, hi) = by.signed();
        let mut result = Floats { nan: x.nan, ..x.infinite_part() };
        result.plus_zero = x.plus_zero;
        result.minus_zero = x.minus_zero;
        let mut raised = Exceptions::NONE;
        let finite = x.finite_part();
        let format = x.format;
        for (span, negative) in [(finite.positive, false), (finite.negative, true)] {
            if span.is_empty() {
                continue;
            }
            let least = scaled(format, span.lo, lo).0;
            let greatest = scaled(format, span.hi, hi).1;
            let found = Floats::between(format, least, greatest);
            result = result.join(&if negative { found.negated() } else { found });
            raised.add_if(least <= Grid::of(format).min_normal(), Exception::Underflow);
            raised.add_if(greatest >= Grid::of(format).max_finite(), Exception::Overflow);
        }
        let value = AbstractValue::float(result);
        self.site(instruction, &[], Some(&value), raised);
        self.assign(state, instruction, value);
    }

    /// What is written as a call but is none.
    pub fn special(
        &mut self,
        frame: &mut Frame<'c>,
        state: &mut State,
        instruction: &'c Instruction,
        special: &Special,
        operands: &[Operand],
        values: &[AbstractValue],
    ) -> Flow {
        let result = match instruction.result {
            Some(register) => &frame.function.registers[register.0 as usize],
            None => &Type::Void,
        };
        let top = AbstractValue::top(result);
        match special {
            Special::Copy { .. } => {
                let (to, from) = (values[0].pointers(), values[1].pointers());
                state.memory.copy(&to, &from, values[2].count(), &self.globals);
            }
            Special::Fill => self.fill(state, values),
            Special::Assume => return self.assume(frame, state, operands, values),
            Special::Trap => return Flow::Ends,
            Special::ArgumentsBegin | Special::ArgumentsCopy => {
                state.memory.forget(&values[0].pointers(), None, &self.globals);
            }
            Special::ArgumentsEnd | Special::StackRestore | Special::SetRounding => {}
            Special::ArgumentsNext => {
                // The list moves on.
                state.memory.forget(&values[0].pointers(), None, &self.globals);
                self.assign(state, instruction, top);
            }
            Special::Rounding | Special::StackSave | Special::ObjectSize | Special::Unknowable => {
                self.assign(state, instruction, top);
            }
            Special::Fraction(format) if result.lanes().is_none() => {
                let x = values[0].floats(*format);
                let value =
                    AbstractValue::Anything.with_part(2, 0, AbstractValue::float(fraction(&x)));
                self.site(instruction, values, None, Exceptions::NONE);
                self.assign(state, instruction, value);
            }
            Special::Scale(format) if result.lanes().is_none() => {
                let by = match &values[1] {
                    AbstractValue::Integer(by) => *by,
                    _ => Integers::everything(64),
                };
                self.scale(state, instruction, &values[0].floats(*format), &by);
            }
            Special::Libm(function, format) if *result == Type::Float(*format) => {
                let floats: Vec<Floats> = values.iter().map(|v| v.floats(*format)).collect();
                self.record.libm = true;
                match libm::apply(self.modes, function.name(), *format, &floats) {
                    Some(outcome) => {
                        let value = AbstractValue::float(outcome.result);
                        self.site(instruction, values, Some(&value), outcome.raised);
                        self.assign(state, instruction, value);
                    }
                    None => {
                        self.site(instruction, &[], None, Exceptions::ALL);
                        self.assign(state, instruction, top);
                    }
                }
            }
            specials!(Float, Reduce) => {
                self.site(instruction, &[], None, Exceptions::ALL);
                self.assign(state, instruction, top);
            }
        }
        Flow::On
    }
}

/// The fraction that `frexp` gives: from a half up to one, with the sign of the operand.
fn fraction(x: &Floats) -> Floats {
    let format = x.format;
    let half = Span::new(Grid::of(format).power(-1), Grid::of(format).one() - 1);
    let finite = x.finite_part();
    let mut result = Floats { nan: x.nan, ..x.infinite_part() };
    result.plus_zero = x.plus_zero;
    result.minus_zero = x.minus_zero;
    if !finite.positive.is_empty() {
        result.positive = result.positive.join(half);
    }
    if !finite.negative.is_empty() {
        result.negative = result.negative.join(half);
    }
    result
}

/// A finite magnitude times a power of two: between these two.
fn scaled(format: Format, magnitude: Ordinal, by: i128) -> (Ordinal, Ordinal) {
    let fraction_bits = format.fraction_bits();
    let field = magnitude >> fraction_bits;
    let significand = if field == 0 {
        magnitude
    } else {
        magnitude & ((1 << fraction_bits) - 1) | 1 << fraction_bits
    };
    let leading = 127 - significand.leading_zeros() as i128;
    let quantum = i128::from(format.quantum_exponent());
    let exponent = quantum + (field - 1).max(0) + leading + by;
    if exponent > i128::from(format.max_exponent()) {
        return (Grid::of(format).max_finite(), Grid::of(format).infinity());
    }
    if exponent >= i128::from(format.min_exponent()) {
        let base = (exponent - i128::from(format.min_exponent())) << fraction_bits;
        let place = base + (significand << (fraction_bits as i128 - leading));
        return (place, place);
    }
    let shift = leading - (exponent - quantum);
    if shift <= 0 {
        // A subnormal number that stays one, further up.
        return (significand << -shift, significand << -shift);
    }
    let kept = if shift > 126 { 0 } else { significand >> shift };
    (kept, kept + 1)
}
