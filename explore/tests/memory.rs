//! Memory against plain bytes: random loads, stores and copies of known and unknown values, at
//! known and unknown places, evaluated under a model.

mod values;

use nanoscope_explore::Value;
use nanoscope_explore::compute::Trouble;
use nanoscope_explore::memory::{Kind, Memory, ObjectId};
use nanoscope_ieee::{Format, Word};
use nanoscope_program::ir::{Aggregate, Constant, Place as Where, Type};
use nanoscope_term::{BitsOp, Sort, Value as Known};
use std::sync::Arc;
use values::{Place, Random};

/// Two objects and what their bytes should be.
struct Scene {
    place: Place,
    memory: Memory,
    objects: [u64; 2],
    bytes: [Vec<u8>; 2],
}

const SIZE: u64 = 48;

impl Scene {
    fn new() -> Scene {
        let mut memory = Memory::new();
        let objects =
            [0, 1].map(|_| memory.allocate(SIZE, Kind::Global, None).expect("small enough"));
        let bytes = [0, 1].map(|_| vec![0; SIZE as usize]);
        Scene { place: Place::default(), memory, objects, bytes }
    }

    /// A value of a type, known or not, and its bytes.
    fn value(&mut self, random: &mut Random, ty: &Type) -> (Value, Vec<u8>) {
        if let Some(parts) = parts(ty) {
            let mut bytes = vec![0; ty.stored_bytes() as usize];
            let mut values = Vec::new();
            for (offset, part) in parts {
                let (value, inside) = self.value(random, &part);
                bytes[offset..offset + inside.len()].copy_from_slice(&inside);
                values.push(value);
            }
            return (Value::parts(values), bytes);
        }
        let width = ty.bits().expect("a scalar");
        let word = match ty {
            Type::Float(format) => random.encoding(*format),
            _ => random.integer(width),
        };
        let value = if random.below(2) == 0 {
            Value::word(word.clone())
        } else {
            self.place.unknown(ty, &word)
        };
        let bits = word.to_u128().expect("at most 128 bits").to_le_bytes();
        (value, bits[..ty.stored_bytes() as usize].to_vec())
    }

    /// Whether a value is these bytes in the model.
    fn agrees(&mut self, value: &Value, ty: &Type, bytes: &[u8]) -> bool {
        if let Some(parts) = parts(ty) {
            return parts.into_iter().enumerate().all(|(at, (offset, part))| {
                let end = offset + part.stored_bytes() as usize;
                self.agrees(value.part(at), &part, &bytes[offset..end])
            });
        }
        let found = self.place.bits(value, ty).to_u128().expect("at most 128 bits");
        let mut all = [0; 16];
        all[..bytes.len()].copy_from_slice(bytes);
        let width = ty.bits().expect("a scalar");
        Word::new(width, u128::from_le_bytes(all)) == Word::new(width, found)
    }

    /// An address that the model puts at an offset of an object.
    fn unknown_address(&mut self, object: usize, offset: u64, step: u64) -> nanoscope_term::Term {
        let terms = &mut self.place.terms;
        let index = terms.fresh("i", Sort::Bits(64));
        let id = terms.as_variable(index).expect("a variable");
        self.place.model.set(id, Known::bits(64, u128::from(offset / step)));
        let step_term = terms.bits(64, step.into());
        let bytes = terms.bits_op(BitsOp::Mul, &[index, step_term]);
        let base = terms.bits(64, u128::from(self.objects[object] + offset % step));
        terms.bits_op(BitsOp::Add, &[base, bytes])
    }

