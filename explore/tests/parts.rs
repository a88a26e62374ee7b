//! Lanes, members, choices: what is taken out is what was put in, at known places and at
//! unknown ones.

mod values;

use nanoscope_explore::Value;
use nanoscope_ieee::{Format, Operation, Word};
use nanoscope_program::ir::{
    Act, Aggregate, ConstantId, IntegerConversion, IntegerOperation, Operand, Promises, Special,
    Type,
};
use std::sync::Arc;
use values::{Place, Random};

const NOWHERE: Operand = Operand::Constant(ConstantId(0));

fn vector(lane: Type, lanes: u32) -> Type {
    Type::Vector(Arc::new(lane), lanes)
}

/// A vector of four random integers, each known or not, and its numbers.
fn four(place: &mut Place, random: &mut Random) -> (Value, Vec<u64>) {
    let numbers: Vec<u64> = (0..4).map(|_| random.integer(32).low_u64()).collect();
    let lanes = numbers.iter().map(|number| {
        if random.below(2) == 0 {
            Value::Small(*number)
        } else {
            place.unknown(&Type::Integer(32), &Word::new(32, (*number).into()))
        }
    });
    let lanes = lanes.collect();
    (Value::parts(lanes), numbers)
}

/// An act on values: each lane of the result is one of the numbers in the model.
fn check(place: &mut Place, act: &Act, values: &[&Value], result: &Type, expected: &[u64]) {
    let found = place.compute().apply(act, values, result).expect("nothing goes wrong");
    let lane = result.lane().clone();
    let lanes: Vec<Value> = match &found {
        Value::Parts(lanes) => lanes.to_vec(),
        scalar => vec![scalar.clone()],
    };
    let found: Vec<u64> = lanes.iter().map(|value| place.bits(value, &lane).low_u64()).collect();
    assert_eq!(found, expected, "{act:?} on {values:?}");
}

#[test]
fn lanes_at_known_and_unknown_places() {
    let mut random = Random(31);
    let ty = vector(Type::Integer(32), 4);
    for _ in 0..100 {
        let mut place = Place::default();
        let (a, numbers) = four(&mut place, &mut random);
        let at = random.below(4);
        let unknown = place.unknown(&Type::Integer(64), &Word::new(64, at.into()));
        for index in [&Value::Small(at), &unknown] {
            let act = Act::Lane { operands: [NOWHERE; 2] };
            check(&mut place, &act, &[&a, index], &Type::Integer(32), &[numbers[at as usize]]);
            let act = Act::SetLane { operands: [NOWHERE; 3] };
            let mut expected = numbers.clone();
            expected[at as usize] = 77;
            check(&mut place, &act, &[&a, &Value::Small(77), index], &ty, &expected);
        }
    }
}

#[test]
fn vectors_lane_by_lane() {
    let mut random = Random(32);
    let ty = vector(Type::Integer(32), 4);
    for _ in 0..50 {
        let mut place = Place::default();
        let (a, x) = four(&mut place, &mut random);
        let (b, y) = four(&mut place, &mut random);
        let sums: Vec<u64> = x.iter().zip(&y).map(|(x, y)| (x + y) & 0xffff_ffff).collect();
        let act = Act::Integer {
            operation: IntegerOperation::Add,
            bits: 32,
            operands: [NOWHERE; 2],
            promises: Promises::default(),
        };
        check(&mut place, &act, &[&a, &b], &ty, &sums);
        let mask = [Some(7), Some(0), Some(5), Some(2)];
        let act = Act::Shuffle { operands: [NOWHERE; 2], mask: mask.into() };
        check(&mut place, &act, &[&a, &b], &ty, &[y[3], x[0], y[1], x[2]]);
        let bits: Vec<bool> = (0..4).map(|_| random.below(2) == 1).collect();
        let conditions = bits
            .iter()
            .map(|bit| place.unknown(&Type::Integer(1), &Word::new(1, u128::from(*bit))))
            .collect();
        let chosen: Vec<u64> = (0..4).map(|at| if bits[at] { x[at] } else { y[at] }).collect();
        let act = Act::Select { operands: [NOWHERE; 3] };
        check(&mut place, &act, &[&Value::parts(conditions), &a, &b], &ty, &chosen);
        let special = Special::ReduceInteger(IntegerOperation::Xor);
        let act = Act::Special { special, operands: vec![NOWHERE].into() };
        let all = x.iter().fold(0, |all, x| all ^ x);
        check(&mut place, &act, &[&a], &Type::Integer(32), &[all]);
        // The same bits as two halves twice as wide, and back.
        let wide = vector(Type::Integer(64), 2);
        let halves = [x[0] | x[1] << 32, x[2] | x[3] << 32];
        let convert = |from: &Type, to: &Type| Act::Convert {
            conversion: IntegerConversion::Reinterpret,
            operand: NOWHERE,
            from: from.clone(),
            to: to.clone(),
        };
        check(&mut place, &convert(&ty, &wide), &[&a], &wide, &halves);
        let other = place.compute().apply(&convert(&ty, &wide), &[&a], &wide).expect("bits");
        check(&mut place, &convert(&wide, &ty), &[&other], &ty, &x);
    }
}

#[test]
fn sums_of_lanes_go_in_order() {
    let mut place = Place::default();
    let ty = Type::Float(Format::BINARY64);
    let numbers = [1e16, 1.0, -1e16, 1.0];
    let lanes = numbers.map(|number: f64| Word::new(64, number.to_bits().into()));
    let lanes = lanes.iter().map(|word| place.unknown(&ty, word)).collect();
    let special = Special::ReduceFloat(Operation::Add);
    let act = Act::Special { special, operands: vec![NOWHERE; 2].into() };
    let sum = numbers.iter().fold(0.5, |sum, number| sum + number);
    let values = [Value::double(0.5), Value::parts(lanes)];
    check(&mut place, &act, &[&values[0], &values[1]], &ty, &[sum.to_bits()]);
}

#[test]
fn members_in_and_out() {
    let inner = Type::Aggregate(Arc::new(Aggregate::Array {
        element: Type::Integer(8),
        stride: 1,
        length: 3,
    }));
    let outer = Type::Aggregate(Arc::new(Aggregate::Structure {
        members: vec![(0, Type::Integer(32)), (4, inner)],
        size: 8,
    }));
    let mut place = Place::default();
    let set = Act::SetMember { operands: [NOWHERE; 2], path: vec![1, 2].into() };
    let get = |path: &[u32]| Act::Member { operand: NOWHERE, path: path.into() };
    let mut compute = place.compute();
    let whole = [&Value::Undefined, &Value::Small(9)];
    let whole = compute.apply(&set, &whole, &outer).expect("a structure");
    let byte = Type::Integer(8);
    let found = compute.apply(&get(&[1, 2]), &[&whole], &byte);
    assert_eq!(found, Ok(Value::Small(9)));
    let found = compute.apply(&get(&[1, 1]), &[&whole], &byte);
    assert_eq!(found, Ok(Value::Undefined));
    let frozen = compute.apply(&Act::Freeze { operand: NOWHERE }, &[&whole], &outer);
    let frozen = frozen.expect("a structure");
    assert_eq!(frozen.part(1).part(2), &Value::Small(9));
    assert!(matches!(frozen.part(1).part(1), Value::Term(_)));
}
