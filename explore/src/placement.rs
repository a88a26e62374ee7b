//! Where a program's globals and functions lie, and what its constants are.

use crate::Value;
use crate::memory::{Kind, Memory, ObjectId};
use nanoscope_program::ir::{Code, FunctionId, Place};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The library's own variable behind `errno`.
const ERRNO: &str = "nanoscope_error_number";

/// Where everything of a program lies.
pub struct Placed {
    /// The program's constants as values.
    pub constants: Vec<Value>,
    /// The functions by address.
    pub functions: BTreeMap<u64, FunctionId>,
    /// The globals with their initial values.
    pub memory: Memory,
    /// Where the library's own `errno` lies, if the program has it.
    pub errno: Option<u64>,
}

/// Gives functions and globals their places, and constants their values.
pub fn place(code: &Code) -> Placed {
    const FITS: &str = "an object of the program fits into memory";
    let mut memory = Memory::new();
    let mut functions = Vec::new();
    for function in &code.functions {
        // The addresses of blocks lie within.
        let size = function.blocks.len() as u64 + 1;
        let name = Some(Arc::from(&function.source_name[..]));
        functions.push(memory.allocate(size, Kind::Function, name).expect(FITS));
    }
    let mut globals = Vec::new();
    for global in &code.globals {
        let kind = match (&global.initial, global.constant) {
            (Some(_), true) => Kind::Constant,
            (Some(_), false) => Kind::Global,
            // What it holds is not known: as of a variable that nobody has written.
            (None, _) => Kind::Stack,
        };
        let name = Some(Arc::from(&global.name[..]));
        globals.push(memory.allocate(global.size, kind, name).expect(FITS));
    }
    let address = |place: Place| match place {
        Place::Nowhere => 0,
        Place::Global(id) => globals[id.0 as usize],
        Place::Function(id) => functions[id.0 as usize],
    };
    for (global, at) in code.globals.iter().zip(&globals) {
        if let Some(initial) = &global.initial {
            memory.initialise(ObjectId::of(*at).0, 0, &global.ty, initial, &address);
        }
    }
    let errno = code.globals.iter().position(|global| global.name == ERRNO).map(|at| globals[at]);
    let constants =
        code.constants.iter().map(|(_, constant)| Value::of_constant(constant, &address));
    Placed {
        constants: constants.collect(),
        functions: (0..).map(FunctionId).zip(&functions).map(|(id, at)| (*at, id)).collect(),
        memory,
        errno,
    }
}