    fn step(&mut self, random: &mut Random) {
        let object = random.below(2) as usize;
        let ty = random_type(random);
        let size = ty.stored_bytes();
        let offset = random.below(SIZE - size + 1);
        let address = self.objects[object] + offset;
        let range = offset as usize..(offset + size) as usize;
        let step = *random.one_of(&[1, 2, 4, 8, 16]);
        let id = ObjectId::of(address).0;
        match random.below(12) {
            0..=3 => {
                let (value, bytes) = self.value(random, &ty);
                self.memory.store(&mut self.place.compute(), &ty, address, &value).expect("inside");
                write(&mut self.bytes[object][range], &ty, &bytes);
            }
            4..=6 => {
                let value = self.memory.load(&mut self.place.compute(), &ty, address);
                let value = value.expect("inside");
                let bytes = self.bytes[object][range].to_vec();
                assert!(self.agrees(&value, &ty, &bytes), "{ty:?} at {offset}");
            }
            7 => {
                let count = random.below(SIZE / 2);
                let (from, to) = (random.below(SIZE / 2), random.below(SIZE / 2));
                let source = random.below(2) as usize;
                let bytes = self.bytes[source][from as usize..(from + count) as usize].to_vec();
                let (to_address, from_address) =
                    (self.objects[object] + to, self.objects[source] + from);
                let mut compute = self.place.compute();
                self.memory.copy(&mut compute, to_address, from_address, count).expect("inside");
                self.bytes[object][to as usize..(to + count) as usize].copy_from_slice(&bytes);
            }
            8 => {
                let count = random.below(SIZE - offset + 1);
                let (value, bytes) = self.value(random, &Type::Integer(8));
                self.memory
                    .fill(&mut self.place.compute(), address, &value, count)
                    .expect("inside");
                self.bytes[object][offset as usize..(offset + count) as usize].fill(bytes[0]);
            }
            9 | 10 => {
                let address = self.unknown_address(object, offset, step);
                let places = self.memory.places(&self.place.terms, id, address, size, None);
                assert!(places.offsets.contains(&offset) && places.step == step);
                let mut compute = self.place.compute();
                let value = self.memory.load_at(&mut compute, &ty, id, address, &places);
                let bytes = self.bytes[object][range].to_vec();
                assert!(self.agrees(&value, &ty, &bytes), "{ty:?} at unknown {offset}");
            }
            _ => {
                let address = self.unknown_address(object, offset, step);
                let places = self.memory.places(&self.place.terms, id, address, size, None);
                let (value, bytes) = self.value(random, &ty);
                let mut compute = self.place.compute();
                self.memory.store_at(&mut compute, &ty, id, address, &places, &value);
                write(&mut self.bytes[object][range], &ty, &bytes);
            }
        }
    }
}

/// Writes a value's bytes, but not what lies between its parts.
fn write(place: &mut [u8], ty: &Type, bytes: &[u8]) {
    match parts(ty) {
        Some(parts) => {
            for (offset, part) in parts {
                let end = offset + part.stored_bytes() as usize;
                write(&mut place[offset..end], &part, &bytes[offset..end]);
            }
        }
        None => place.copy_from_slice(bytes),
    }
}

fn parts(ty: &Type) -> Option<Vec<(usize, Type)>> {
    match ty {
        Type::Vector(lane, lanes) => {
            let size = lane.stored_bytes() as usize;
            Some((0..*lanes as usize).map(|at| (at * size, Type::clone(lane))).collect())
        }
        Type::Aggregate(aggregate) => Some(
            (0..aggregate.count())
                .map(|at| {
                    let (offset, ty) = aggregate.member(at).expect("a member");
                    (offset as usize, ty.clone())
                })
                .collect(),
        ),
        Type::Void | Type::Integer(_) | Type::Float(_) | Type::Pointer => None,
    }
}

fn random_type(random: &mut Random) -> Type {
    let structure = Aggregate::Structure {
        members: vec![(0, Type::Integer(8)), (8, Type::Float(Format::BINARY64))],
        size: 16,
    };
    let types = [
        Type::Integer(1),
        Type::Integer(8),
        Type::Integer(16),
        Type::Integer(32),
        Type::Integer(33),
        Type::Integer(64),
        Type::Integer(128),
        Type::Pointer,
        Type::Float(Format::BINARY32),
        Type::Float(Format::BINARY64),
        Type::Float(Format::X87),
        Type::Vector(Arc::new(Type::Float(Format::BINARY32)), 4),
        Type::Aggregate(Arc::new(structure)),
    ];
    random.one_of(&types).clone()
}

#[test]
fn random_accesses() {
    let mut random = Random(21);
    for _ in 0..600 {
        let mut scene = Scene::new();
        for _ in 0..25 {
            scene.step(&mut random);
        }
    }
}

