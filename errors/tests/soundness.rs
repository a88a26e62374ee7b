//! No bound falls: random computations in tiny formats against all inputs, and in binary64 and
//! binary32 against searches.

use nanoscope_errors::{
    Comparison, Effort, Enclosure, Examiner, FloatResult, Graph, Input, InputError, Node, NodeId,
    Operation, Options, Piece, Precision, Relation, Rounds, prove, show,
};
use nanoscope_ieee::{Float, Format, Libm, Rational, Rounding};
use nanoscope_search::Budget;

/// A generator of numbers: xorshift.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u64) as usize]
    }
}

fn rational(numerator: i64, denominator: i64) -> Rational {
    Rational::new(numerator.into(), denominator.into())
}

/// A random graph with the ways through it: often one, sometimes two, sometimes with an
/// assumption.
fn computation(
    dice: &mut Dice,
    precision: Precision,
    error: InputError,
    library: bool,
) -> (Graph, Vec<Piece>) {
    let mut graph = Graph::new();
    let inputs = 1 + dice.below(2);
    let mut nodes = Vec::new();
    for name in ["x", "y"].into_iter().take(inputs as usize) {
        let (a, b) = (dice.below(33) as i64 - 16, dice.below(33) as i64 - 16);
        let scale = dice.pick(&[1, 2, 4, 8]);
        let input = Input {
            name: name.into(),
            low: Some(rational(a.min(b), scale)),
            high: Some(rational(a.max(b), scale)),
            integer: false,
            error,
        };
        nodes.push(graph.input(input, precision, 0));
    }
    for _ in 0..dice.below(3) {
        let value = rational(dice.below(64) as i64 - 20, dice.pick(&[1, 2, 3, 10]));
        nodes.push(graph.constant(value, precision, 0));
    }
    for _ in 0..1 + dice.below(6) {
        let (a, b, c) = (dice.pick(&nodes), dice.pick(&nodes), dice.pick(&nodes));
        if dice.below(5) == 0 {
            let relation = dice.pick(&[Relation::Less, Relation::LessEqual, Relation::NotEqual]);
            let by = Comparison { left: c, relation, right: dice.pick(&nodes) };
            nodes.push(match dice.below(2) {
                0 => graph.operation(Operation::Choose(by, a, b), precision, 0),
                _ => graph.choose(by, a, b, precision, 0),
            });
            continue;
        }
        let operation = match dice.below(if library { 18 } else { 16 }) {
            0..=2 => Operation::Add(a, b),
            3..=5 => Operation::Sub(a, b),
            6..=8 => Operation::Mul(a, b),
            9..=10 => Operation::Div(a, b),
            11 => Operation::Fma(a, b, c),
            12 => Operation::Sqrt(a),
            13 => Operation::Abs(a),
            14 => dice.pick(&[Operation::Min(a, b), Operation::Max(a, b)]),
            15 => dice.pick(&[Operation::Neg(a), Operation::Integral(Rounding::Downward, a)]),
            16 => Operation::Unary(dice.pick(&[Libm::Exp, Libm::Sin, Libm::Cos, Libm::Atan]), a),
            _ => Operation::Unary(dice.pick(&[Libm::Log, Libm::Tan, Libm::Tanh, Libm::Cbrt]), a),
        };
        nodes.push(graph.operation(operation, precision, 0));
    }
    let last = nodes[nodes.len() - 1];
    let mut comparison = || Comparison {
        left: dice.pick(&nodes),
        relation: dice.pick(&[Relation::Less, Relation::LessEqual, Relation::Equal]),
        right: dice.pick(&nodes),
    };
    let (known, condition) = (comparison(), comparison());
    if dice.below(4) == 0 {
        graph.assume(known);
    }
    let pieces = match dice.below(3) {
        0 => vec![
            Piece::new(vec![condition], vec![last]),
            Piece::new(vec![condition.negated()], vec![dice.pick(&nodes)]),
        ],
        _ => vec![Piece::only(vec![last])],
    };
    (graph, pieces)
}

