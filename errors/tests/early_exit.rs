//! Loops that end when a step or a term is small: both computations may end at different rounds.

use nanoscope_errors::{
    Comparison, Effort, Graph, Input, InputError, NodeId, Operation, Options, Piece, Precision,
    Relation, prove, show,
};
use nanoscope_ieee::{Format, Rational};
use nanoscope_search::Budget;

const DOUBLE: Format = Format::BINARY64;

struct Maker(Graph);

impl Maker {
    fn input(&mut self, low: f64, high: f64) -> NodeId {
        let end = |x: f64| Rational::from_float(x);
        let input = Input {
            name: "a".into(),
            low: end(low),
            high: end(high),
            integer: false,
            error: InputError::None,
        };
        self.0.input(input, Precision::nearest(DOUBLE), 0)
    }

    fn number(&mut self, x: f64) -> NodeId {
        self.0.constant(Rational::from_float(x).unwrap(), Precision::nearest(DOUBLE), 0)
    }

    fn op(&mut self, operation: Operation) -> NodeId {
        self.0.operation(operation, Precision::nearest(DOUBLE), 0)
    }

    /// The value that a loop leaves: `values[k + 1]` after the first `k` where `small[k]` is below
    /// its limit.
    fn left(&mut self, values: &[NodeId], ends: &[(NodeId, NodeId)]) -> NodeId {
        let mut result = values[ends.len()];
        for (k, &(small, limit)) in ends.iter().enumerate().rev() {
            let by = Comparison { left: small, relation: Relation::Less, right: limit };
            result = self.0.choose(by, values[k + 1], result, Precision::nearest(DOUBLE), 0);
        }
        result
    }
}

/// `y = (x + a / x) / 2` until `|y - x| < tolerance`.
fn newton(low: f64, high: f64, rounds: usize, tolerance: f64) -> (Graph, NodeId) {
    let mut maker = Maker(Graph::new());
    let a = maker.input(low, high);
    let (half, limit) = (maker.number(0.5), maker.number(tolerance));
    let (mut values, mut ends) = (vec![a], Vec::new());
    for k in 0..rounds {
        let x = values[k];
        let quotient = maker.op(Operation::Div(a, x));
        let sum = maker.op(Operation::Add(x, quotient));
        let y = maker.op(Operation::Mul(half, sum));
        let step = maker.op(Operation::Sub(y, x));
        let size = maker.op(Operation::Abs(step));
        values.push(y);
        ends.push((size, limit));
    }
    let result = maker.left(&values, &ends);
    (maker.0, result)
}

/// The series of `exp`, until a term is below the sum's last bits.
fn series(low: f64, high: f64, rounds: usize) -> (Graph, NodeId) {
    let mut maker = Maker(Graph::new());
    let x = maker.input(low, high);
    let (one, tiny) = (maker.number(1.0), maker.number(1e-17));
    let (mut term, mut values, mut ends) = (one, vec![one], Vec::new());
    for k in 1..=rounds {
        let divisor = maker.number(k as f64);
        let quotient = maker.op(Operation::Div(x, divisor));
        term = maker.op(Operation::Mul(term, quotient));
        let sum = maker.op(Operation::Add(values[k - 1], term));
        let size = maker.op(Operation::Abs(term));
        let whole = maker.op(Operation::Abs(sum));
        let limit = maker.op(Operation::Mul(tiny, whole));
        values.push(sum);
        ends.push((size, limit));
    }
    let result = maker.left(&values, &ends);
    (maker.0, result)
}

#[track_caller]
fn check((graph, result): (Graph, NodeId), most: f64) {
    let pieces = [Piece::only(vec![result])];
    let options = Options { boxes: 3_000, relative: false, ..Options::default() };
    let bound = prove(&graph, &pieces, &options, &Budget::unlimited()).remove(0);
    assert!(bound.absolute <= most, "{:e} with {:?}", bound.absolute, bound.method);
    let effort = Effort { points: 3_000, seed: 3 };
    let worst = show(&graph, &pieces, 0, &[], effort, &Budget::unlimited());
    let shown = worst.absolute.map_or(0.0, |shown| shown.absolute);
    assert!(shown <= bound.absolute, "{shown:e} > {:e}", bound.absolute);
}

#[test]
fn newtons_iteration_with_a_break() {
    check(newton(1.0, 100.0, 50, 1e-12), 1e-11);
}

#[test]
fn newtons_iteration_near_a_point() {
    check(newton(2.0, 2.01, 20, 1e-12), 1e-13);
}

#[test]
fn a_series_with_a_break() {
    check(series(-5.0, 5.0, 60), 1e-11);
}
