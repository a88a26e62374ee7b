//! The x86 intrinsics that clang's headers use for plain arithmetic.

use super::body::Body;
use super::float::reinterpret;
use super::instructions::{TOWARD_ZERO, format_of};
use crate::ir::{
    Act, Constant, FloatPredicate, IntegerConversion, IntegerOperation, IntegerPredicate, Mode,
    Operand, Promises, Type,
};
use crate::llvm::Value;
use nanoscope_ieee::{Format, Operation, OutOfRange, Parameters, Rounding, Word};

impl Body<'_, '_> {
    /// An intrinsic of the machine's, by its name without `llvm.`.
    pub fn x86_intrinsic(&mut self, call: Value, name: &str) -> Option<Act> {
        use IntegerOperation as I;
        let rest = name.strip_prefix("x86.")?;
        let (_, what) = rest.split_once('.')?;
        match what {
            "min.ps" | "min.pd" | "min.ps.256" | "min.pd.256" => {
                self.float(call, Operation::MinX86, Mode::Dynamic, 2)
            }
            "max.ps" | "max.pd" | "max.ps.256" | "max.pd.256" => {
                self.float(call, Operation::MaxX86, Mode::Dynamic, 2)
            }
            "min.ss" | "min.sd" => self.lowest(call, Operation::MinX86),
            "max.ss" | "max.sd" => self.lowest(call, Operation::MaxX86),
            "cvttss2si" | "cvttss2si64" | "cvttsd2si" | "cvttsd2si64" => {
                self.lowest_to_integer(call, TOWARD_ZERO)
            }
            "cvtss2si" | "cvtss2si64" | "cvtsd2si" | "cvtsd2si64" => {
                self.lowest_to_integer(call, Mode::Dynamic)
            }
            "cvttps2dq" | "cvttpd2dq" | "cvtt.ps2dq.256" | "cvtt.pd2dq.256" => {
                self.lanes_to_integers(call, TOWARD_ZERO)
            }
            "cvtps2dq" | "cvtpd2dq" | "cvt.ps2dq.256" | "cvt.pd2dq.256" => {
                self.lanes_to_integers(call, Mode::Dynamic)
            }
            "cvtpd2ps" => self.lanes_to_singles(call),
            "cvtsd2ss" => self.lowest_converted(call),
            "cmp.ss" | "cmp.sd" => self.compare_lowest(call),
            "cmp.ps" | "cmp.pd" | "cmp.ps.256" | "cmp.pd.256" => self.compare_lanes(call),
            "round.ps" | "round.pd" | "round.ps.256" | "round.pd.256" => {
                let vector = self.operand(call.operand(0));
                self.rounded(vector, call.operand(1))
            }
            "round.ss" | "round.sd" => self.lowest_rounded(call),
            "movmsk.ps" | "movmsk.pd" | "pmovmskb.128" | "pmovmskb" | "movmsk.ps.256"
            | "movmsk.pd.256" => self.signs(call),
            "blendvps" | "blendvpd" | "pblendvb" | "blendv.ps.256" | "blendv.pd.256" => {
                self.blend(call)
            }
            "psrli.w" | "psrli.d" | "psrli.q" => self.shift(call, I::LogicalShiftRight),
            "pslli.w" | "pslli.d" | "pslli.q" => self.shift(call, I::ShiftLeft),
            "psrai.w" | "psrai.d" | "psrai.q" => self.shift(call, I::ArithmeticShiftRight),
            "packsswb.128" | "packssdw.128" => self.pack(call, true),
            "packuswb.128" | "packusdw" => self.pack(call, false),
            "pmulh.w" => self.high_product(call, IntegerConversion::SignExtend),
            "pmulhu.w" => self.high_product(call, IntegerConversion::ZeroExtend),
            _ => match what.strip_prefix('u').unwrap_or(what).strip_prefix("comi") {
                Some(relation) => self.compare_scalars(call, relation, what.starts_with("comi")),
                None => None,
            },
        }
    }

