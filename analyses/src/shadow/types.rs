//! What values of a type look like.

use super::Stuck;
use super::domain::{Domain, ShadowValue, ValueOf};
use nanoscope_program::ir::{Aggregate, Type};

/// Something without a counterpart, in LLVM's words.
pub(super) fn unmodelled(text: &str) -> Stuck {
    Stuck::new(format!("`{}` is not modelled", text.trim()))
}

/// All bits zero.
pub(super) fn zero<D: Domain>(domain: &mut D, ty: &Type) -> ValueOf<D> {
    match ty {
        Type::Void | Type::Integer(_) | Type::Pointer => ShadowValue::Bits(0),
        Type::Float(format) => ShadowValue::Number(domain.decoded(*format, 0)),
        Type::Vector(lane, lanes) => {
            ShadowValue::Parts((0..*lanes).map(|_| zero(domain, lane)).collect())
        }
        Type::Aggregate(aggregate) => {
            let member = |at: u64| match aggregate.member(at) {
                Some((_, ty)) => zero(domain, ty),
                None => ShadowValue::Bits(0),
            };
            ShadowValue::Parts((0..aggregate.count()).map(member).collect())
        }
    }
}

/// The type of a lane, member or element.
pub(super) fn part_type(ty: &Type, at: u64) -> Option<Type> {
    match ty {
        Type::Vector(lane, _) => Some((**lane).clone()),
        Type::Aggregate(aggregate) => match &**aggregate {
            Aggregate::Structure { members, .. } => Some(members.get(at as usize)?.1.clone()),
            Aggregate::Array { element, .. } => Some(element.clone()),
        },
        Type::Void | Type::Integer(_) | Type::Float(_) | Type::Pointer => None,
    }
}