#[test]
fn copies_share_and_part() {
    let mut random = Random(22);
    let mut scene = Scene::new();
    for _ in 0..10 {
        scene.step(&mut random);
    }
    let (memory, bytes) = (scene.memory.clone(), scene.bytes.clone());
    for _ in 0..10 {
        scene.step(&mut random);
    }
    scene.memory = memory;
    scene.bytes = bytes;
    for object in 0..2 {
        for offset in 0..SIZE {
            let address = scene.objects[object] + offset;
            let ty = Type::Integer(8);
            let value = scene.memory.load(&mut scene.place.compute(), &ty, address);
            let byte = [scene.bytes[object][offset as usize]];
            assert!(scene.agrees(&value.expect("inside"), &ty, &byte), "{object} {offset}");
        }
    }
}

#[test]
fn values_stay_whole() {
    let mut place = Place::default();
    let mut memory = Memory::new();
    let double = Type::Float(Format::BINARY64);
    let from = memory.allocate(16, Kind::Stack, None).expect("small");
    let to = memory.allocate(16, Kind::Heap, None).expect("small");
    let value = place.unknown(&double, &Word::new(64, 7));
    let mut compute = place.compute();
    memory.store(&mut compute, &double, from + 8, &value).expect("inside");
    memory.copy(&mut compute, to, from, 16).expect("inside");
    assert_eq!(memory.load(&mut compute, &double, to + 8), Ok(value.clone()));
    // Byte by byte, too, it is the same float again.
    for at in 0..8 {
        let byte = Type::Integer(8);
        let part = memory.load(&mut compute, &byte, from + 8 + at).expect("inside");
        memory.store(&mut compute, &byte, to + at, &part).expect("inside");
    }
    assert_eq!(memory.load(&mut compute, &double, to), Ok(value));
}

#[test]
fn what_was_never_written_stays_the_same() {
    let mut place = Place::default();
    let mut memory = Memory::new();
    let word = Type::Integer(32);
    let at = memory.allocate(8, Kind::Stack, None).expect("small");
    let mut compute = place.compute();
    let first = memory.load(&mut compute, &word, at).expect("inside");
    assert!(!first.is_known());
    assert_eq!(memory.load(&mut compute, &word, at), Ok(first.clone()));
    memory.store(&mut compute, &Type::Integer(8), at + 1, &Value::Small(5)).expect("inside");
    let second = memory.load(&mut compute, &word, at).expect("inside");
    assert_ne!(second, first);
    memory.store(&mut compute, &word, at + 4, &Value::Small(9)).expect("inside");
    assert_eq!(memory.load_known(&word, at), None);
    assert_eq!(memory.load(&mut compute, &word, at + 4), Ok(Value::Small(9)));
}

#[test]
fn troubles() {
    let mut place = Place::default();
    let mut memory = Memory::new();
    let mut compute = place.compute();
    let int = Type::Integer(32);
    let local = memory.allocate(4, Kind::Stack, Some("x".into())).expect("small");
    let heap = memory.allocate(8, Kind::Heap, None).expect("small");
    let constant = memory.allocate(4, Kind::Constant, None).expect("small");
    let function = memory.allocate(1, Kind::Function, None).expect("small");
    let id = |address: u64| ObjectId::of(address).0;
    let mut load = |memory: &mut Memory, address| memory.load(&mut compute, &int, address);
    assert_eq!(load(&mut memory, 0), Err(Trouble::Null));
    assert_eq!(load(&mut memory, 16), Err(Trouble::Null));
    assert_eq!(load(&mut memory, 0xdead_beef_0000), Err(Trouble::Wild));
    assert_eq!(load(&mut memory, local + 1), Err(Trouble::OutOfBounds(id(local))));
    assert_eq!(load(&mut memory, heap + 5), Err(Trouble::OutOfBounds(id(heap))));
    assert!(load(&mut memory, local.wrapping_sub(4)).is_err());
    assert_eq!(load(&mut memory, function), Err(Trouble::NotData(id(function))));
    assert_eq!(load(&mut memory, constant), Ok(Value::Small(0)));
    assert_eq!(
        memory.explain(Trouble::OutOfBounds(id(local))),
        "out of bounds: local variable of 4 bytes `x`"
    );
    let zero = Value::Small(0);
    let mut compute = place.compute();
    let stored = memory.store(&mut compute, &int, constant, &zero);
    assert_eq!(stored, Err(Trouble::ReadOnly(id(constant))));
    assert_eq!(memory.free(heap + 4), Err(Trouble::InvalidFree));
    assert_eq!(memory.free(local), Err(Trouble::InvalidFree));
    assert_eq!(memory.free(0), Ok(()));
    assert_eq!(memory.free(heap), Ok(()));
    assert_eq!(memory.free(heap), Err(Trouble::DoubleFree(id(heap))));
    let loaded = memory.load(&mut compute, &int, heap);
    assert_eq!(loaded, Err(Trouble::UseAfterFree(id(heap))));
    memory.end_local(id(local));
    let loaded = memory.load(&mut compute, &int, local);
    assert_eq!(loaded, Err(Trouble::UseAfterReturn(id(local))));
    let again = memory.reallocate(&mut compute, heap, 4);
    assert_eq!(again, Err(Trouble::DoubleFree(id(heap))));
    assert_eq!(memory.allocate(1 << 40, Kind::Heap, None), Err(Trouble::TooLarge));
}

