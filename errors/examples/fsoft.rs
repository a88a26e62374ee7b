//! F-Soft's tables II and III: the sum of n unknown positive integers, each cast to float and each
//! addition rounded, is it stable below 10 %? And the same for sums of mixed sign, dot products and
//! a sum with a branch in its loop.
//!
//! `fsoft`.

use nanoscope_errors::{
    Comparison, Effort, Graph, Input, InputError, Model, NodeId, Operation, Options, Piece,
    Precision, Relation, prove, show,
};
use nanoscope_ieee::{Format, Rational};
use nanoscope_search::Budget;
use std::time::Instant;

const FLOAT: Precision = Precision::Float(
    Format::BINARY32,
    nanoscope_errors::Rounds::To(nanoscope_ieee::Rounding::NearestEven),
);

fn integers(graph: &mut Graph, n: usize, low: i64, high: i64) -> Vec<NodeId> {
    (0..n)
        .map(|i| {
            let end = |x: i64| Some(Rational::from_integer(x.into()));
            let input = Input {
                name: format!("a{i}"),
                low: end(low),
                high: end(high),
                integer: true,
                error: InputError::None,
            };
            let integer = graph.input(input, Precision::Exact, i as u32);
            graph.operation(Operation::Convert(integer), FLOAT, i as u32)
        })
        .collect()
}

fn zero(graph: &mut Graph) -> NodeId {
    graph.constant(Rational::from_integer(0.into()), FLOAT, 0)
}

/// The sum of n positive integers.
fn sum(n: usize) -> (Graph, Vec<Piece>) {
    let mut graph = Graph::new();
    let terms = integers(&mut graph, n, 1, i64::from(i32::MAX));
    let mut total = zero(&mut graph);
    for term in terms {
        total = graph.operation(Operation::Add(total, term), FLOAT, 0);
    }
    (graph, vec![Piece::only(vec![total])])
}

/// A dot product of n pairs of positive integers.
fn dot(n: usize) -> (Graph, Vec<Piece>) {
    let mut graph = Graph::new();
    let terms = integers(&mut graph, 2 * n, 1, 1 << 20);
    let mut total = zero(&mut graph);
    for pair in terms.chunks(2) {
        let product = graph.operation(Operation::Mul(pair[0], pair[1]), FLOAT, 0);
        total = graph.operation(Operation::Add(total, product), FLOAT, 0);
    }
    (graph, vec![Piece::only(vec![total])])
}

/// A sum in which the last number counts twice where it is large.
fn branch(n: usize) -> (Graph, Vec<Piece>) {
    let (mut graph, pieces) = sum(n);
    let total = pieces[0].outputs[0];
    let last = integers(&mut graph, 1, 1, i64::from(i32::MAX))[0];
    let limit = graph.constant(Rational::from_integer(1_000_000.into()), FLOAT, 0);
    let once = graph.operation(Operation::Add(total, last), FLOAT, 0);
    let twice = graph.operation(Operation::Add(once, last), FLOAT, 0);
    let large = Comparison { left: limit, relation: Relation::Less, right: last };
    let pieces =
        vec![Piece::new(vec![large], vec![twice]), Piece::new(vec![large.negated()], vec![once])];
    (graph, pieces)
}

type Build = fn(usize) -> (Graph, Vec<Piece>);

fn relative(graph: &Graph, pieces: &[Piece]) -> f64 {
    let options = Options { boxes: 200, ..Options::default() };
    let bound = prove(graph, pieces, &options, &Budget::unlimited()).remove(0);
    bound.relative.unwrap_or(f64::INFINITY)
}

fn main() {
    println!("relative error of the sum of n positive integers, proved below 10 %?");
    print!("{:>8}", "log2 d");
    let lengths = [5, 10, 15, 20, 25, 30, 35, 100, 1000];
    lengths.iter().for_each(|n| print!(" {:>18}", format!("n={n}")));
    println!("  spurious from n");
    for exponent in [-24, -23, -22, -20, -18, -16, -14, -12, -10, -9, -8, -6, -4, -2] {
        print!("{exponent:>8}");
        let delta = 2f64.powi(exponent);
        let model = Some(Model { delta, epsilon: 2f64.powi(-149) });
        for n in lengths {
            let begin = Instant::now();
            let (mut graph, pieces) = sum(n);
            graph.set_model(model);
            let bound = relative(&graph, &pieces);
            let verdict = if bound < 0.1 { "stable" } else { "spurious" };
            print!(" {:>18}", format!("{verdict} {:.2}s", begin.elapsed().as_secs_f64()));
        }
        // The least n for which the model cannot say that the sum is stable.
        let fails = |n: usize| {
            let (mut graph, pieces) = sum(n);
            graph.set_model(model);
            relative(&graph, &pieces) >= 0.1
        };
        let (mut low, mut high) = (0, 2048);
        if fails(high) {
            while high - low > 1 {
                let middle = (low + high) / 2;
                if fails(middle) { high = middle } else { low = middle }
            }
            println!("  {high}");
        } else {
            println!("  > 2048");
        }
    }
    println!();
    println!(
        "what is real: the largest relative error shown, and proved with the rounding of floats"
    );
    let kinds: [(&str, Build); 3] = [("sum", sum), ("dot product", dot), ("sum, branch", branch)];
    for (name, build) in kinds {
        for n in [15, 35, 1000] {
            let begin = Instant::now();
            let (graph, pieces) = build(n);
            let bound = relative(&graph, &pieces);
            let proving = begin.elapsed().as_secs_f64();
            let effort = Effort { points: 3000, seed: 1 };
            let budget = Budget::lasting(std::time::Duration::from_secs(3));
            let worst = show(&graph, &pieces, 0, &[], effort, &budget);
            let shown = worst.relative.map_or(0.0, |shown| shown.relative);
            println!("{name:12} n={n:<5} proved {bound:.3e} in {proving:.2} s, shown {shown:.3e}");
        }
    }
}
