//! FPCores to graphs: loops unrolled, branches as pieces, preconditions as ranges and assumptions.

use super::constants;
use super::precondition::{Ends, collect, pass_on};
use super::read::Place;
use super::syntax::{Context, Core, Expression, ExpressionKind};
use crate::graph::tape::{Folder, Tape};
use crate::graph::{
    Comparison, Graph, Input, InputError, NodeId, Operation, Piece, Precision, Relation, Rounds,
};
use crate::prove::local::Local;
use nanoscope_ieee::{Float, Format, Libm, Rational, Rounding};
use nanoscope_search::Budget;
use num_traits::Zero;
use std::collections::BTreeMap;
use std::fmt;

/// How FPCores are made into graphs.
#[derive(Clone, Debug)]
pub struct Lowering {
    /// Ranges that replace those of `:pre`, by argument.
    pub ranges: BTreeMap<String, (Rational, Rational)>,
    /// The error of every argument that `input_errors` does not name.
    pub input_error: InputError,
    /// The errors of single arguments.
    pub input_errors: BTreeMap<String, InputError>,
    /// How operations round where no `:round` says so.
    pub rounds: Rounds,
    /// Graphs of loops may become so large.
    pub nodes: usize,
    /// So many ways through branches are told apart.
    pub ways: usize,
    /// Whether the ways through a branch or a loop are joined where it ends: as choices.
    pub joined: bool,
    /// A loop that is not unrolled when this is exhausted goes on for too long.
    pub budget: Budget,
}

impl Default for Lowering {
    fn default() -> Lowering {
        Lowering {
            ranges: BTreeMap::new(),
            input_error: InputError::None,
            input_errors: BTreeMap::new(),
            rounds: Rounds::default(),
            nodes: 400_000,
            ways: 64,
            joined: false,
            budget: Budget::unlimited(),
        }
    }
}

/// An FPCore as a graph.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The computation.
    pub graph: Graph,
    /// The ways through it.
    pub pieces: Vec<Piece>,
    /// What the tags of the graph stand for.
    pub places: Vec<Place>,
}

/// Why an FPCore is not a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The loop here goes on for too long, or nobody knows for how long.
    Loop(Place),
    /// Something here is not supported.
    Unsupported(Place, String),
    /// An argument's range is empty.
    EmptyRange(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Loop(place) => write!(f, "loop at {}:{}", place.line, place.column),
            Refusal::Unsupported(place, what) => {
                write!(f, "{}:{}: {what}", place.line, place.column)
            }
            Refusal::EmptyRange(name) => write!(f, "the range of {name} is empty"),
        }
    }
}

/// Makes a graph of an FPCore.
pub fn lower(core: &Core, options: &Lowering) -> Result<Lowered, Refusal> {
    let mut lowerer =
        Lowerer { options, graph: Graph::new(), places: Vec::new(), folder: Folder::default() };
    let scope = lowerer.arguments(core)?;
    let precision = lowerer.precision(&core.context, core.place)?;
    let around = Around { context: core.context.clone(), precision };
    let mut results = vec![(Vec::new(), Vec::new())];
    for output in outputs(&core.body) {
        results = lowerer.extend(results, &output, &scope, &around)?;
    }
    let pieces =
        results.into_iter().map(|(conditions, outputs)| Piece::new(conditions, outputs)).collect();
    Ok(Lowered { graph: lowerer.graph, pieces, places: lowerer.places })
}

