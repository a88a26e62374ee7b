//! Large computations as graphs: what is proved, what is shown, how long it takes.
//!
//! `large [NAME]`.

use nanoscope_errors::{
    Effort, Graph, Input, InputError, NodeId, Operation, Options, Piece, Precision, prove, show,
};
use nanoscope_ieee::{Format, Rational};
use nanoscope_search::Budget;
use std::time::{Duration, Instant};

const DOUBLE: Format = Format::BINARY64;

/// Writes graphs down.
struct Builder {
    graph: Graph,
}

impl Builder {
    fn new() -> Builder {
        Builder { graph: Graph::new() }
    }

    fn input(&mut self, low: f64, high: f64) -> NodeId {
        let exact = |x: f64| Rational::from_float(x);
        let name = format!("x{}", self.graph.inputs().len());
        let input = Input {
            name,
            low: exact(low),
            high: exact(high),
            integer: false,
            error: InputError::None,
        };
        self.graph.input(input, Precision::nearest(DOUBLE), 0)
    }

    fn inputs(&mut self, count: usize, low: f64, high: f64) -> Vec<NodeId> {
        (0..count).map(|_| self.input(low, high)).collect()
    }

    /// A constant of the program: the double itself is meant.
    fn constant(&mut self, x: f64) -> NodeId {
        let value = Rational::from_float(x).expect("a finite constant");
        self.graph.constant(value, Precision::nearest(DOUBLE), 0)
    }

    fn add(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.graph.operation(Operation::Add(a, b), Precision::nearest(DOUBLE), 0)
    }

    fn sub(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.graph.operation(Operation::Sub(a, b), Precision::nearest(DOUBLE), 0)
    }

    fn mul(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.graph.operation(Operation::Mul(a, b), Precision::nearest(DOUBLE), 0)
    }

    fn chain(&mut self, terms: &[NodeId]) -> NodeId {
        let mut sum = terms[0];
        for &term in &terms[1..] {
            sum = self.add(sum, term);
        }
        sum
    }

    fn tree(&mut self, terms: &[NodeId]) -> NodeId {
        if let [only] = terms {
            return *only;
        }
        let (left, right) = terms.split_at(terms.len() / 2);
        let (left, right) = (self.tree(left), self.tree(right));
        self.add(left, right)
    }
}

type Computation = (Graph, NodeId);
type Build = fn() -> Computation;

fn chain_sum() -> Computation {
    let mut b = Builder::new();
    let terms = b.inputs(1024, -1.0, 1.0);
    let sum = b.chain(&terms);
    (b.graph, sum)
}

fn tree_sum() -> Computation {
    let mut b = Builder::new();
    let terms = b.inputs(1024, -1.0, 1.0);
    let sum = b.tree(&terms);
    (b.graph, sum)
}

/// Coefficients 1, 1/2, 1/3, ... with signs by turns.
fn coefficient(i: usize) -> f64 {
    (if i.is_multiple_of(2) { 1.0 } else { -1.0 }) / (i + 1) as f64
}

fn horner() -> Computation {
    let mut b = Builder::new();
    let x = b.input(0.5, 1.0);
    let mut value = b.constant(coefficient(50));
    for i in (0..50).rev() {
        let c = b.constant(coefficient(i));
        let product = b.mul(value, x);
        value = b.add(product, c);
    }
    (b.graph, value)
}

fn monomials() -> Computation {
    let mut b = Builder::new();
    let x = b.input(0.5, 1.0);
    let mut power = x;
    let mut value = b.constant(coefficient(0));
    for i in 1..=50 {
        let c = b.constant(coefficient(i));
        let term = b.mul(c, power);
        value = b.add(value, term);
        power = b.mul(power, x);
    }
    (b.graph, value)
}

fn lorenz(steps: usize) -> Computation {
    let mut b = Builder::new();
    let (mut x, mut y, mut z) = (b.input(1.0, 1.001), b.input(1.0, 1.001), b.input(1.0, 1.001));
    let (h, sigma, rho, beta) =
        (b.constant(0.005), b.constant(10.0), b.constant(28.0), b.constant(8.0 / 3.0));
    for _ in 0..steps {
        let difference = b.sub(y, x);
        let dx = b.mul(sigma, difference);
        let rest = b.sub(rho, z);
        let product = b.mul(x, rest);
        let dy = b.sub(product, y);
        let xy = b.mul(x, y);
        let bz = b.mul(beta, z);
        let dz = b.sub(xy, bz);
        let (sx, sy, sz) = (b.mul(h, dx), b.mul(h, dy), b.mul(h, dz));
        (x, y, z) = (b.add(x, sx), b.add(y, sy), b.add(z, sz));
    }
    (b.graph, x)
}

fn heat() -> Computation {
    let mut b = Builder::new();
    let mut row = b.inputs(65, 0.0, 1.0);
    let (r, two) = (b.constant(0.25), b.constant(2.0));
    for _ in 0..32 {
        let old = row.clone();
        for i in 1..64 {
            let double = b.mul(two, old[i]);
            let left = b.sub(old[i - 1], double);
            let bend = b.add(left, old[i + 1]);
            let step = b.mul(r, bend);
            row[i] = b.add(old[i], step);
        }
    }
    (b.graph, row[32])
}

