//! The x86 intrinsics that clang's headers use for plain arithmetic.

use super::body::Body;
use super::instructions::{TOWARD_ZERO, format_of};
use crate::ir::{Act, Mode, Operand, Type};
use crate::llvm::Value;
use nanoscope_ieee::{Operation, OutOfRange, Parameters};

impl Body<'_, '_> {
    /// An intrinsic of the machine's, by its name without `llvm.`.
    pub fn x86_intrinsic(&mut self, call: Value, name: &str) -> Option<Act> {
        let rest = name.strip_prefix("x86.")?;
        let (set, what) = rest.split_once('.')?;
        match (set, what) {
            ("sse", "min.ps") | ("sse2", "min.pd") | ("avx", "min.ps.256" | "min.pd.256") => {
                self.float(call, Operation::MinX86, Mode::Dynamic, 2)
            }
            ("sse", "max.ps") | ("sse2", "max.pd") | ("avx", "max.ps.256" | "max.pd.256") => {
                self.float(call, Operation::MaxX86, Mode::Dynamic, 2)
            }
            ("sse", "min.ss") | ("sse2", "min.sd") => self.lowest(call, Operation::MinX86),
            ("sse", "max.ss") | ("sse2", "max.sd") => self.lowest(call, Operation::MaxX86),
            ("sse", "cvttss2si" | "cvttss2si64") | ("sse2", "cvttsd2si" | "cvttsd2si64") => {
                self.lowest_to_integer(call, TOWARD_ZERO)
            }
            ("sse", "cvtss2si" | "cvtss2si64") | ("sse2", "cvtsd2si" | "cvtsd2si64") => {
                self.lowest_to_integer(call, Mode::Dynamic)
            }
            ("sse2", "cvttps2dq") | ("avx", "cvtt.ps2dq.256" | "cvtt.pd2dq.256") => {
                self.float_to_integer(call, true, OutOfRange::Indefinite, TOWARD_ZERO)
            }
            ("sse2", "cvtps2dq") | ("avx", "cvt.ps2dq.256" | "cvt.pd2dq.256") => {
                self.float_to_integer(call, true, OutOfRange::Indefinite, Mode::Dynamic)
            }
            _ => None,
        }
    }

    /// An operation on the lowest lanes; the others come from the first operand.
    fn lowest(&mut self, call: Value, operation: Operation) -> Option<Act> {
        let ty = self.type_of(call);
        let format = format_of(&ty)?;
        let vector = self.operand(call.operand(0));
        let other = self.operand(call.operand(1));
        let zero = self.lowerer.integer(32, 0);
        let lanes = [vector, other].map(|vector| self.lane(vector, zero, format));
        let act = Act::Float {
            operation,
            parameters: Parameters::of(format),
            mode: Mode::Dynamic,
            operands: lanes.into(),
            relaxed: false,
        };
        let lane = self.step(Type::Float(format), act);
        Some(Act::SetLane { operands: [vector, lane, zero] })
    }

    /// The lowest lane as an integer.
    fn lowest_to_integer(&mut self, call: Value, mode: Mode) -> Option<Act> {
        let vector = self.operand(call.operand(0));
        let format = format_of(self.operand_type(vector))?;
        let zero = self.lowerer.integer(32, 0);
        let operand = self.lane(vector, zero, format);
        let width = self.type_of(call).bits()?;
        Some(Act::Float {
            operation: Operation::ToSigned,
            parameters: Parameters::integer(format, width, OutOfRange::Indefinite),
            mode,
            operands: [operand].into(),
            relaxed: false,
        })
    }

    fn lane(&mut self, vector: Operand, at: Operand, format: nanoscope_ieee::Format) -> Operand {
        self.step(Type::Float(format), Act::Lane { operands: [vector, at] })
    }
}
