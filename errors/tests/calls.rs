//! Functions of a graph: calls are bounded as well as the same operations taken apart.

use nanoscope_errors::{
    Bound, Graph, Input, InputError, NodeId, Operation, Options, Piece, Precision, prove,
};
use nanoscope_ieee::{Format, Rational};
use nanoscope_search::Budget;

const DOUBLE: Precision = Precision::Float(
    Format::BINARY64,
    nanoscope_errors::Rounds::To(nanoscope_ieee::Rounding::NearestEven),
);

fn rational(numerator: i64, denominator: i64) -> Rational {
    Rational::new(numerator.into(), denominator.into())
}

fn input(name: &str, ends: Option<(i64, i64)>) -> Input {
    Input {
        name: name.into(),
        low: ends.map(|(low, _)| rational(low, 1)),
        high: ends.map(|(_, high)| rational(high, 1)),
        integer: false,
        error: InputError::None,
    }
}

/// A helper of two parameters: `(((x/2 + k) x/2 + k) ... ) / (1 + x x)`.
fn helper(graph: &mut Graph) -> u16 {
    let mut body = Graph::new();
    let x = body.input(input("x", None), DOUBLE, 0);
    let k = body.input(input("k", None), DOUBLE, 0);
    let (half, one) =
        (body.constant(rational(1, 2), DOUBLE, 0), body.constant(rational(1, 1), DOUBLE, 0));
    let mut sum = k;
    for _ in 0..6 {
        let scaled = body.operation(Operation::Mul(sum, x), DOUBLE, 0);
        let less = body.operation(Operation::Mul(scaled, half), DOUBLE, 0);
        sum = body.operation(Operation::Add(less, k), DOUBLE, 0);
    }
    let square = body.operation(Operation::Mul(x, x), DOUBLE, 0);
    let divisor = body.operation(Operation::Add(square, one), DOUBLE, 0);
    let result = body.operation(Operation::Div(sum, divisor), DOUBLE, 0);
    graph.function(body, vec![result]).expect("it is continuous")
}

/// The sum of `count` calls at `x + i / count`.
fn integral(count: i64) -> (Graph, NodeId) {
    let mut graph = Graph::new();
    let called = helper(&mut graph);
    let x = graph.input(input("x", Some((0, 1))), DOUBLE, 0);
    let k = graph.constant(rational(1, 3), DOUBLE, 0);
    let mut sum = graph.constant(rational(0, 1), DOUBLE, 0);
    for at in 0..count {
        let step = graph.constant(rational(at, count), DOUBLE, 0);
        let place = graph.operation(Operation::Add(x, step), DOUBLE, 0);
        let value = graph.call(called, &[place, k], 0)[0];
        sum = graph.operation(Operation::Add(sum, value), DOUBLE, 0);
    }
    (graph, sum)
}

/// `count` calls of the helper on its own result.
fn iteration(count: usize) -> (Graph, NodeId) {
    let mut graph = Graph::new();
    let called = helper(&mut graph);
    let mut x = graph.input(input("x", Some((0, 1))), DOUBLE, 0);
    let k = graph.constant(rational(1, 4), DOUBLE, 0);
    for _ in 0..count {
        x = graph.call(called, &[x, k], 0)[0];
    }
    (graph, x)
}

fn bound(graph: &Graph, output: NodeId) -> Bound {
    let options = Options { boxes: 200, ..Options::default() };
    prove(graph, &[Piece::only(vec![output])], &options, &Budget::unlimited()).remove(0)
}

#[test]
fn calls_are_bounded_nearly_as_well_as_their_operations() {
    for (graph, output) in [integral(200), iteration(100)] {
        let called = bound(&graph, output);
        let (flat, at) = graph.inlined();
        assert!(flat.functions().is_empty() && flat.nodes().len() > 1_000);
        let apart = bound(&flat, at[output.index()]);
        assert!(
            called.absolute <= 1.3 * apart.absolute && apart.absolute <= 1.3 * called.absolute,
            "{:e} and {:e}",
            called.absolute,
            apart.absolute
        );
    }
}

#[test]
fn a_helper_in_a_long_loop_is_not_unrolled() {
    let (graph, output) = integral(10_000);
    assert!(graph.nodes().len() < 61_000 && graph.operations() > 200_000);
    let options = Options { boxes: 1, relative: false, ..Options::default() };
    let budget = Budget::unlimited();
    let bound = prove(&graph, &[Piece::only(vec![output])], &options, &budget).remove(0);
    // The sum reaches some thousands, and each addition rounds by half an ulp of it at most.
    assert!(bound.absolute > 1e-11 && bound.absolute < 1e-8, "{:e}", bound.absolute);
}

#[test]
fn what_jumps_is_no_function() {
    let mut graph = Graph::new();
    let mut body = Graph::new();
    let x = body.input(input("x", None), DOUBLE, 0);
    let rounding = nanoscope_ieee::Rounding::Downward;
    let floor = body.operation(Operation::Integral(rounding, x), DOUBLE, 0);
    assert_eq!(graph.function(body, vec![floor]), None);
}
