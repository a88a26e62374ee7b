//! Operations on floats, written as instructions, intrinsics or constrained intrinsics.
//!
//! Every operation rounds as the environment says: also where a constrained intrinsic
//! names a mode, because that only repeats what the environment holds, and the machine
//! looks there.

use super::body::Body;
use super::instructions::{TOWARD_ZERO, format_of};
use crate::ir::{Act, FloatPredicate, IntegerConversion, Mode, Operand, Special, Type};
use crate::llvm::Value;
use nanoscope_ieee::{Format, Libm, Operation, OutOfRange, Parameters, Rounding};

impl Body<'_, '_> {
    /// A row of the operation table on the first `count` operands, all of the result's type.
    pub fn float(
        &mut self,
        value: Value,
        operation: Operation,
        mode: Mode,
        count: u32,
    ) -> Option<Act> {
        let format = format_of(&self.type_of(value))?;
        let operands = (0..count).map(|i| self.operand(value.operand(i))).collect();
        let relaxed = value.opcode().is_some() && value.may_be_rewritten();
        let parameters = Parameters::of(format);
        Some(Act::Float { operation, parameters, mode, operands, relaxed })
    }

    /// A comparison of two floats.
    pub fn compare_floats(
        &mut self,
        value: Value,
        predicate: FloatPredicate,
        signaling: bool,
    ) -> Option<Act> {
        let operands = [0, 1].map(|i| self.operand(value.operand(i)));
        let format = format_of(self.operand_type(operands[0]))?;
        Some(Act::FloatCompare { predicate, signaling, format, operands })
    }

    /// A conversion between formats.
    pub fn float_to_float(&mut self, value: Value) -> Option<Act> {
        let operand = self.operand(value.operand(0));
        let to = self.type_of(value);
        self.narrow(operand, &to)
    }

    fn narrow(&mut self, operand: Operand, to: &Type) -> Option<Act> {
        let (from, to) = (format_of(self.operand_type(operand))?, format_of(to)?);
        Some(Act::Float {
            operation: Operation::Convert,
            parameters: Parameters::between(from, to),
            mode: Mode::Dynamic,
            operands: [operand].into(),
            relaxed: false,
        })
    }

    /// A conversion of a float to an integer.
    pub fn float_to_integer(
        &mut self,
        value: Value,
        signed: bool,
        out_of_range: OutOfRange,
        mode: Mode,
    ) -> Option<Act> {
        let operand = self.operand(value.operand(0));
        let format = format_of(self.operand_type(operand))?;
        let width = self.type_of(value).lane().bits()?;
        Some(Act::Float {
            operation: if signed { Operation::ToSigned } else { Operation::ToUnsigned },
            parameters: Parameters::integer(format, width, out_of_range),
            mode,
            operands: [operand].into(),
            relaxed: false,
        })
    }

    /// A conversion of an integer to a float.
    pub fn integer_to_float(&mut self, value: Value, signed: bool) -> Option<Act> {
        let operand = self.operand(value.operand(0));
        let width = self.operand_type(operand).lane().bits()?;
        let format = format_of(&self.type_of(value))?;
        Some(Act::Float {
            operation: if signed { Operation::FromSigned } else { Operation::FromUnsigned },
            parameters: Parameters::integer(format, width, OutOfRange::Undefined),
            mode: Mode::Dynamic,
            operands: [operand].into(),
            relaxed: false,
        })
    }