    fn plain(&mut self, operation: Operation, format: Format, operands: &[Operand]) -> Act {
        Act::Float {
            operation,
            parameters: Parameters::of(format),
            mode: Mode::Dynamic,
            operands: operands.into(),
            relaxed: false,
        }
    }

    fn lowest_lane(&mut self, vector: Operand) -> Operand {
        let ty = self.operand_type(vector).lane().clone();
        let zero = self.lowerer.integer(32, 0);
        self.step(ty, Act::Lane { operands: [vector, zero] })
    }

    /// An operation on the lowest lanes; the others come from the first operand.
    fn lowest(&mut self, call: Value, operation: Operation) -> Option<Act> {
        let format = format_of(&self.type_of(call))?;
        let vectors = [0, 1].map(|i| self.operand(call.operand(i)));
        let lanes = vectors.map(|vector| self.lowest_lane(vector));
        let act = self.plain(operation, format, &lanes);
        self.with_lowest(vectors[0], Type::Float(format), act)
    }

    fn with_lowest(&mut self, vector: Operand, ty: Type, act: Act) -> Option<Act> {
        let lane = self.step(ty, act);
        let zero = self.lowerer.integer(32, 0);
        Some(Act::SetLane { operands: [vector, lane, zero] })
    }

    /// The lowest lane as an integer.
    fn lowest_to_integer(&mut self, call: Value, mode: Mode) -> Option<Act> {
        let vector = self.operand(call.operand(0));
        let operand = self.lowest_lane(vector);
        let width = self.type_of(call).bits()?;
        self.indefinite(operand, width, mode)
    }

    fn indefinite(&mut self, operand: Operand, width: u32, mode: Mode) -> Option<Act> {
        let format = format_of(self.operand_type(operand))?;
        Some(Act::Float {
            operation: Operation::ToSigned,
            parameters: Parameters::integer(format, width, OutOfRange::Indefinite),
            mode,
            operands: [operand].into(),
            relaxed: false,
        })
    }

    /// All lanes as integers; lanes that the operand has not are zero.
    fn lanes_to_integers(&mut self, call: Value, mode: Mode) -> Option<Act> {
        let operand = self.operand(call.operand(0));
        let act = self.indefinite(operand, 32, mode)?;
        let ty = self.type_of(call);
        self.filled(operand, ty, act)
    }

    fn lanes_to_singles(&mut self, call: Value) -> Option<Act> {
        let operand = self.operand(call.operand(0));
        let ty = self.type_of(call);
        let act = self.converted(operand, &ty)?;
        self.filled(operand, ty, act)
    }

    fn converted(&mut self, operand: Operand, to: &Type) -> Option<Act> {
        let (from, to) = (format_of(self.operand_type(operand))?, format_of(to)?);
        Some(Act::Float {
            operation: Operation::Convert,
            parameters: Parameters::between(from, to),
            mode: Mode::Dynamic,
            operands: [operand].into(),
            relaxed: false,
        })
    }

    /// What `act` makes of `operand`, with zeros for the lanes that only `ty` has.
    fn filled(&mut self, operand: Operand, ty: Type, act: Act) -> Option<Act> {
        let (given, wanted) = (self.operand_type(operand).lanes()?, ty.lanes()?);
        if given == wanted {
            return Some(act);
        }
        let half = Type::Vector(ty.lane().clone().into(), given);
        let zero = self.lowerer.intern(half.clone(), Constant::Zero(half.clone()));
        let made = self.step(half, act);
        let mask = (0..wanted).map(|i| Some(i.min(2 * given - 1))).collect();
        Some(Act::Shuffle { operands: [made, Operand::Constant(zero)], mask })
    }

    fn lowest_converted(&mut self, call: Value) -> Option<Act> {
        let vector = self.operand(call.operand(0));
        let other = self.operand(call.operand(1));
        let lane = self.lowest_lane(other);
        let ty = self.type_of(call).lane().clone();
        let act = self.converted(lane, &ty)?;
        self.with_lowest(vector, ty, act)
    }