/// Whether arguments have values at all.
pub fn admits(core: &Core, options: &Lowering) -> Result<(), Refusal> {
    match Lowerer::new(options).arguments(core) {
        Err(refusal @ Refusal::EmptyRange(_)) => Err(refusal),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// The results of a body: several where it ends in an array, each with the lets and loops around.
pub(super) fn outputs(body: &Expression) -> Vec<Expression> {
    let around = |inner: &Expression, wrap: &dyn Fn(Box<Expression>) -> ExpressionKind| {
        let wrapped = |inner| Expression { kind: wrap(Box::new(inner)), place: body.place };
        outputs(inner).into_iter().map(wrapped).collect()
    };
    match &body.kind {
        ExpressionKind::Apply(name, members) if name == "array" => members.clone(),
        ExpressionKind::Let { sequential, bindings, body: inner } => around(inner, &|body| {
            ExpressionKind::Let { sequential: *sequential, bindings: bindings.clone(), body }
        }),
        ExpressionKind::While { sequential, condition, updates, body: inner } => {
            around(inner, &|body| ExpressionKind::While {
                sequential: *sequential,
                condition: condition.clone(),
                updates: updates.clone(),
                body,
            })
        }
        ExpressionKind::Annotated(context, inner) => {
            around(inner, &|body| ExpressionKind::Annotated(context.clone(), body))
        }
        ExpressionKind::Number(_)
        | ExpressionKind::Symbol(_)
        | ExpressionKind::Apply(..)
        | ExpressionKind::If(_) => vec![body.clone()],
    }
}

type Way = Vec<Comparison>;
/// The nodes of names.
pub(super) type Scope = BTreeMap<String, NodeId>;

/// How to round where an expression stands.
#[derive(Clone)]
pub(super) struct Around {
    pub(super) context: Context,
    pub(super) precision: Precision,
}

/// Makes a graph.
pub(super) struct Lowerer<'o> {
    options: &'o Lowering,
    pub(super) graph: Graph,
    places: Vec<Place>,
    folder: Folder,
}

impl<'o> Lowerer<'o> {
    /// An empty graph.
    pub(super) fn new(options: &'o Lowering) -> Lowerer<'o> {
        Lowerer { options, graph: Graph::new(), places: Vec::new(), folder: Folder::default() }
    }

    /// The node of an expression without branches.
    pub(super) fn single(
        &mut self,
        expression: &Expression,
        scope: &Scope,
        around: &Around,
    ) -> Result<NodeId, Refusal> {
        match self.number(expression, scope, around, Vec::new())?.as_slice() {
            [(_, node)] => Ok(*node),
            _ => Err(Refusal::Loop(expression.place)),
        }
    }

    fn tag(&mut self, place: Place) -> u32 {
        if self.places.last() != Some(&place) {
            self.places.push(place);
        }
        self.places.len() as u32 - 1
    }

    pub(super) fn precision(&self, context: &Context, place: Place) -> Result<Precision, Refusal> {
        let unsupported = |what: String| Refusal::Unsupported(place, what);
        let word = context.precision.as_deref().unwrap_or("binary64");
        let format = match word {
            "real" | "integer" => return Ok(Precision::Exact),
            "binary80" => Format::X87,
            _ => {
                let sizes: Vec<&str> = word.split(' ').collect();
                let named = Format::NAMED.iter().find(|(name, _)| *name == word);
                match (named, sizes.as_slice()) {
                    (Some(&(_, format)), _) => format,
                    (None, ["float", exponent, bits]) => {
                        let (exponent, bits): (u32, u32) = match (exponent.parse(), bits.parse()) {
                            (Ok(exponent), Ok(bits)) => (exponent, bits),
                            _ => return Err(unsupported(format!("`{word}` is no precision"))),
                        };
                        if !(2..=15).contains(&exponent) || bits < exponent + 2 || bits > 128 {
                            return Err(unsupported(format!(
                                "the precision ({word}) is not supported"
                            )));
                        }
                        Format::new(exponent, bits - exponent)
                    }
                    _ => {
                        return Err(unsupported(format!(
                            "the precision `{word}` is not supported"
                        )));
                    }
                }
            }
        };
        let rounds = match context.round.as_deref() {
            None => self.options.rounds,
            Some("nearestEven") => Rounds::To(Rounding::NearestEven),
            Some("nearestAway") => Rounds::To(Rounding::NearestAway),
            Some("toPositive") => Rounds::To(Rounding::Upward),
            Some("toNegative") => Rounds::To(Rounding::Downward),
            Some("toZero") => Rounds::To(Rounding::TowardZero),
            Some(other) => return Err(unsupported(format!("the rounding `{other}` is not known"))),
        };
        Ok(Precision::Float(format, rounds))
    }

    /// Adds the inputs with their ranges, and the rest of the precondition as assumptions.
    pub(super) fn arguments(&mut self, core: &Core) -> Result<Scope, Refusal> {
        let mut ends: BTreeMap<String, Ends> = BTreeMap::new();
        let mut rest = Vec::new();
        if let Some(precondition) = &core.precondition {
            let names: Vec<&str> = core.arguments.iter().map(|a| a.name.as_str()).collect();
            collect(precondition, &names, &mut ends, &mut rest);
            pass_on(&rest, &names, &mut ends);
        }
        let mut scope = Scope::new();
        for argument in &core.arguments {
            let context = argument.context.within(&core.context);
            let precision = self.precision(&context, core.place)?;
            let name = &argument.name;
            let error = self.options.input_errors.get(name).copied();
            let error = error.unwrap_or(self.options.input_error);
            let integer = context.precision.as_deref() == Some("integer");
            let ends = match self.options.ranges.get(name) {
                Some((low, high)) => {
                    Ends { low: Some((low.clone(), false)), high: Some((high.clone(), false)) }
                }
                None => ends.remove(name).unwrap_or_default(),
            };
            let (low, high) = match (error, precision) {
                // Only floats are meant: the ends are floats.
                (InputError::None, Precision::Float(format, _)) => (
                    ends.low.map(|(low, strict)| inside(format, &low, strict, Rounding::Upward)),
                    ends.high
                        .map(|(high, strict)| inside(format, &high, strict, Rounding::Downward)),
                ),
                _ => (ends.low.map(|(low, _)| low), ends.high.map(|(high, _)| high)),
            };
            if let (Some(low), Some(high)) = (&low, &high)
                && low > high
            {
                return Err(Refusal::EmptyRange(name.clone()));
            }
            let tag = self.tag(core.place);
            let input = Input { name: name.clone(), low, high, integer, error };
            let node = self.graph.input(input, precision, tag);
            scope.insert(name.clone(), node);
        }
        // Preconditions are about real numbers.
        let real = Around { context: Context::default(), precision: Precision::Exact };
        for condition in rest {
            let ways = self.condition(condition, &scope, &real, Vec::new())?;
            let holding: Vec<&Way> =
                ways.iter().filter(|(_, truth)| *truth).map(|(w, _)| w).collect();
            if let [way] = holding.as_slice() {
                for &comparison in *way {
                    self.graph.assume(comparison);
                }
                continue;
            }
            // One of several ways: a choice between 1 and 0 is 1.
            let [zero, one] = [0, 1].map(|value: i32| {
                self.graph.constant(Rational::from_integer(value.into()), Precision::Exact, 0)
            });
            let chosen: Vec<(&[Comparison], NodeId)> = ways
                .iter()
                .map(|(way, truth)| (way.as_slice(), if *truth { one } else { zero }))
                .collect();
            if !chosen.is_empty() {
                let node = choices(&mut self.graph, &chosen, Precision::Exact, 0);
                self.graph.assume(Comparison {
                    left: one,
                    relation: Relation::LessEqual,
                    right: node,
                });
            }
        }
        Ok(scope)
    }

    fn extend(
        &mut self,
        ways: Vec<(Way, Vec<NodeId>)>,
        expression: &Expression,
        scope: &Scope,
        around: &Around,
    ) -> Result<Vec<(Way, Vec<NodeId>)>, Refusal> {
        let mut extended = Vec::new();
        for (way, nodes) in ways {
            for (way, node) in self.number(expression, scope, around, way)? {
                let mut nodes = nodes.clone();
                nodes.push(node);
                extended.push((way, nodes));
            }
        }
        Ok(extended)
    }

    fn number(
        &mut self,
        expression: &Expression,
        scope: &Scope,
        around: &Around,
        way: Way,
    ) -> Result<Vec<(Way, NodeId)>, Refusal> {
        let place = expression.place;
        match &expression.kind {
            ExpressionKind::Number(value) => {
                let tag = self.tag(place);
                Ok(vec![(way, self.graph.constant(value.clone(), around.precision, tag))])
            }
            ExpressionKind::Symbol(name) => {
                if let Some(&node) = scope.get(name) {
                    return Ok(vec![(way, node)]);
                }
                let value = constants::named(name).ok_or_else(|| {
                    Refusal::Unsupported(place, format!("`{name}` is not known here"))
                })?;
                let tag = self.tag(place);
                Ok(vec![(way, self.graph.constant(value, around.precision, tag))])
            }
            ExpressionKind::Annotated(context, inner) => {
                let context = context.within(&around.context);
                let precision = self.precision(&context, place)?;
                self.number(inner, scope, &Around { context, precision }, way)
            }
            ExpressionKind::If(parts) => {
                let [condition, yes, no] = parts.as_ref();
                let mut results = Vec::new();
                for (way, truth) in self.condition(condition, scope, around, way.clone())? {
                    let part = if truth { yes } else { no };
                    results.extend(self.number(part, scope, around, way)?);
                    self.few_ways(results.len(), place)?;
                }
                Ok(self.joined(place, way, results))
            }
            ExpressionKind::Let { sequential, bindings, body } => {
                let mut scopes = vec![(way, scope.clone())];
                for (name, value) in bindings {
                    let mut next = Vec::new();
                    for (way, bound) in scopes {
                        let seen = if *sequential { &bound } else { scope };
                        for (way, node) in self.number(value, seen, around, way)? {
                            let mut bound = bound.clone();
                            bound.insert(name.clone(), node);
                            next.push((way, bound));
                        }
                    }
                    scopes = next;
                }
                let mut results = Vec::new();
                for (way, scope) in scopes {
                    results.extend(self.number(body, &scope, around, way)?);
                }
                self.few_ways(results.len(), place)?;
                Ok(results)
            }
            ExpressionKind::While { sequential, condition, updates, body } => {
                let before = way.clone();
                let results =
                    self.unroll(place, *sequential, condition, updates, body, scope, around, way)?;
                Ok(self.joined(place, before, results))
            }
            ExpressionKind::Apply(name, operands) => {
                self.apply(name, operands, place, scope, around, way)
            }
        }
    }

    /// The ways from one point on as one, if that is wanted: their results are choices.
    fn joined(
        &mut self,
        place: Place,
        before: Way,
        results: Vec<(Way, NodeId)>,
    ) -> Vec<(Way, NodeId)> {
        let precision = |node: NodeId| self.graph.node(node).precision;
        let [(_, first), more @ ..] = results.as_slice() else { return results };
        let common = precision(*first);
        if !self.options.joined || more.iter().any(|(_, node)| precision(*node) != common) {
            return results;
        }
        let tag = self.tag(place);
        let after: Vec<(&[Comparison], NodeId)> =
            results.iter().map(|(way, node)| (&way[before.len()..], *node)).collect();
        let node = choices(&mut self.graph, &after, common, tag);
        vec![(before, node)]
    }

    fn few_ways(&self, ways: usize, place: Place) -> Result<(), Refusal> {
        if ways > self.options.ways {
            return Err(Refusal::Unsupported(place, "too many ways through branches".into()));
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of a loop and where it stands")]
    fn unroll(
        &mut self,
        place: Place,
        sequential: bool,
        condition: &Expression,
        updates: &[(String, Expression, Expression)],
        body: &Expression,
        scope: &Scope,
        around: &Around,
        way: Way,
    ) -> Result<Vec<(Way, NodeId)>, Refusal> {
        let mut states = vec![(way, scope.clone())];
        for (name, first, _) in updates {
            let mut next = Vec::new();
            for (way, bound) in states {
                let seen = if sequential { &bound } else { scope };
                for (way, node) in self.number(first, seen, around, way)? {
                    let mut bound = bound.clone();
                    bound.insert(name.clone(), node);
                    next.push((way, bound));
                }
            }
            states = next;
        }
        let mut results = Vec::new();
        let mut trips = 0usize;
        while !states.is_empty() {
            trips += 1;
            let looping = self.graph.nodes().len() > self.options.nodes
                || states.len() + results.len() > self.options.ways
                || trips > self.options.nodes
                || self.options.budget.exhausted();
            if looping {
                return Err(Refusal::Loop(place));
            }
            let mut next = Vec::new();
            for (way, bound) in states {
                for (way, again) in self.condition(condition, &bound, around, way)? {
                    if !again {
                        results.extend(self.number(body, &bound, around, way)?);
                        continue;
                    }
                    let mut moved = vec![(way, bound.clone())];
                    for (name, _, update) in updates {
                        let mut after = Vec::new();
                        for (way, current) in moved {
                            let seen = if sequential { &current } else { &bound };
                            for (way, node) in self.number(update, seen, around, way)? {
                                let mut current = current.clone();
                                current.insert(name.clone(), node);
                                after.push((way, current));
                            }
                        }
                        moved = after;
                    }
                    next.extend(moved);
                }
            }
            states = next;
        }
        Ok(results)
    }

    fn apply(
        &mut self,
        name: &str,
        operands: &[Expression],
        place: Place,
        scope: &Scope,
        around: &Around,
        way: Way,
    ) -> Result<Vec<(Way, NodeId)>, Refusal> {
        let mut ways = vec![(way, Vec::new())];
        for operand in operands {
            ways = self.extend(ways, operand, scope, around)?;
        }
        self.few_ways(ways.len(), place)?;
        let tag = self.tag(place);
        let precision = around.precision;
        let mut results = Vec::new();
        for (way, nodes) in ways {
            let operation = match (name, nodes.as_slice()) {
                ("+", &[a]) => {
                    results.push((way, a));
                    continue;
                }
                ("+", &[a, b]) => Operation::Add(a, b),
                ("-", &[a]) | ("neg", &[a]) => Operation::Neg(a),
                ("-", &[a, b]) => Operation::Sub(a, b),
                ("*", &[a, b]) => Operation::Mul(a, b),
                ("/", &[a, b]) => Operation::Div(a, b),
                ("fma", &[a, b, c]) => Operation::Fma(a, b, c),
                ("sqrt", &[a]) => Operation::Sqrt(a),
                ("fabs", &[a]) => Operation::Abs(a),
                ("fmin", &[a, b]) => Operation::Min(a, b),
                ("fmax", &[a, b]) => Operation::Max(a, b),
                ("cast", &[a]) => Operation::Convert(a),
                ("floor", &[a]) => Operation::Integral(Rounding::Downward, a),
                ("ceil", &[a]) => Operation::Integral(Rounding::Upward, a),
                ("trunc", &[a]) => Operation::Integral(Rounding::TowardZero, a),
                ("round", &[a]) => Operation::Integral(Rounding::NearestAway, a),
                ("nearbyint", &[a]) => Operation::Integral(Rounding::NearestEven, a),
                ("fdim", &[a, b]) => {
                    let zero = self.graph.constant(Rational::zero(), precision, tag);
                    let difference = self.graph.operation(Operation::Sub(a, b), precision, tag);
                    Operation::Max(difference, zero)
                }
                (_, nodes) => match (Libm::from_name(name), nodes) {
                    (Some(function), &[a]) if function.arity() == 1 => {
                        Operation::Unary(function, a)
                    }
                    (Some(function), &[a, b]) if function.arity() == 2 => {
                        Operation::Binary(function, a, b)
                    }
                    _ => {
                        let what = format!("`{name}` of {} operands is not supported", nodes.len());
                        return Err(Refusal::Unsupported(place, what));
                    }
                },
            };
            let node = if operation.is_exact()
                && nodes.iter().any(|&operand| self.graph.node(operand).precision != precision)
            {
                // Exact on what it is given, then rounded to another format.
                let exact = self.graph.operation(operation, Precision::Exact, tag);
                self.graph.operation(Operation::Convert(exact), precision, tag)
            } else {
                self.graph.operation(operation, precision, tag)
            };
            results.push((way, node));
        }
        Ok(results)
    }

    fn condition(
        &mut self,
        expression: &Expression,
        scope: &Scope,
        around: &Around,
        way: Way,
    ) -> Result<Vec<(Way, bool)>, Refusal> {
        let place = expression.place;
        let unsupported = |what: &str| Err(Refusal::Unsupported(place, what.to_string()));
        match &expression.kind {
            ExpressionKind::Symbol(name) if name == "TRUE" => Ok(vec![(way, true)]),
            ExpressionKind::Symbol(name) if name == "FALSE" => Ok(vec![(way, false)]),
            ExpressionKind::Annotated(context, inner) => {
                let context = context.within(&around.context);
                let precision = self.precision(&context, place)?;
                self.condition(inner, scope, &Around { context, precision }, way)
            }
            ExpressionKind::If(parts) => {
                let [condition, yes, no] = parts.as_ref();
                let mut results = Vec::new();
                for (way, truth) in self.condition(condition, scope, around, way)? {
                    let part = if truth { yes } else { no };
                    results.extend(self.condition(part, scope, around, way)?);
                }
                Ok(results)
            }
            ExpressionKind::Apply(name, operands) => match name.as_str() {
                "not" if operands.len() == 1 => Ok(self
                    .condition(&operands[0], scope, around, way)?
                    .into_iter()
                    .map(|(way, truth)| (way, !truth))
                    .collect()),
                "and" | "or" => {
                    let stops = name == "or";
                    let (mut open, mut results) = (vec![way], Vec::new());
                    for operand in operands {
                        let mut next = Vec::new();
                        for way in open {
                            for (way, truth) in self.condition(operand, scope, around, way)? {
                                if truth == stops {
                                    results.push((way, truth))
                                } else {
                                    next.push(way)
                                }
                            }
                        }
                        open = next;
                        self.few_ways(open.len() + results.len(), place)?;
                    }
                    results.extend(open.into_iter().map(|way| (way, !stops)));
                    Ok(results)
                }
                "<" | ">" | "<=" | ">=" | "==" | "!=" => {
                    let mut ways = vec![(way, Vec::new())];
                    for operand in operands {
                        ways = self.extend(ways, operand, scope, around)?;
                    }
                    let mut results = Vec::new();
                    for (way, nodes) in ways {
                        let pairs: Vec<(NodeId, NodeId)> = if name == "!=" {
                            (0..nodes.len())
                                .flat_map(|i| (0..i).map(move |j| (j, i)))
                                .map(|(j, i)| (nodes[j], nodes[i]))
                                .collect()
                        } else {
                            nodes.windows(2).map(|pair| (pair[0], pair[1])).collect()
                        };
                        let mut open = vec![way];
                        for (a, b) in pairs {
                            let (left, relation, right) = match name.as_str() {
                                "<" => (a, Relation::Less, b),
                                ">" => (b, Relation::Less, a),
                                "<=" => (a, Relation::LessEqual, b),
                                ">=" => (b, Relation::LessEqual, a),
                                "==" => (a, Relation::Equal, b),
                                _ => (a, Relation::NotEqual, b),
                            };
                            let comparison = Comparison { left, relation, right };
                            let mut next = Vec::new();
                            for way in open {
                                for (way, truth) in self.decide(comparison, way, place)? {
                                    if truth { next.push(way) } else { results.push((way, false)) }
                                }
                            }
                            open = next;
                        }
                        results.extend(open.into_iter().map(|way| (way, true)));
                    }
                    self.few_ways(results.len(), place)?;
                    Ok(results)
                }
                other => unsupported(&format!("`{other}` is no supported condition")),
            },
            ExpressionKind::Number(_)
            | ExpressionKind::Symbol(_)
            | ExpressionKind::Let { .. }
            | ExpressionKind::While { .. } => unsupported("this is no supported condition"),
        }
    }

    /// Both sides of a comparison that can be taken.
    fn decide(
        &mut self,
        comparison: Comparison,
        way: Way,
        place: Place,
    ) -> Result<Vec<(Way, bool)>, Refusal> {
        let Comparison { left, relation, right } = comparison;
        self.folder.update(&self.graph);
        if let (Some((left_real, left_float)), Some((right_real, right_float))) =
            (self.folder.known(left), self.folder.known(right))
        {
            let real = relation.holds(left_real, right_real);
            let float = relation.holds(left_float, right_float);
            if real == float {
                return Ok(vec![(way, real)]);
            }
            let what = "the float computation and the real one part here on constants alone";
            return Err(Refusal::Unsupported(place, what.into()));
        }
        let mut results = Vec::new();
        for (truth, taken) in [(true, comparison), (false, comparison.negated())] {
            let mut way = way.clone();
            way.push(taken);
            if self.feasible(&way) {
                results.push((way, truth));
            }
        }
        Ok(results)
    }

    /// Whether intervals allow all comparisons at once.
    fn feasible(&self, way: &[Comparison]) -> bool {
        let tape = Tape::new(&self.graph, way.iter().flat_map(|known| [known.left, known.right]));
        let mut local = Local::<0>::new(&tape);
        local.forward(&tape.whole_box(), &[]);
        way.iter().all(|known| local.may_hold(known))
    }
}

/// The nearest float on the inner side of an end.
fn inside(format: Format, end: &Rational, strict: bool, towards: Rounding) -> Rational {
    let (float, flags) = Float::from_rational(format, towards, end);
    let float = if strict && !flags.inexact {
        if towards == Rounding::Upward { float.next_up().0 } else { float.next_down().0 }
    } else {
        float
    };
    float.to_rational().unwrap_or_else(|| end.clone())
}

/// A choice between the results of ways that part at comparisons. Of a comparison that only one
/// side of can hold, only that side is there.
fn choices(
    graph: &mut Graph,
    ways: &[(&[Comparison], NodeId)],
    precision: Precision,
    tag: u32,
) -> NodeId {
    let [(way, node), more @ ..] = ways else { unreachable!("a way leads on") };
    let Some(by) = way.first() else { return *node };
    if more.is_empty() {
        return *node;
    }
    type Side<'w> = Vec<(&'w [Comparison], NodeId)>;
    let side = |keeps: bool| -> Side<'_> {
        let kept = ways.iter().filter(|(way, _)| (way.first() == Some(by)) == keeps);
        kept.map(|(way, node)| (&way[1..], *node)).collect()
    };
    let (yes, no) = (side(true), side(false));
    let first = choices(graph, &yes, precision, tag);
    if no.is_empty() {
        return first;
    }
    let second = choices(graph, &no, precision, tag);
    graph.choose(*by, first, second, precision, tag)
}