    /// C's `fmin` and `fmax` as the machine has them: what the standard leaves open (which of
    /// two zeros comes, and what a signalling NaN does) is what clang's instructions give, or
    /// glibc's function where clang calls it.
    fn extreme(&mut self, call: Value, larger: bool) -> Option<Act> {
        use Operation as O;
        let ty = self.type_of(call);
        let format = format_of(&ty)?;
        let (a, b) = (self.operand(call.operand(0)), self.operand(call.operand(1)));
        let truth = match &ty {
            Type::Vector(_, lanes) => Type::Vector(Type::Integer(1).into(), *lanes),
            _ => Type::Integer(1),
        };
        let row = |operation, operands: [Operand; 2]| Act::Float {
            operation,
            parameters: Parameters::of(format),
            mode: Mode::Dynamic,
            operands: operands.into(),
            relaxed: false,
        };
        let compare = |predicate, operands| Act::FloatCompare {
            predicate,
            signaling: false,
            format,
            operands,
        };
        let constrained = call
            .callee()
            .and_then(Value::intrinsic_name)
            .is_some_and(|name| name.starts_with("llvm.experimental.constrained."));
        let called = constrained || matches!(format, Format::X87 | Format::BINARY128);
        Some(if called {
            let chosen = row(if larger { O::MaxNum } else { O::MinNum }, [a, b]);
            let chosen = self.step(ty, chosen);
            let equal = self.step(truth, compare(FloatPredicate::OrderedEqual, [a, b]));
            let of_equals = if format == Format::X87 && !larger { a } else { b };
            Act::Select { operands: [equal, of_equals, chosen] }
        } else {
            let chosen = row(if larger { O::MaxX86 } else { O::MinX86 }, [b, a]);
            let chosen = self.step(ty, chosen);
            let nan = self.step(truth, compare(FloatPredicate::Unordered, [a, a]));
            Act::Select { operands: [nan, b, chosen] }
        })
    }

    /// A floating-point intrinsic, by its name without `llvm.` and, for a constrained one,
    /// without `experimental.constrained.`; `None` when it is none.
    pub fn float_intrinsic(&mut self, call: Value, name: &str) -> Option<Act> {
        use Operation as O;
        let fixed = Mode::Fixed;
        let dynamic = Mode::Dynamic;
        let row = match name {
            "fadd" => (O::Add, dynamic, 2),
            "fsub" => (O::Sub, dynamic, 2),
            "fmul" => (O::Mul, dynamic, 2),
            "fdiv" => (O::Div, dynamic, 2),
            "frem" => (O::Fmod, dynamic, 2),
            "fma" => (O::Fma, dynamic, 3),
            "sqrt" => (O::Sqrt, dynamic, 1),
            "fabs" => (O::Abs, dynamic, 1),
            "copysign" => (O::CopySign, dynamic, 2),
            "minnum" => return self.extreme(call, false),
            "maxnum" => return self.extreme(call, true),
            "minimum" => (O::Minimum, dynamic, 2),
            "maximum" => (O::Maximum, dynamic, 2),
            "floor" => (O::RoundToIntegral, fixed(Rounding::Downward), 1),
            "ceil" => (O::RoundToIntegral, fixed(Rounding::Upward), 1),
            "trunc" => (O::RoundToIntegral, fixed(Rounding::TowardZero), 1),
            "round" => (O::RoundToIntegral, fixed(Rounding::NearestAway), 1),
            "roundeven" => (O::RoundToIntegral, fixed(Rounding::NearestEven), 1),
            "nearbyint" => (O::RoundToIntegral, dynamic, 1),
            "rint" => (O::RoundToIntegralExact, dynamic, 1),
            "fptrunc" | "fpext" => return self.float_to_float(call),
            "sitofp" => return self.integer_to_float(call, true),
            "uitofp" => return self.integer_to_float(call, false),
            "fptosi" => {
                return self.float_to_integer(call, true, OutOfRange::Undefined, TOWARD_ZERO);
            }
            "fptoui" => {
                return self.float_to_integer(call, false, OutOfRange::Undefined, TOWARD_ZERO);
            }
            "fptosi.sat" => {
                return self.float_to_integer(call, true, OutOfRange::Saturate, TOWARD_ZERO);
            }
            "fptoui.sat" => {
                return self.float_to_integer(call, false, OutOfRange::Saturate, TOWARD_ZERO);
            }
            // x86-64's instruction and the C library both give the indefinite integer.
            "lrint" | "llrint" => {
                return self.float_to_integer(call, true, OutOfRange::Indefinite, dynamic);
            }
            "lround" | "llround" => {
                let away = fixed(Rounding::NearestAway);
                return self.float_to_integer(call, true, OutOfRange::Indefinite, away);
            }
            "fcmp" | "fcmps" => {
                let predicate = named_predicate(&call.operand(2).metadata_text()?)?;
                return self.compare_floats(call, predicate, name == "fcmps");
            }
            "is.fpclass" => {
                let operand = self.operand(call.operand(0));
                let format = format_of(self.operand_type(operand))?;
                let mask = call.operand(1).as_integer()? as u32;
                return Some(Act::Classify { mask, format, operand });
            }
            "canonicalize" => {
                let operand = self.operand(call.operand(0));
                let ty = self.type_of(call);
                let format = format_of(&ty)?;
                let mut one = self.lowerer.one(format);
                if ty.lanes().is_some() {
                    one = self.splat(one, &ty);
                }
                let operands = [operand, one].into();
                let parameters = Parameters::of(format);
                return Some(Act::Float {
                    operation: O::Mul,
                    parameters,
                    mode: dynamic,
                    operands,
                    relaxed: false,
                });
            }
            "convert.to.fp16" => {
                let operand = self.operand(call.operand(0));
                let half = Type::Float(Format::BINARY16);
                let act = self.narrow(operand, &half)?;
                let operand = self.step(half.clone(), act);
                return Some(reinterpret(operand, half, Type::Integer(16)));
            }
            "convert.from.fp16" => {
                let half = Type::Float(Format::BINARY16);
                let operand = self.operand(call.operand(0));
                let act = reinterpret(operand, Type::Integer(16), half.clone());
                let operand = self.step(half, act);
                let to = self.type_of(call);
                return self.narrow(operand, &to);
            }
            _ => return self.library_intrinsic(call, name),
        };
        self.float(call, row.0, row.1, row.2)
    }