    /// The mask of a comparison as the float it is: all ones or all zeros.
    fn comparison(&mut self, operands: [Operand; 2], number: i64) -> Option<(Type, Act)> {
        let (predicate, signaling) = machine_predicate(number)?;
        let ty = self.operand_type(operands[0]).clone();
        let format = format_of(&ty)?;
        let truth = with_lane(&ty, Type::Integer(1));
        let compare = Act::FloatCompare { predicate, signaling, format, operands };
        let operand = self.step(truth.clone(), compare);
        let bits = with_lane(&ty, Type::Integer(format.width()));
        let extend = Act::Convert {
            conversion: IntegerConversion::SignExtend,
            operand,
            from: truth,
            to: bits.clone(),
        };
        let mask = self.step(bits.clone(), extend);
        Some((ty.clone(), reinterpret(mask, bits, ty)))
    }

    fn compare_lanes(&mut self, call: Value) -> Option<Act> {
        let operands = [0, 1].map(|i| self.operand(call.operand(i)));
        Some(self.comparison(operands, call.operand(2).as_integer()?)?.1)
    }

    fn compare_lowest(&mut self, call: Value) -> Option<Act> {
        let vectors = [0, 1].map(|i| self.operand(call.operand(i)));
        let lanes = vectors.map(|vector| self.lowest_lane(vector));
        let (ty, act) = self.comparison(lanes, call.operand(2).as_integer()?)?;
        self.with_lowest(vectors[0], ty, act)
    }

    /// `comieq.sd` and its like: a truth value as an `int`.
    fn compare_scalars(&mut self, call: Value, relation: &str, signaling: bool) -> Option<Act> {
        use FloatPredicate as P;
        let predicate = match relation.split('.').next()? {
            "eq" => P::OrderedEqual,
            "lt" => P::OrderedLess,
            "le" => P::OrderedLessEqual,
            "gt" => P::OrderedGreater,
            "ge" => P::OrderedGreaterEqual,
            "neq" => P::UnorderedNotEqual,
            _ => return None,
        };
        let operands = [0, 1].map(|i| self.operand(call.operand(i)));
        let operands = operands.map(|vector| self.lowest_lane(vector));
        let format = format_of(self.operand_type(operands[0]))?;
        let act = Act::FloatCompare { predicate, signaling, format, operands };
        let operand = self.step(Type::Integer(1), act);
        let to = self.type_of(call);
        let conversion = IntegerConversion::ZeroExtend;
        Some(Act::Convert { conversion, operand, from: Type::Integer(1), to })
    }

    /// Rounding to integral values, as the immediate says: two bits of mode, one for the
    /// environment's mode, one against the inexact exception.
    fn rounded(&mut self, operand: Operand, how: Value) -> Option<Act> {
        let how = how.as_integer()?;
        let mode = match how & 7 {
            0 => Mode::Fixed(Rounding::NearestEven),
            1 => Mode::Fixed(Rounding::Downward),
            2 => Mode::Fixed(Rounding::Upward),
            3 => Mode::Fixed(Rounding::TowardZero),
            _ => Mode::Dynamic,
        };
        let operation =
            if how & 8 == 0 { Operation::RoundToIntegralExact } else { Operation::RoundToIntegral };
        let parameters = Parameters::of(format_of(self.operand_type(operand))?);
        let operands = [operand].into();
        Some(Act::Float { operation, parameters, mode, operands, relaxed: false })
    }

    fn lowest_rounded(&mut self, call: Value) -> Option<Act> {
        let vectors = [0, 1].map(|i| self.operand(call.operand(i)));
        let lane = self.lowest_lane(vectors[1]);
        let act = self.rounded(lane, call.operand(2))?;
        let ty = self.operand_type(lane).clone();
        self.with_lowest(vectors[0], ty, act)
    }

