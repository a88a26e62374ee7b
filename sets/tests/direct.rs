//! The direct projections against the operation table, on a tiny format: each concrete result is
//! inside, and each exception is announced.

mod oracle;

use nanoscope_ieee::{
    Circuit, Concrete, Datum, Flags, Float, Format, Operation, OutOfRange, Parameters, Rounding,
    Sort, Word, apply,
};
use nanoscope_sets::{Direct, Floats, Grid, Integers, Modes, Order, Relation, Truths};
use oracle::{Draw, Sampled};

const TINY: Format = Format::new(3, 3);

type Datum4 = Datum<Floats, Modes, Option<Integers>, Truths>;

fn members(floats: &Floats) -> Vec<Float> {
    (0..1u128 << floats.format.width())
        .map(|bits| Float::from_bits(floats.format, bits))
        .filter(|value| floats.contains(value))
        .collect()
}

fn tuples(operands: &[Floats]) -> Vec<Vec<Float>> {
    operands.iter().fold(vec![Vec::new()], |tuples, operand| {
        let values = members(operand);
        let longer = tuples.iter().flat_map(|tuple: &Vec<Float>| {
            values.iter().map(|value| tuple.iter().chain([value]).cloned().collect())
        });
        longer.collect()
    })
}

/// Checks an operation on floats, where `holds` of the operands.
fn check(
    operation: Operation,
    parameters: Parameters,
    modes: Modes,
    operands: &[Floats],
    order: Order,
    holds: impl Fn(&[Float]) -> bool,
) {
    let rounded = operation.operands()[0] == Sort::Rounding;
    let mut sets: Vec<Datum4> = Vec::new();
    if rounded {
        sets.push(Datum::Rounding(modes));
    }
    sets.extend(operands.iter().map(|floats| Datum::Float(*floats)));
    let (found, raised) = apply(&mut Direct { order }, operation, &parameters, &sets).unwrap();
    for tuple in tuples(operands).iter().filter(|tuple| holds(tuple)) {
        for rounding in modes.iter() {
            let mut data = Vec::new();
            if rounded {
                data.push(Datum::Rounding(Word::from(rounding)));
            }
            data.extend(tuple.iter().map(|x| Datum::Float(x.word().clone())));
            let (value, flags) =
                apply(&mut Circuit::new(Concrete), operation, &parameters, &data).unwrap();
            let inside = match (&found, &value) {
                (Datum::Float(floats), Datum::Float(word)) => {
                    floats.contains(&Float::from_word(floats.format, word.clone()))
                }
                (Datum::Bool(truths), Datum::Bool(true)) => truths.may_hold,
                (Datum::Bool(truths), Datum::Bool(false)) => truths.may_fail,
                (Datum::Bits(Some(integers)), Datum::Bits(word)) => {
                    let value = Integers::of_bits(word.width(), word.to_u128().unwrap());
                    integers.contains(value.lo())
                }
                (Datum::Bits(None), Datum::Bits(_)) => true,
                (found, value) => panic!("{found:?} and {value:?} are of different sorts"),
            };
            let place = format!("{operation} {tuple:?} {rounding} = {value:?}, of {operands:?}");
            assert!(inside, "{place} is not in {found:?}");
            // A signalling NaN is not told from a quiet one, and comparisons are asked for
            // nothing.
            if tuple.iter().any(Float::is_nan) || operation.result() == Sort::Bool {
                continue;
            }
            let Flags { invalid, divide_by_zero, overflow, tiny, .. } = flags;
            assert!(!invalid || raised.invalid, "{place} is invalid");
            assert!(!divide_by_zero || raised.divide_by_zero, "{place} divides by zero");
            assert!(!overflow || raised.overflow, "{place} overflows");
            assert!(!tiny || raised.tiny, "{place} is tiny");
        }
    }
}

fn some_modes(round: u64) -> Modes {
    match round % 4 {
        0 => Modes::ALL,
        1 => Modes::only(Rounding::ALL[(round / 4 % 5) as usize]),
        _ => Modes::NEAREST,
    }
}

/// Whether all operands but a rounding mode are floats.
fn arity(operation: Operation) -> Option<usize> {
    let sorts = operation.operands().iter().filter(|sort| **sort != Sort::Rounding);
    sorts.clone().all(|sort| *sort == Sort::Float).then(|| sorts.count())
}