/// A random loop that ends when a step, a term or a value is small.
fn early_exit(dice: &mut Dice, precision: Precision, error: InputError) -> (Graph, Vec<Piece>) {
    let mut graph = Graph::new();
    let mut ends = [dice.below(25) as i64 - 8, dice.below(25) as i64 - 8];
    ends.sort_unstable();
    let [low, high] = ends.map(|end| Some(rational(end, 4)));
    let input = Input { name: "x".into(), low, high, integer: false, error };
    let x = graph.input(input, precision, 0);
    let limit = rational(1 + dice.below(12) as i64, dice.pick(&[4, 8, 16]));
    let limit = graph.constant(limit, precision, 0);
    let numbers: Vec<_> = [(1, 2), (1, 1), (3, 2), (2, 1)]
        .map(|(p, q)| graph.constant(rational(p, q), precision, 0))
        .to_vec();
    // The same operations in every round, on the value before and on what does not change.
    let body: Vec<(u64, u64, u64)> =
        (0..1 + dice.below(3)).map(|_| (dice.below(9), dice.below(8), dice.below(8))).collect();
    let (by_step, sums) = (dice.below(2) == 0, dice.below(3) == 0);
    let (mut value, mut sum) = (x, x);
    let mut rounds = Vec::new();
    for _ in 0..2 + dice.below(3) {
        let mut nodes = vec![value, x, numbers[0], numbers[1]];
        for (operation, a, b) in &body {
            let take = |at: u64| nodes[nodes.len() - 1 - at as usize % nodes.len()];
            let (a, b) = (take(*a), take(*b));
            let operation = match operation {
                0 | 1 => Operation::Add(a, b),
                2 => Operation::Sub(a, b),
                3 | 4 => Operation::Mul(numbers[0], a),
                5 => Operation::Mul(a, b),
                6 | 7 => Operation::Div(a, b),
                _ => Operation::Sqrt(a),
            };
            nodes.push(graph.operation(operation, precision, 0));
        }
        let next = nodes[nodes.len() - 1];
        let small = match by_step {
            true => graph.operation(Operation::Sub(next, value), precision, 0),
            false => next,
        };
        let small = graph.operation(Operation::Abs(small), precision, 0);
        sum = graph.operation(Operation::Add(sum, next), precision, 0);
        rounds.push((
            Comparison { left: small, relation: Relation::Less, right: limit },
            next,
            sum,
        ));
        value = next;
    }
    let left = |(_, next, sum): (_, _, _)| if sums { sum } else { next };
    let mut result = left(rounds[rounds.len() - 1]);
    for &round in rounds.iter().rev() {
        result = graph.choose(round.0, left(round), result, precision, 0);
    }
    (graph, vec![Piece::only(vec![result])])
}

/// A random function, continuous in its parameters, with one or two results.
fn function(dice: &mut Dice, graph: &mut Graph, precision: Precision, library: bool) -> u16 {
    loop {
        let mut body = Graph::new();
        let mut nodes = Vec::new();
        for name in ["p", "q"].into_iter().take(1 + dice.below(2) as usize) {
            let error = InputError::None;
            let input = Input { name: name.into(), low: None, high: None, integer: false, error };
            nodes.push(body.input(input, precision, 0));
        }
        let value = rational(dice.below(64) as i64 - 20, dice.pick(&[1, 2, 3, 10]));
        nodes.push(body.constant(value, precision, 0));
        // Sometimes it calls another function.
        if dice.below(4) == 0 {
            let inner = function(dice, &mut body, precision, library);
            let count = body.functions()[inner as usize].parameters();
            let given: Vec<_> = (0..count).map(|_| dice.pick(&nodes)).collect();
            nodes.extend(body.call(inner, &given, 0));
        }
        for _ in 0..1 + dice.below(4) {
            let (a, b, c) = (dice.pick(&nodes), dice.pick(&nodes), dice.pick(&nodes));
            let operation = match dice.below(if library { 15 } else { 14 }) {
                0..=2 => Operation::Add(a, b),
                3..=5 => Operation::Sub(a, b),
                6..=8 => Operation::Mul(a, b),
                9 => Operation::Div(a, b),
                10 => Operation::Fma(a, b, c),
                11 => Operation::Sqrt(a),
                12 => dice.pick(&[Operation::Abs(a), Operation::Neg(a)]),
                13 => dice.pick(&[Operation::Min(a, b), Operation::Max(a, b)]),
                _ => Operation::Unary(dice.pick(&[Libm::Exp, Libm::Sin, Libm::Log]), a),
            };
            nodes.push(body.operation(operation, precision, 0));
        }
        let last = nodes[nodes.len() - 1];
        let outputs = if dice.below(3) == 0 { vec![last, dice.pick(&nodes)] } else { vec![last] };
        if let Some(made) = graph.function(body, outputs) {
            return made;
        }
    }
}