    /// Whether each lane's highest bit is set.
    pub fn is_negative(&mut self, vector: Operand) -> Option<Operand> {
        let ty = self.operand_type(vector).clone();
        let bits = ty.lane().bits()?;
        let integers = with_lane(&ty, Type::Integer(bits));
        let vector = if integers == ty {
            vector
        } else {
            self.step(integers.clone(), reinterpret(vector, ty.clone(), integers.clone()))
        };
        let zero = self.lowerer.intern(integers.clone(), Constant::Zero(integers));
        let predicate = IntegerPredicate::SignedLess;
        let operands = [vector, Operand::Constant(zero)];
        let truth = with_lane(&ty, Type::Integer(1));
        Some(self.step(truth, Act::IntegerCompare { predicate, bits, operands }))
    }

    /// The highest bits of all lanes, as an integer.
    fn signs(&mut self, call: Value) -> Option<Act> {
        let vector = self.operand(call.operand(0));
        let lanes = self.operand_type(vector).lanes()?;
        let signs = self.is_negative(vector)?;
        let packed = Type::Integer(lanes);
        let from = self.operand_type(signs).clone();
        let operand = self.step(packed.clone(), reinterpret(signs, from, packed.clone()));
        let to = self.type_of(call);
        if packed == to {
            return Some(Act::Freeze { operand });
        }
        let conversion = IntegerConversion::ZeroExtend;
        Some(Act::Convert { conversion, operand, from: packed, to })
    }

    fn blend(&mut self, call: Value) -> Option<Act> {
        let [first, second, mask] = [0, 1, 2].map(|i| self.operand(call.operand(i)));
        let condition = self.is_negative(mask)?;
        Some(Act::Select { operands: [condition, second, first] })
    }

    /// A vector with an integer in every lane.
    fn everywhere(&mut self, ty: &Type, value: i128) -> Option<Operand> {
        let (bits, lanes) = (ty.lane().bits()?, ty.lanes()?);
        let lane = Constant::Integer(Word::new(bits, value as u128));
        let parts = vec![lane; lanes as usize].into();
        Some(Operand::Constant(self.lowerer.intern(ty.clone(), Constant::Parts(ty.clone(), parts))))
    }

    fn vector_integer(
        &mut self,
        ty: &Type,
        operation: IntegerOperation,
        operands: [Operand; 2],
    ) -> Option<Operand> {
        let bits = ty.lane().bits()?;
        let promises = Promises::default();
        Some(self.step(ty.clone(), Act::Integer { operation, bits, operands, promises }))
    }

    /// All lanes shifted by one distance: zeros, or nothing but signs, when it is too far.
    fn shift(&mut self, call: Value, operation: IntegerOperation) -> Option<Act> {
        let ty = self.type_of(call);
        let bits = ty.lane().bits()?;
        let vector = self.operand(call.operand(0));
        let distance = self.operand(call.operand(1));
        let promises = Promises::default();
        let last = self.lowerer.integer(32, i128::from(bits) - 1);
        let near = Act::Integer {
            operation: IntegerOperation::UnsignedMin,
            bits: 32,
            operands: [distance, last],
            promises,
        };
        let near = self.step(Type::Integer(32), near);
        let near = match bits {
            32 => near,
            _ => {
                let conversion = if bits < 32 {
                    IntegerConversion::Truncate
                } else {
                    IntegerConversion::ZeroExtend
                };
                let (from, to) = (Type::Integer(32), Type::Integer(bits));
                let act = Act::Convert { conversion, operand: near, from, to: to.clone() };
                self.step(to, act)
            }
        };
        let distances = self.splat(near, &ty);
        let shift = Act::Integer { operation, bits, operands: [vector, distances], promises };
        if operation == IntegerOperation::ArithmeticShiftRight {
            return Some(shift);
        }
        let shifted = self.step(ty.clone(), shift);
        let predicate = IntegerPredicate::UnsignedLessEqual;
        let within = Act::IntegerCompare { predicate, bits: 32, operands: [distance, last] };
        let within = self.step(Type::Integer(1), within);
        let zero = self.lowerer.intern(ty.clone(), Constant::Zero(ty));
        Some(Act::Select { operands: [within, shifted, Operand::Constant(zero)] })
    }

