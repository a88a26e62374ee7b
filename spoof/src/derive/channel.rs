//! How a function that nobody described tells of trouble: by its integers, and by errno.

use crate::prototype::{Binary, Expression, Intent, Kind, Parameter, Scalar, USUAL};

/// What a function takes or gives back, as it was declared.
pub(super) struct Said {
    pub parameter: Parameter,
    /// Whether it is a truth value.
    pub truth: bool,
}

/// What the function says by an integer is not known; that it says something else than usual is.
pub(super) fn reports(said: &[Said]) -> Vec<(Expression, String)> {
    let mut reports = Vec::new();
    for Said { parameter: p, truth } in said {
        let name = || Expression::Name(p.name.clone());
        let usual = || Expression::Name(format!("{}{USUAL}", p.name));
        let is = |operation, of: Expression, number| {
            let number = Expression::Literal(Scalar::Integer(number));
            Expression::Binary(operation, Box::new(of), Box::new(number))
        };
        let and = |a, b| Expression::Binary(Binary::And, Box::new(a), Box::new(b));
        let other = || Expression::Binary(Binary::NotEqual, Box::new(name()), Box::new(usual()));
        let whole = |of: Expression| {
            let one = Expression::Literal(Scalar::Integer(1));
            let rest = Expression::Binary(Binary::Remainder, Box::new(of), Box::new(one));
            is(Binary::Equal, rest, 0)
        };
        let told = format!("{0} != {0}{USUAL}", p.name);
        match channel(p, *truth) {
            None => {}
            Some(Channel::Other) => reports.push((other(), told)),
            Some(Channel::Whole) => {
                reports.push((and(other(), and(whole(name()), whole(usual()))), told));
            }
            Some(Channel::Success) => {
                let few = is(Binary::LessEqual, usual(), 1);
                let none = is(Binary::LessEqual, name(), 0);
                let either = Expression::Binary(Binary::Or, Box::new(few), Box::new(none));
                reports.push((and(other(), either), told));
            }
            Some(Channel::Negative) => {
                let both = and(is(Binary::Less, name(), 0), is(Binary::GreaterEqual, usual(), 0));
                reports.push((both, format!("{0} < 0 and {0}{USUAL} >= 0", p.name)));
            }
        }
    }
    let zero = Expression::Literal(Scalar::Integer(0));
    let errno = Expression::Name("errno".to_string());
    let set = Expression::Binary(Binary::NotEqual, Box::new(errno), Box::new(zero));
    reports.push((set, "errno != 0".to_string()));
    reports
}

/// How an output of a function that nobody described tells of trouble.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Channel {
    /// By another value than usual.
    Other,
    /// The same, if both are whole numbers: others are estimates.
    Whole,
    /// By another value than a usual 0 or 1; what usually is more counts something, and tells of trouble if it is 0 or
    /// negative.
    Success,
    /// By a negative value: what counts, and what is an index, may well differ.
    Negative,
}

fn channel(p: &Parameter, truth: bool) -> Option<Channel> {
    match (p.intent, p.kind) {
        (Intent::Return | Intent::InOut, Kind::Integer) if truth => Some(Channel::Other),
        (Intent::Return, Kind::Integer) if p.inside.is_none() => Some(Channel::Success),
        (Intent::Return | Intent::InOut, Kind::Integer) => Some(channel_by_name(&p.name)),
        // A number can be a flag, as BLAS's srotm has one: its name must say so.
        (Intent::InOut, Kind::Real) if reports_by(&p.name) => Some(Channel::Whole),
        (Intent::InOut | Intent::Return, Kind::Character | Kind::Real | Kind::Complex)
        | (Intent::In | Intent::Out, _) => None,
    }
}

/// The same for an integer, of which only the name is known.
pub(crate) fn channel_by_name(name: &str) -> Channel {
    if reports_by(name) { Channel::Other } else { Channel::Negative }
}

/// Whether what has this name is for telling of trouble. Of a field, the field's own name counts.
pub(super) fn reports_by(name: &str) -> bool {
    let mut name = name.rsplit('.').next().unwrap_or(name).to_ascii_lowercase();
    // What sounds like it.
    for other in ["state", "static", "statist", "encod", "decod"] {
        name = name.replace(other, "_");
    }
    let part = ["info", "err", "stat", "flag", "fail", "code", "valid", "success", "converged"];
    let whole = ["ok", "ier", "ios", "rc", "ret", "good", "bad"];
    part.iter().any(|word| name.contains(word))
        || name.split('_').any(|piece| whole.contains(&piece))
}
