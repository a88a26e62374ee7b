//! Calls of external functions: natively where their arguments are known, else as the options say.

use super::access;
use super::world::Site;
use crate::environment::RoundingMode;
use crate::external::{NativeAnswer, NativeCall, UnknownArguments};
use crate::library::{Call, Detour, is_modelled_libm, is_pure};
use crate::machine::Machine;
use crate::state::{Concretising, State};
use crate::{How, Value};
use nanoscope_ieee::{Rounding, Word};
use nanoscope_program::ir::{FunctionId, LocationId, Type};
use nanoscope_term::{Term, Value as Known};

/// Values of unknown arguments that are tried beside a path on which the result is unknown, at most.
const VALUES: u32 = 3;

/// Answers a call natively, if this is the way to answer it. `None`: there is a better way, or none.
pub(super) fn answer(
    machine: &mut Machine,
    state: &mut State,
    id: FunctionId,
    call: &Call,
    at: LocationId,
) -> Option<Result<Value, Detour>> {
    let options = &machine.options.external;
    options.caller.as_ref()?;
    let name = native_name(call.name);
    if !(is_pure(name) || options.pure.contains(name)) || call.types.iter().any(|ty| !is_scalar(ty))
    {
        return None;
    }
    let RoundingMode::Known(rounding) = state.environment.rounding else { return None };
    let modelled = machine.model(id).is_some();
    // The model of libm computes with the machine's own functions, but only in these formats and
    // this mode.
    let exact = modelled
        && !(is_modelled_libm(name)
            && (!is_plain(call.result) || rounding != Rounding::NearestEven));
    // Which flags a function raises no model of libm knows.
    let flags_matter = state.environment.tracked && is_modelled_libm(name);
    let by_model = exact && options.unknown != UnknownArguments::Concretise;
    if by_model && !flags_matter {
        return None;
    }
    let terms: Vec<Term> = call
        .arguments
        .iter()
        .zip(call.types)
        .map(|(value, ty)| machine.compute(state).bits_of(value, ty))
        .collect();
    let known = terms.iter().map(|term| known_bits(machine, state, *term));
    if let Some(arguments) = known.collect::<Option<Vec<Word>>>() {
        return native(machine, state, id, call, rounding, arguments).map(Ok);
    }
    if by_model {
        return None;
    }
    match (machine.options.external.unknown, state.concretising) {
        (UnknownArguments::AnyResult, _) => None,
        (UnknownArguments::Concretise, _) => {
            let told = format!("{name} is called with one value of its arguments");
            state.assume(&told);
            Some(concretised(machine, state, id, call, rounding, &terms)?)
        }
        (UnknownArguments::Both, Concretising::Next(left)) => {
            if left > 0 {
                let others = differ(machine, state, &terms);
                machine.spawn_again(state, others, Concretising::Next(left - 1));
            }
            state.concretising = Concretising::Done;
            let told = format!("{name} is called with one of many values of its arguments");
            state.remark(&told);
            Some(concretised(machine, state, id, call, rounding, &terms)?)
        }
        (UnknownArguments::Both, Concretising::No) => {
            let always = machine.terms.bool(true);
            machine.spawn_again(state, always, Concretising::Next(VALUES - 1));
            state.remark(&format!("{name} is not modelled here: any result"));
            (!modelled).then(|| Ok(any_result(machine, state, call, at)))
        }
        // One unknown argument a path is concretised; more would multiply.
        (UnknownArguments::Both, Concretising::Done) => {
            (!modelled).then(|| Ok(any_result(machine, state, call, at)))
        }
    }
}

/// Any result of a function without effects: an over-approximation, which proofs survive.
fn any_result(machine: &mut Machine, state: &mut State, call: &Call, at: LocationId) -> Value {
    use crate::library::World;
    machine.note_open(at, format!("calls {}, which is not modelled", call.name));
    match call.result {
        Type::Void => Value::Undefined,
        ty => {
            Site { machine, state }.input(How::ExternalResult(call.name.to_owned()), call.name, ty)
        }
    }
}

/// The call with the arguments that the path's witness has, which are its only ones from here on.
fn concretised(
    machine: &mut Machine,
    state: &mut State,
    id: FunctionId,
    call: &Call,
    rounding: Rounding,
    terms: &[Term],
) -> Option<Result<Value, Detour>> {
    let mut arguments = Vec::new();
    for term in terms {
        let value = state.path.value(&machine.terms, *term);
        let word = match &value {
            Known::Bits(word) => word.clone(),
            Known::Bool(truth) => Word::new(1, (*truth).into()),
            Known::Float(..) | Known::Rounding(_) | Known::Array(_) => return None,
        };
        let constant = machine.terms.constant(value.clone());
        let same = machine.terms.equal(*term, constant);
        state.path.assume(&mut machine.terms, same);
        state.path.pin(*term, value);
        arguments.push(word);
    }
    native(machine, state, id, call, rounding, arguments).map(Ok)
}

/// That the arguments are not what they are under the path's witness.
fn differ(machine: &mut Machine, state: &State, terms: &[Term]) -> Term {
    let mut sides = Vec::new();
    for term in terms {
        let value = state.path.value(&machine.terms, *term);
        let constant = machine.terms.constant(value);
        let same = machine.terms.equal(*term, constant);
        sides.push(machine.terms.not(same));
    }
    machine.terms.or(&sides)
}

/// Calls natively, and does to the state what the function did to the world.
fn native(
    machine: &mut Machine,
    state: &mut State,
    id: FunctionId,
    call: &Call,
    rounding: Rounding,
    arguments: Vec<Word>,
) -> Option<Value> {
    let int = Type::Integer(32);
    let errno_at = machine.errno.map(Value::Small);
    let errno = match &errno_at {
        Some(place) => access::load(machine, state, place, &int).ok()?.as_small()? as u32 as i32,
        None => 0,
    };
    let name = native_name(call.name);
    let request = NativeCall { function: id, name, arguments, rounding, errno };
    let caller = machine.options.external.caller.as_ref()?;
    let NativeAnswer { result, errno: after, raised } = caller.call(&request)?;
    if let Some(place) = errno_at.filter(|_| after != errno) {
        let value = Value::Small(u64::from(after as u32));
        access::store(machine, state, &place, &int, value).ok()?;
    }
    state.environment.raise(raised);
    Some(match call.result.bits() {
        Some(width) => Value::bits(width, result),
        None => Value::Undefined,
    })
}

/// The bits of an argument, as far as the path fixes them.
fn known_bits(machine: &Machine, state: &State, term: Term) -> Option<Word> {
    match state.path.fixed(&machine.terms, term)? {
        Known::Bits(word) => Some(word.clone()),
        Known::Bool(truth) => Some(Word::new(1, (*truth).into())),
        Known::Float(..) | Known::Rounding(_) | Known::Array(_) => None,
    }
}

/// The name that libraries know a function by.
fn native_name(name: &str) -> &str {
    name.strip_prefix("nanoscope_").unwrap_or(name)
}

fn is_scalar(ty: &Type) -> bool {
    matches!(ty, Type::Integer(_) | Type::Float(_))
}

/// Whether the solver knows libm in this format.
fn is_plain(ty: &Type) -> bool {
    use nanoscope_ieee::Format;
    matches!(ty, Type::Float(Format::BINARY32 | Format::BINARY64))
}