/// A random computation that calls a function some times, also on results of calls.
fn calls(
    dice: &mut Dice,
    precision: Precision,
    error: InputError,
    library: bool,
) -> (Graph, Vec<Piece>) {
    let mut graph = Graph::new();
    let mut ends = [dice.below(33) as i64 - 16, dice.below(33) as i64 - 16];
    ends.sort_unstable();
    let [low, high] = ends.map(|end| Some(rational(end, 8)));
    let input = Input { name: "x".into(), low, high, integer: false, error };
    let mut nodes = vec![graph.input(input, precision, 0)];
    nodes.push(graph.constant(rational(dice.below(24) as i64 - 8, 8), precision, 0));
    let callee = function(dice, &mut graph, precision, library);
    let parameters = graph.functions()[callee as usize].parameters();
    for _ in 0..1 + dice.below(4) {
        let given: Vec<_> = (0..parameters).map(|_| dice.pick(&nodes)).collect();
        nodes.extend(graph.call(callee, &given, 0));
        let (a, b) = (dice.pick(&nodes), dice.pick(&nodes));
        let operation =
            dice.pick(&[Operation::Add(a, b), Operation::Sub(a, b), Operation::Mul(a, b)]);
        nodes.push(graph.operation(operation, precision, 0));
    }
    let last = nodes[nodes.len() - 1];
    (graph, vec![Piece::only(vec![last])])
}

/// All floats of a format between two numbers.
fn floats(format: Format, low: &Rational, high: &Rational) -> Vec<Rational> {
    (0..1u128 << format.width())
        .filter_map(|bits| Float::from_bits(format, bits).to_rational())
        .filter(|x| low <= x && x <= high)
        .collect()
}

/// Tells pieces between which floats some of their values lie, as all points show.
fn enclose(graph: &Graph, pieces: &mut [Piece], points: &[Vec<Rational>], dice: &mut Dice) {
    let operands = graph.nodes().iter().flat_map(|node| node.operation.operands());
    let nodes: Vec<NodeId> =
        operands.filter(|id| graph.node(*id).precision.format().is_some()).collect();
    if nodes.is_empty() {
        return;
    }
    for piece in pieces {
        for _ in 0..2 {
            let node = dice.pick(&nodes);
            let taken = Piece::new(piece.conditions.clone(), vec![node]);
            let Some(values) = values(graph, taken, points) else { continue };
            let (Some(low), Some(high)) = (values.iter().min(), values.iter().max()) else {
                continue;
            };
            // Tiny formats' floats are doubles.
            let [low, high] = [low, high].map(|value| {
                Float::from_rational(Format::BINARY64, Rounding::NearestEven, value).0.to_f64()
            });
            piece.enclosed.push(Enclosure { node, low, high });
        }
    }
}

/// The values of a piece's result in floats at all points that take it; none: it is no number at
/// one of them, or that cannot be told.
fn values(graph: &Graph, piece: Piece, points: &[Vec<Rational>]) -> Option<Vec<Rational>> {
    let pieces = [piece];
    let examiner = Examiner::new(graph, &pieces, 0);
    let mut found = Vec::new();
    for point in points {
        match examiner.float_at(point) {
            FloatResult::Elsewhere => {}
            FloatResult::Number(value) => found.push(value),
            FloatResult::NoNumber | FloatResult::Unknown => return None,
        }
    }
    Some(found)
}