fn fdtd() -> Computation {
    // Electric and magnetic fields by turns; the middle cell depends on 190,000 operations.
    let mut b = Builder::new();
    let cells = 500;
    let mut electric = b.inputs(cells, -1.0, 1.0);
    let mut magnetic = b.inputs(cells - 1, -1.0, 1.0);
    let c = b.constant(0.3);
    for _ in 0..64 {
        for i in 0..cells - 1 {
            let difference = b.sub(electric[i + 1], electric[i]);
            let step = b.mul(c, difference);
            magnetic[i] = b.add(magnetic[i], step);
        }
        for i in 1..cells - 1 {
            let difference = b.sub(magnetic[i], magnetic[i - 1]);
            let step = b.mul(c, difference);
            electric[i] = b.add(electric[i], step);
        }
    }
    let all = b.chain(&electric);
    (b.graph, all)
}

fn fft() -> Computation {
    let mut b = Builder::new();
    let n = 1024;
    let mut re = b.inputs(n, -1.0, 1.0);
    let zero = b.constant(0.0);
    let mut im = vec![zero; n];
    let reversed = |i: usize| (i as u32).reverse_bits() as usize >> (32 - 10);
    re = (0..n).map(|i| re[reversed(i)]).collect();
    im = (0..n).map(|i| im[reversed(i)]).collect();
    let mut half = 1;
    while half < n {
        for start in (0..n).step_by(2 * half) {
            for k in 0..half {
                let angle = -std::f64::consts::PI * k as f64 / half as f64;
                let (c, s) = (b.constant(angle.cos()), b.constant(angle.sin()));
                let (p, q) = (start + k, start + k + half);
                let (a1, a2) = (b.mul(re[q], c), b.mul(im[q], s));
                let (a3, a4) = (b.mul(re[q], s), b.mul(im[q], c));
                let (tr, ti) = (b.sub(a1, a2), b.add(a3, a4));
                let (ur, ui) = (re[p], im[p]);
                (re[p], im[p]) = (b.add(ur, tr), b.add(ui, ti));
                (re[q], im[q]) = (b.sub(ur, tr), b.sub(ui, ti));
            }
        }
        half *= 2;
    }
    (b.graph, re[1])
}

fn prefix_sum() -> Computation {
    let mut b = Builder::new();
    let terms = b.inputs(4096, -1.0, 1.0);
    let last = b.chain(&terms);
    (b.graph, last)
}

fn matrix_product() -> Computation {
    // One entry of 64 by 64 matrices; all entries have the same bound.
    let mut b = Builder::new();
    let (row, column) = (b.inputs(64, -1.0, 1.0), b.inputs(64, -1.0, 1.0));
    let products: Vec<NodeId> = row.iter().zip(&column).map(|(&x, &y)| b.mul(x, y)).collect();
    let entry = b.chain(&products);
    (b.graph, entry)
}

fn main() {
    let only = std::env::args().nth(1);
    let kernels: [(&str, Build); 13] = [
        ("chain sum 1024", chain_sum),
        ("tree sum 1024", tree_sum),
        ("Horner 50", horner),
        ("monomials 50", monomials),
        ("Lorenz 20", || lorenz(20)),
        ("Lorenz 40", || lorenz(40)),
        ("Lorenz 70", || lorenz(70)),
        ("heat 32", heat),
        ("FDTD 64", fdtd),
        ("FFT 1024", fft),
        ("prefix sum 4096", prefix_sum),
        ("matrix product 64", matrix_product),
        ("tree sum 65536", || {
            let mut b = Builder::new();
            let terms = b.inputs(65536, -1.0, 1.0);
            let sum = b.tree(&terms);
            (b.graph, sum)
        }),
    ];
    println!(
        "{:20} {:>9} {:>11} {:>8} {:>11} {:>8} {:>8}",
        "computation", "operators", "proved", "s", "shown", "s", "width"
    );
    for (name, build) in kernels {
        if only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
            continue;
        }
        let (graph, output) = build();
        let pieces = [Piece::only(vec![output])];
        let begin = Instant::now();
        let options = Options { relative: false, ..Options::default() };
        let bound =
            prove(&graph, &pieces, &options, &Budget::lasting(Duration::from_secs(60))).remove(0);
        let proving = begin.elapsed().as_secs_f64();
        let begin = Instant::now();
        let budget = Budget::lasting(Duration::from_secs(5));
        let worst = show(&graph, &pieces, 0, &bound.points, Effort::default(), &budget);
        let shown = worst.absolute.map_or(0.0, |shown| shown.absolute);
        println!(
            "{name:20} {:9} {:11.4e} {proving:8.2} {shown:11.4e} {:8.2} {:8.2}",
            graph.cone([output]).len(),
            bound.absolute,
            begin.elapsed().as_secs_f64(),
            bound.absolute / shown
        );
    }
}