#[test]
fn many_locals_cost_little() {
    let mut memory = Memory::new();
    let keep = memory.allocate(4, Kind::Global, None).expect("small");
    for _ in 0..100_000 {
        let local = memory.allocate(4, Kind::Stack, None).expect("small");
        assert!(memory.store_known(&Type::Integer(32), local, &Value::Small(1)));
        memory.end_local(ObjectId::of(local).0);
    }
    assert_eq!(memory.living().count(), 1);
    assert_eq!(memory.load_known(&Type::Integer(32), keep), Some(Value::Small(0)));
    assert_eq!(memory.target(64 << 40), Err(Trouble::UseAfterReturn(ObjectId(64 << 8))));
}

#[test]
fn initial_values_and_strings() {
    let mut place = Place::default();
    let mut memory = Memory::new();
    let id = memory.allocate(24, Kind::Global, None).expect("small");
    let structure = Type::Aggregate(Arc::new(Aggregate::Structure {
        members: vec![
            (0, Type::Integer(32)),
            (8, Type::Pointer),
            (
                16,
                Type::Aggregate(Arc::new(Aggregate::Array {
                    element: Type::Integer(8),
                    stride: 1,
                    length: 4,
                })),
            ),
        ],
        size: 24,
    }));
    let constant = Constant::Parts(
        structure.clone(),
        Arc::new([
            Constant::Integer(Word::new(32, 7)),
            Constant::Address { of: Where::Nowhere, offset: 99 },
            Constant::Bytes(Arc::new(*b"abc\0")),
        ]),
    );
    memory.initialise(ObjectId::of(id).0, 0, &structure, &constant, &|_| 0);
    assert_eq!(memory.load_known(&Type::Integer(32), id), Some(Value::Small(7)));
    assert_eq!(memory.load_known(&Type::Pointer, id + 8), Some(Value::Small(99)));
    assert_eq!(memory.read_known_string(id + 16), Some(b"abc".to_vec()));
    assert_eq!(memory.read_bytes(id + 17, 2), Some(b"bc".to_vec()));
    let mut compute = place.compute();
    memory.write_bytes(&mut compute, id + 16, b"xyz").expect("inside");
    assert_eq!(memory.read_known_string(id + 17), Some(b"yz".to_vec()));
    let unknown = compute.unknown("c", &Type::Integer(8));
    memory.store(&mut compute, &Type::Integer(8), id + 18, &unknown).expect("inside");
    assert_eq!(memory.read_known_string(id + 16), None);
    assert_eq!(memory.read_bytes(id + 16, 2), Some(b"xy".to_vec()));
    let whole = memory.load(&mut compute, &structure, id).expect("inside");
    assert_eq!(whole.part(0), &Value::Small(7));
    assert_eq!(whole.part(2).part(2), &unknown);
}