    /// The lanes of two vectors, end to end, each kept within half its width: the signed
    /// range or the unsigned one.
    fn pack(&mut self, call: Value, signed: bool) -> Option<Act> {
        let wide = self.type_of(call.operand(0));
        let narrow_bits = wide.lane().bits()? / 2;
        let half = Type::Vector(Type::Integer(narrow_bits).into(), wide.lanes()?);
        let (low, high) = if signed {
            (-(1i128 << (narrow_bits - 1)), (1 << (narrow_bits - 1)) - 1)
        } else {
            (0, (1 << narrow_bits) - 1)
        };
        let (low, high) = (self.everywhere(&wide, low)?, self.everywhere(&wide, high)?);
        let mut halves = Vec::new();
        for i in 0..2 {
            let vector = self.operand(call.operand(i));
            let above = self.vector_integer(&wide, IntegerOperation::SignedMax, [vector, low])?;
            let within = self.vector_integer(&wide, IntegerOperation::SignedMin, [above, high])?;
            let truncate = Act::Convert {
                conversion: IntegerConversion::Truncate,
                operand: within,
                from: wide.clone(),
                to: half.clone(),
            };
            halves.push(self.step(half.clone(), truncate));
        }
        let mask = (0..2 * wide.lanes()?).map(Some).collect();
        Some(Act::Shuffle { operands: [halves[0], halves[1]], mask })
    }

    /// The upper half of each lane's product.
    fn high_product(&mut self, call: Value, extension: IntegerConversion) -> Option<Act> {
        let ty = self.type_of(call);
        let bits = ty.lane().bits()?;
        let wide = with_lane(&ty, Type::Integer(2 * bits));
        let operands = [0, 1].map(|i| {
            let operand = self.operand(call.operand(i));
            let (conversion, from, to) = (extension, ty.clone(), wide.clone());
            self.step(wide.clone(), Act::Convert { conversion, operand, from, to })
        });
        let product = self.vector_integer(&wide, IntegerOperation::Mul, operands)?;
        let by = self.everywhere(&wide, bits.into())?;
        let operand =
            self.vector_integer(&wide, IntegerOperation::LogicalShiftRight, [product, by])?;
        let conversion = IntegerConversion::Truncate;
        Some(Act::Convert { conversion, operand, from: wide, to: ty })
    }
}

/// The type with another lane type.
fn with_lane(ty: &Type, lane: Type) -> Type {
    match ty.lanes() {
        Some(lanes) => Type::Vector(lane.into(), lanes),
        None => lane,
    }
}

/// The comparison that an immediate of `cmpps` and its like names, and whether a quiet NaN
/// is invalid (Intel's manual, volume 2, table 3-1).
fn machine_predicate(number: i64) -> Option<(FloatPredicate, bool)> {
    use FloatPredicate as P;
    let (predicate, signaling) = match number & 15 {
        0 => (P::OrderedEqual, false),
        1 => (P::OrderedLess, true),
        2 => (P::OrderedLessEqual, true),
        3 => (P::Unordered, false),
        4 => (P::UnorderedNotEqual, false),
        5 => (P::UnorderedGreaterEqual, true),
        6 => (P::UnorderedGreater, true),
        7 => (P::Ordered, false),
        8 => (P::UnorderedEqual, false),
        9 => (P::UnorderedLess, true),
        10 => (P::UnorderedLessEqual, true),
        11 => (P::False, false),
        12 => (P::OrderedNotEqual, false),
        13 => (P::OrderedGreaterEqual, true),
        14 => (P::OrderedGreater, true),
        15 => (P::True, false),
        _ => return None,
    };
    Some((predicate, signaling != (number & 16 != 0)))
}