/// Checks a bound against all floats, each operation that may round in any direction in a random
/// one, and real inputs at the ends and in the middle of what rounds to the float.
fn enumerate(graph: &Graph, pieces: &[Piece], format: Format, dice: &mut Dice) -> usize {
    // Without symbols of their own, inputs are followed by wide forms.
    let symbols = dice.pick(&[16, 16, 0]);
    let options = Options { boxes: 300, symbols, ..Options::default() };
    let sides: Vec<Vec<Rational>> = graph
        .inputs()
        .iter()
        .map(|input| floats(format, input.low.as_ref().unwrap(), input.high.as_ref().unwrap()))
        .collect();
    let mut points: Vec<Vec<Rational>> = vec![Vec::new()];
    for side in &sides {
        points = points
            .iter()
            .flat_map(|point| {
                side.iter().map(move |x| [point.as_slice(), std::slice::from_ref(x)].concat())
            })
            .collect();
    }
    let mut pieces = pieces.to_vec();
    let any = |node: &Node| matches!(node.precision, Precision::Float(_, Rounds::Any));
    if graph.functions().is_empty() && !graph.nodes().iter().any(any) && dice.below(2) == 0 {
        enclose(graph, &mut pieces, &points, dice);
    }
    let bound = prove(graph, &pieces, &options, &Budget::unlimited()).remove(0);
    if !bound.absolute.is_finite() {
        return 0;
    }
    // Runs take calls apart.
    let (graph, at) = &graph.inlined();
    let pieces: &Vec<Piece> = &pieces.iter().map(|piece| piece.moved(at)).collect();
    let examiner = Examiner::new(graph, pieces, 0);
    let mut checked = 0;
    for point in points {
        let reals: Vec<Rational> = point
            .iter()
            .zip(graph.inputs())
            .map(|(x, input)| match input.error {
                InputError::None => x.clone(),
                InputError::Absolute(_) | InputError::HalfUlp => {
                    let share = rational(dice.below(17) as i64 - 8, 64);
                    let float = Float::from_rational(format, Rounding::NearestEven, x).0;
                    let near = float.next_up().0.to_rational().unwrap_or_else(|| x.clone());
                    let shifted = x + (near - x) * share;
                    let inside = input.low.as_ref().unwrap() <= &shifted
                        && &shifted <= input.high.as_ref().unwrap();
                    let back = Float::from_rational(format, Rounding::NearestEven, &shifted)
                        .0
                        .to_rational();
                    if inside && back.as_ref() == Some(x) { shifted } else { x.clone() }
                }
            })
            .collect();
        let choose = || dice.pick(&[Rounding::Upward, Rounding::Downward, Rounding::NearestEven]);
        let Some(shown) = examiner.at(&point, &reals, choose) else { continue };
        checked += 1;
        assert!(
            shown.absolute <= bound.absolute,
            "{:?}\n{pieces:?} {:?}\nat {point:?} {reals:?}: {:e} > {:e}",
            graph.nodes(),
            graph.assumptions(),
            shown.absolute,
            bound.absolute
        );
        if let Some(relative) = bound.relative {
            assert!(
                shown.relative <= relative,
                "{:?}\nat {point:?} {reals:?}: relative {:e} > {relative:e}",
                graph.nodes(),
                shown.relative
            );
        }
    }
    checked
}

/// How many random computations: `SOUNDNESS` in the environment, or few.
fn amount(few: u64) -> u64 {
    std::env::var("SOUNDNESS").ok().and_then(|text| text.parse().ok()).unwrap_or(few)
}