#[test]
fn every_operation_on_a_tiny_format() {
    let grid = Grid::of(TINY);
    for operation in Operation::ALL {
        let Some(arity) = arity(*operation) else { continue };
        let mut draw = Draw(*operation as u64);
        for round in 0..if arity == 3 { 8 } else { 60 } {
            let operands: Vec<Floats> =
                (0..arity).map(|_| Floats::draw(&mut draw, grid, None)).collect();
            let targets = [Format::new(2, 4), Format::new(4, 3), Format::new(4, 2), TINY];
            let parameters = Parameters {
                target: targets[round as usize % 4],
                width: [2, 3, 6][round as usize % 3],
                out_of_range: OutOfRange::ALL[round as usize / 3 % 3],
                ..Parameters::of(TINY)
            };
            let modes = some_modes(round);
            check(*operation, parameters, modes, &operands, Order::default(), |_| true);
            if arity == 2 {
                let twice = [operands[0]; 2];
                let same = Order { same: true, ..Order::default() };
                check(*operation, parameters, modes, &twice, same, |tuple| tuple[0] == tuple[1]);
            }
        }
    }
}

#[test]
fn ordered_operands() {
    let grid = Grid::of(TINY);
    let mut draw = Draw(2);
    for round in 0..80 {
        let operands = [Floats::draw(&mut draw, grid, None), Floats::draw(&mut draw, grid, None)];
        for relation in [
            Relation::LESS,
            Relation::GREATER,
            Relation::LESS.negated(),
            Relation::LESS.join(Relation::GREATER),
        ] {
            let holds = |tuple: &[Float]| {
                let outcome = match tuple[0].partial_order(&tuple[1]) {
                    None => Relation::UNORDERED,
                    Some(std::cmp::Ordering::Less) => Relation::LESS,
                    Some(std::cmp::Ordering::Equal) => Relation::EQUAL,
                    Some(std::cmp::Ordering::Greater) => Relation::GREATER,
                };
                relation.allows(outcome)
            };
            for operation in [Operation::Sub, Operation::Less, Operation::Equal] {
                let parameters = Parameters::of(TINY);
                check(operation, parameters, some_modes(round), &operands, relation.order(), holds);
            }
        }
    }
}

#[test]
fn integers_to_floats() {
    let mut draw = Draw(6);
    for round in 0..200 {
        let mut end = || draw.below(64) as i128 - 32;
        let (a, b, c, d) = (end(), end(), end(), end());
        let integers = Integers::united(6, &mut [(a.min(b), a.max(b)), (c.min(d), c.max(d))]);
        let modes = some_modes(round);
        for operation in [Operation::FromSigned, Operation::FromUnsigned] {
            let parameters = Parameters::integer(TINY, 6, OutOfRange::Undefined);
            let sets: [Datum4; 2] = [Datum::Rounding(modes), Datum::Bits(Some(integers))];
            let (found, _) = apply(&mut Direct::default(), operation, &parameters, &sets).unwrap();
            let Datum::Float(found) = found else { panic!("{found:?}") };
            for value in (-32..32).filter(|value| integers.contains(*value)) {
                for rounding in modes.iter() {
                    let word = Word::new(6, value as u128);
                    let (float, _) = match operation {
                        Operation::FromSigned => Float::from_signed(TINY, rounding, &word),
                        _ => Float::from_unsigned(TINY, rounding, &word),
                    };
                    assert!(found.contains(&float), "{value} is {float}, not in {found}");
                }
            }
        }
    }
}

#[test]
fn encodings() {
    let mut draw = Draw(9);
    for _ in 0..200 {
        let floats = Floats::draw(&mut draw, Grid::of(TINY), None);
        let sets: [Datum4; 1] = [Datum::Float(floats)];
        let parameters = Parameters::of(TINY);
        let (bits, _) =
            apply(&mut Direct::default(), Operation::ToBits, &parameters, &sets).unwrap();
        let Datum::Bits(Some(integers)) = bits else { panic!("{bits:?}") };
        for value in members(&floats) {
            let bits = Integers::of_bits(TINY.width(), value.to_bits().unwrap());
            assert!(integers.contains(bits.lo()), "{value} in {integers}");
        }
        let (back, _) =
            apply(&mut Direct::default(), Operation::FromBits, &parameters, &[bits]).unwrap();
        let Datum::Float(back) = back else { panic!("{back:?}") };
        assert!(floats.within(&back), "{floats} within {back}");
    }
}
