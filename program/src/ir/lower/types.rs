//! LLVM's types as ours.

use super::Lowerer;
use crate::ir::{Aggregate, Type};
use crate::llvm::{self, TypeKind};
use std::sync::Arc;

impl Lowerer<'_> {
    /// The type; `Void` for what has no counterpart (see [`representable`]).
    pub fn ty(&mut self, ty: llvm::Type) -> Type {
        if let Some(known) = self.types.get(&ty) {
            return known.clone();
        }
        let made = match ty.kind() {
            TypeKind::Float(format) => Type::Float(format),
            TypeKind::Integer(bits) => Type::Integer(bits),
            TypeKind::Pointer => Type::Pointer,
            TypeKind::Vector(lane, lanes) => Type::Vector(Arc::new(self.ty(lane)), lanes),
            TypeKind::Structure if ty.is_opaque() => Type::Void,
            TypeKind::Structure => {
                let offset = |i: usize| self.module.offset_of(ty, i as u32);
                let members: Vec<_> =
                    ty.members().into_iter().enumerate().map(|(i, m)| (offset(i), m)).collect();
                let members = members.into_iter().map(|(at, m)| (at, self.ty(m))).collect();
                let size = self.module.size_of(ty);
                Type::Aggregate(Arc::new(Aggregate::Structure { members, size }))
            }
            TypeKind::Array(element, length) => {
                let stride = self.module.size_of(element);
                let element = self.ty(element);
                Type::Aggregate(Arc::new(Aggregate::Array { element, stride, length }))
            }
            TypeKind::Void | TypeKind::Other => Type::Void,
        };
        self.types.insert(ty, made.clone());
        made
    }
}

/// Whether a type has a counterpart here: scalable vectors, tokens and tiles have none.
pub fn representable(ty: llvm::Type) -> bool {
    match ty.kind() {
        TypeKind::Float(_) | TypeKind::Integer(_) | TypeKind::Void => true,
        TypeKind::Pointer => ty.address_space() == 0,
        TypeKind::Vector(element, _) | TypeKind::Array(element, _) => representable(element),
        TypeKind::Structure => !ty.is_opaque() && ty.members().into_iter().all(representable),
        TypeKind::Other => false,
    }
}
