//! Global variables and their initial contents.

use crate::memory::address::ObjectId;
use crate::memory::contents::Contents;
use nanoscope_program::ir::Code;
use std::cell::OnceCell;
use std::rc::Rc;

/// The initial contents of global variables, made when first read.
pub struct Globals<'c> {
    code: &'c Code,
    contents: Vec<OnceCell<Rc<Contents>>>,
}

impl<'c> Globals<'c> {
    /// The globals of a program.
    pub fn new(code: &'c Code) -> Globals<'c> {
        let contents = code.globals.iter().map(|_| OnceCell::new()).collect();
        Globals { code, contents }
    }

    /// The initial contents of a global variable.
    pub fn initial(&self, object: ObjectId) -> Option<Rc<Contents>> {
        let ObjectId::Global(id) = object else { return None };
        let contents = self.contents[id.0 as usize].get_or_init(|| {
            let global = self.code.global(id);
            Rc::new(match &global.initial {
                Some(initial) => Contents::constant(global.size, initial, &global.ty),
                None => Contents::unknown((global.size > 0).then_some(global.size)),
            })
        });
        Some(Rc::clone(contents))
    }

    /// Whether an object is never written to.
    pub fn is_constant(&self, object: ObjectId) -> bool {
        match object {
            ObjectId::Global(id) => self.code.global(id).constant,
            ObjectId::Function(_) => true,
            ObjectId::Allocated { .. }
            | ObjectId::Given(_)
            | ObjectId::Inputs
            | ObjectId::Outputs => false,
        }
    }

    /// Whether an object always holds its initial contents: a constant that is defined here.
    pub fn is_fixed(&self, object: ObjectId) -> bool {
        match object {
            ObjectId::Global(id) => {
                self.code.global(id).constant && self.code.global(id).initial.is_some()
            }
            ObjectId::Function(_)
            | ObjectId::Allocated { .. }
            | ObjectId::Given(_)
            | ObjectId::Inputs
            | ObjectId::Outputs => false,
        }
    }
}
