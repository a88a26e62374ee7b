//! FPCores whose body is a loop that does not end by itself, or only after too many trips: as
//! recurrences.

use super::lower::{Around, Lowerer, Lowering, Refusal, Scope, outputs};
use super::syntax::{Core, Expression, ExpressionKind};
use crate::graph::{Input, InputError, NodeId, Precision};
use crate::prove::recurrence::Recurrence;

/// The trips that are tried at once: more of them let correlated states cancel.
pub const TRIPS: [usize; 3] = [1, 4, 16];

/// The recurrence of an FPCore, so many trips at once. Refused where the body is no loop, where
/// the loop may end at different times in floats and in reals, or where it branches.
pub fn recurrence(core: &Core, options: &Lowering, trips: usize) -> Result<Recurrence, Refusal> {
    let refused = || Refusal::Loop(core.place);
    let mut lowerer = Lowerer::new(options);
    let mut scope = lowerer.arguments(core)?;
    let precision = lowerer.precision(&core.context, core.place)?;
    let around = Around { context: core.context.clone(), precision };
    let bodies = outputs(&core.body);
    // The lets around the loop.
    let mut body = bodies.first().ok_or_else(refused)?;
    while let ExpressionKind::Let { sequential, bindings, body: inner } = &body.kind {
        let outer = scope.clone();
        for (name, value) in bindings {
            let seen = if *sequential { &scope } else { &outer };
            let node = lowerer.single(value, seen, &around)?;
            scope.insert(name.clone(), node);
        }
        body = inner;
    }
    let ExpressionKind::While { sequential, condition, updates, .. } = &body.kind else {
        return Err(refused());
    };
    let results: Vec<&Expression> = bodies.iter().filter_map(result).collect();
    let kept = needed(&results, updates);
    if !ends_together(condition, updates, &kept) {
        return Err(refused());
    }
    let updates: Vec<_> = updates.iter().filter(|(name, ..)| kept.contains(name)).collect();
    let mut first = scope.clone();
    let mut states = Vec::new();
    for (name, value, _) in &updates {
        let seen = if *sequential { &first } else { &scope };
        let node = lowerer.single(value, seen, &around)?;
        first.insert(name.clone(), node);
        states.push((name.clone(), node));
    }
    let mut current = scope.clone();
    let mut places = Vec::new();
    for (name, node) in &states {
        let place = lowerer.graph.inputs().len();
        let precision = match lowerer.graph.node(*node).precision {
            Precision::Exact => precision,
            own => own,
        };
        let input = Input {
            name: name.clone(),
            low: None,
            high: None,
            integer: false,
            error: InputError::Absolute(0.0),
        };
        let state = lowerer.graph.input(input, precision, 0);
        current.insert(name.clone(), state);
        places.push((place, *node));
    }
    let mut after = Vec::new();
    let show = |lowerer: &mut Lowerer<'_>, scope: &Scope| {
        let nodes = results.iter().map(|result| lowerer.single(result, scope, &around));
        nodes.collect::<Result<Vec<_>, _>>()
    };
    for _ in 0..trips {
        after.push(show(&mut lowerer, &current)?);
        let mut moved = current.clone();
        for (name, _, update) in &updates {
            let seen = if *sequential { &moved } else { &current };
            let node = lowerer.single(update, seen, &around)?;
            moved.insert(name.clone(), node);
        }
        current = moved;
    }
    let next: Vec<NodeId> = updates.iter().map(|(name, ..)| current[name]).collect();
    for (&node, &(place, _)) in next.iter().zip(&places) {
        // A state keeps its format.
        if Some(lowerer.graph.node(node).precision) != lowerer.graph.input_precision(place) {
            return Err(refused());
        }
    }
    Ok(Recurrence { graph: lowerer.graph, states: places, next, results: after })
}

/// What is computed of the state in the end.
fn result(body: &Expression) -> Option<&Expression> {
    match &body.kind {
        ExpressionKind::Let { body, .. } => result(body),
        ExpressionKind::While { body, .. } => Some(body),
        ExpressionKind::Number(_)
        | ExpressionKind::Symbol(_)
        | ExpressionKind::Apply(..)
        | ExpressionKind::If(_)
        | ExpressionKind::Annotated(..) => None,
    }
}

type Updates = [(String, Expression, Expression)];

/// The variables that the results depend on, through the updates.
fn needed(results: &[&Expression], updates: &Updates) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut pending: Vec<&Expression> = results.to_vec();
    while let Some(expression) = pending.pop() {
        for (name, first, update) in updates {
            if !names.contains(name) && mentions(expression, name) {
                names.push(name.clone());
                pending.push(update);
                pending.push(first);
            }
        }
    }
    names
}

fn mentions(expression: &Expression, name: &str) -> bool {
    let any = |parts: &[Expression]| parts.iter().any(|part| mentions(part, name));
    match &expression.kind {
        ExpressionKind::Number(_) => false,
        ExpressionKind::Symbol(symbol) => symbol == name,
        ExpressionKind::Apply(_, operands) => any(operands),
        ExpressionKind::If(parts) => any(parts.as_ref()),
        ExpressionKind::Let { bindings, body, .. } => {
            bindings.iter().any(|(_, value)| mentions(value, name)) || mentions(body, name)
        }
        ExpressionKind::While { condition, updates, body, .. } => {
            mentions(condition, name)
                || mentions(body, name)
                || updates.iter().any(|(_, a, b)| mentions(a, name) || mentions(b, name))
        }
        ExpressionKind::Annotated(_, inner) => mentions(inner, name),
    }
}

/// Whether floats and reals leave the loop after the same number of trips: never, or when a counter
/// of whole numbers says so.
fn ends_together(condition: &Expression, updates: &Updates, kept: &[String]) -> bool {
    match &condition.kind {
        ExpressionKind::Symbol(name) => name == "TRUE",
        ExpressionKind::Apply(operator, operands) => {
            ["<", "<=", ">", ">=", "!="].contains(&operator.as_str())
                && operands.iter().all(|operand| match &operand.kind {
                    ExpressionKind::Number(value) => value.is_integer(),
                    ExpressionKind::Symbol(name) => {
                        updates.iter().any(|(variable, first, update)| {
                            variable == name && !kept.contains(name) && counts(name, first, update)
                        })
                    }
                    _ => false,
                })
        }
        _ => false,
    }
}

/// Whether a variable begins with a whole number and grows by one at each trip.
fn counts(name: &str, first: &Expression, update: &Expression) -> bool {
    let whole = |expression: &Expression| match &expression.kind {
        ExpressionKind::Number(value) => value.is_integer(),
        _ => false,
    };
    let itself = |expression: &Expression| match &expression.kind {
        ExpressionKind::Symbol(symbol) => symbol == name,
        _ => false,
    };
    let steps = match &update.kind {
        ExpressionKind::Apply(operator, operands) if operator == "+" => match operands.as_slice() {
            [a, b] => itself(a) && whole(b) || whole(a) && itself(b),
            _ => false,
        },
        _ => false,
    };
    whole(first) && steps
}