/// The start of the random choices, moved by `SOUNDNESS_SEED` in the environment.
fn seed(usual: u64) -> u64 {
    let moved: u64 =
        std::env::var("SOUNDNESS_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    (usual ^ moved.wrapping_mul(0xd134_2543_de82_ef95)).max(1)
}

#[test]
fn bounds_hold_for_all_inputs_of_tiny_formats() {
    let mut dice = Dice(seed(0x2545_f491_4f6c_dd1d));
    let mut checked = 0;
    for _ in 0..amount(400) {
        let format = dice.pick(&[Format::new(3, 3), Format::new(4, 4), Format::new(5, 3)]);
        let rounds = match dice.below(8) {
            0 => Rounds::Any,
            1..=4 => Rounds::To(dice.pick(&Rounding::ALL)),
            _ => Rounds::default(),
        };
        let error = dice.pick(&[InputError::None, InputError::None, InputError::HalfUlp]);
        let error = if rounds == Rounds::default() { error } else { InputError::None };
        let precision = Precision::Float(format, rounds);
        let (graph, pieces) = match dice.below(4) {
            0 => early_exit(&mut dice, precision, error),
            1 => calls(&mut dice, precision, error, false),
            _ => computation(&mut dice, precision, error, false),
        };
        checked += enumerate(&graph, &pieces, format, &mut dice);
    }
    assert!(checked > 1000, "{checked}");
}

#[test]
fn bounds_withstand_searches() {
    let mut dice = Dice(seed(0x9e37_79b9_7f4a_7c15));
    let mut attacked = 0;
    for round in 0..amount(60) {
        let format = dice.pick(&[Format::BINARY64, Format::BINARY32]);
        let error = dice.pick(&[InputError::None, InputError::HalfUlp]);
        let precision = Precision::nearest(format);
        let (graph, pieces) = match dice.below(4) {
            0 => early_exit(&mut dice, precision, error),
            1 => calls(&mut dice, precision, error, true),
            _ => computation(&mut dice, precision, error, true),
        };
        let options = Options { boxes: 500, ..Options::default() };
        let bound = prove(&graph, &pieces, &options, &Budget::unlimited()).remove(0);
        if !bound.absolute.is_finite() {
            continue;
        }
        let effort = Effort { points: 2000, seed: round + 7 };
        let worst = show(&graph, &pieces, 0, &[], effort, &Budget::unlimited());
        if let Some(shown) = worst.absolute {
            attacked += 1;
            assert!(
                shown.absolute <= bound.absolute,
                "{:?}: {:e} > {:e}",
                graph.nodes(),
                shown.absolute,
                bound.absolute
            );
        }
        if let (Some(shown), Some(relative)) = (worst.relative, bound.relative) {
            assert!(
                shown.relative <= relative,
                "{:?}: relative {:e} > {relative:e}",
                graph.nodes(),
                shown.relative
            );
        }
    }
    assert!(attacked > 10, "{attacked}");
}

/// An integer of both computations that may differ has no relative error; times one that has
/// none, it still has none.
#[test]
fn a_lost_relative_error_stays_lost() {
    let precision = Precision::nearest(Format::BINARY64);
    let mut graph = Graph::new();
    let input = |name: &str, error| Input {
        name: name.into(),
        low: Some(rational(1, 2)),
        high: Some(rational(3, 1)),
        integer: false,
        error,
    };
    let x = graph.input(input("x", InputError::None), precision, 0);
    let y = graph.input(input("y", InputError::HalfUlp), precision, 0);
    let floor = Operation::Integral(Rounding::Downward, y);
    let floor = graph.operation(floor, precision, 0);
    let product = graph.operation(Operation::Mul(x, floor), precision, 0);
    let sum = graph.operation(Operation::Add(product, x), precision, 0);
    let options = Options { boxes: 300, ..Options::default() };
    let pieces = [Piece::only(vec![sum])];
    let bound = prove(&graph, &pieces, &options, &Budget::unlimited()).remove(0);
    // Just below 1 in the reals, 1 in the floats: the sum doubles.
    assert!(bound.absolute >= 1.0, "{:e}", bound.absolute);
    assert!(bound.relative.is_none_or(|relative| relative >= 1.0), "{:?}", bound.relative);
}