    /// Functions of the mathematical library that have an intrinsic.
    fn library_intrinsic(&mut self, call: Value, name: &str) -> Option<Act> {
        let ty = self.type_of(call);
        let (special, count) = match name {
            "frexp" => {
                let operand = self.operand(call.operand(0));
                let format = format_of(self.operand_type(operand))?;
                (Special::Fraction(format), 1)
            }
            "ldexp" => (Special::Scale(format_of(&ty)?), 2),
            "powi" => (Special::IntegerPower(format_of(&ty)?), 2),
            _ => {
                let function = Libm::from_name(name)?;
                (Special::Libm(function, format_of(&ty)?), function.arity() as u32)
            }
        };
        let operands = (0..count).map(|i| self.operand(call.operand(i))).collect();
        Some(Act::Special { special, operands })
    }
}

/// The same bits as another type.
pub fn reinterpret(operand: Operand, from: Type, to: Type) -> Act {
    Act::Convert { conversion: IntegerConversion::Reinterpret, operand, from, to }
}

fn named_predicate(name: &str) -> Option<FloatPredicate> {
    use FloatPredicate as P;
    Some(match name {
        "oeq" => P::OrderedEqual,
        "ogt" => P::OrderedGreater,
        "oge" => P::OrderedGreaterEqual,
        "olt" => P::OrderedLess,
        "ole" => P::OrderedLessEqual,
        "one" => P::OrderedNotEqual,
        "ord" => P::Ordered,
        "uno" => P::Unordered,
        "ueq" => P::UnorderedEqual,
        "ugt" => P::UnorderedGreater,
        "uge" => P::UnorderedGreaterEqual,
        "ult" => P::UnorderedLess,
        "ule" => P::UnorderedLessEqual,
        "une" => P::UnorderedNotEqual,
        _ => return None,
    })
}
