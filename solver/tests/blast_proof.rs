//! Refutations come with proofs, and the proofs are checked: a small LRAT
//! checker reads what the SAT solver wrote, and accepts the empty clause only
//! if every step follows from clauses named.

use nanoscope_budget::Budget;
use nanoscope_ieee::{Format, Operation, Rounding, Word};
use nanoscope_solver::blast::{Blaster, Options, Verdict};
use nanoscope_term::{Sort, Term, Terms, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

/// Checks an LRAT proof over these clauses, which have the numbers from 1 up.
/// Says how many steps there were.
fn check_proof(formula: &[Vec<i32>], proof: &str) -> Result<usize, String> {
    let mut clauses: BTreeMap<u64, Vec<i32>> = (1..).zip(formula.iter().cloned()).collect();
    if formula.iter().any(Vec::is_empty) {
        return Ok(0);
    }
    let mut steps = 0;
    for line in proof.lines() {
        let mut words = line.split_whitespace();
        let number = |word: &str| word.parse::<i64>().map_err(|_| format!("`{line}`: {word}"));
        let id = number(words.next().ok_or("an empty line")?)? as u64;
        let rest: Vec<&str> = words.collect();
        if rest.first() == Some(&"d") {
            for word in &rest[1..] {
                clauses.remove(&(number(word)? as u64));
            }
            continue;
        }
        let numbers = rest.iter().map(|word| number(word)).collect::<Result<Vec<i64>, _>>()?;
        let end = numbers.iter().position(|&n| n == 0).ok_or("no end of a clause")?;
        let clause: Vec<i32> = numbers[..end].iter().map(|&n| n as i32).collect();
        let hints = &numbers[end + 1..numbers.len() - 1];
        follows(&clauses, &clause, hints).map_err(|why| format!("step {id}: {why}"))?;
        steps += 1;
        if clause.is_empty() {
            return Ok(steps);
        }
        clauses.insert(id, clause);
    }
    Err("the empty clause was not derived".to_string())
}

fn read_dimacs(text: &str) -> Vec<Vec<i32>> {
    let mut lines = text.lines();
    let header = lines.next().expect("a header");
    let clauses: Vec<Vec<i32>> = lines
        .map(|line| {
            let numbers = line.split_whitespace().map(|word| word.parse().expect("a literal"));
            numbers.take_while(|&literal| literal != 0).collect()
        })
        .collect();
    assert!(header.ends_with(&format!(" {}", clauses.len())));
    clauses
}

/// Whether assuming the clause false, the hinted clauses become unit one after
/// the other and the last false (reverse unit propagation).
fn follows(clauses: &BTreeMap<u64, Vec<i32>>, clause: &[i32], hints: &[i64]) -> Result<(), String> {
    let mut holding: BTreeSet<i32> = clause.iter().map(|literal| -literal).collect();
    for &hint in hints {
        let id = u64::try_from(hint).map_err(|_| "a step beyond unit propagation")?;
        let hinted = clauses.get(&id).ok_or(format!("clause {id} is not there"))?;
        let open: BTreeSet<i32> =
            hinted.iter().copied().filter(|literal| !holding.contains(&-literal)).collect();
        match open.len() {
            0 => return Ok(()),
            1 => {
                holding.extend(open);
            }
            _ => return Err(format!("clause {id} is not unit")),
        }
    }
    Err("the hints end without a conflict".to_string())
}

/// Refutes what the function asserts and has the proof checked.
fn check(name: &str, options: Options, assertions: impl Fn(&mut Terms) -> Vec<Term>) {
    let mut terms = Terms::without_rewriting();
    let assertions = assertions(&mut terms);
    let path = std::env::temp_dir().join(format!("nanoscope-{}-{name}.lrat", std::process::id()));
    let mut blaster = Blaster::new(options);
    blaster.trace(&path).expect("a file to write to");
    assertions.iter().for_each(|&assertion| blaster.assert(assertion));
    let verdict = blaster.check(&terms, &[], &Budget::lasting(Duration::from_secs(60)), None);
    assert_eq!(verdict, Verdict::Unsat, "{name}");
    blaster.close_trace().expect("files to write to");
    let read = |path: &Path| {
        let text = std::fs::read_to_string(path).expect("a file");
        std::fs::remove_file(path).expect("a file to remove");
        text
    };
    let (proof, formula) = (read(&path), read_dimacs(&read(&path.with_extension("cnf"))));
    let steps = check_proof(&formula, &proof).unwrap_or_else(|why| panic!("{name}: {why}"));
    assert!(steps > 0, "{name}");

    // The proof is of this formula: without its last clauses, it is none.
    assert!(
        check_proof(&formula[..formula.len() / 2], &proof).is_err(),
        "{name}: half the clauses suffice"
    );
}

#[test]
fn refutations_are_proved() {
    let (small, tiny) = (Format::new(4, 6), Format::new(3, 4));
    for lazy in [false, true] {
        let options = Options { lazy, ..Options::default() };
        check(&format!("add-{lazy}"), options, |t| {
            // Sums grow with their terms.
            let [x, y, z] = ["x", "y", "z"].map(|name| t.variable(name, Sort::Float(tiny)));
            let mode = t.rounding(Rounding::NearestEven);
            let less = t.fp(Operation::Less, &[x, y]);
            let (low, high) =
                (t.fp(Operation::Add, &[mode, x, z]), t.fp(Operation::Add, &[mode, y, z]));
            vec![less, t.fp(Operation::Less, &[high, low])]
        });
        check(&format!("mul-{lazy}"), options, |t| {
            // Of numbers below one, products are below one.
            let [x, y] = ["x", "y"].map(|name| t.variable(name, Sort::Float(small)));
            let mode = t.variable("m", Sort::Rounding);
            let one = t.constant(Value::float(small, Word::new(10, 7 << 5)));
            let product = t.fp(Operation::Mul, &[mode, x, y]);
            let (x, y) = (t.fp(Operation::Abs, &[x]), t.fp(Operation::Abs, &[y]));
            let (a, b) = (t.fp(Operation::Less, &[x, one]), t.fp(Operation::Less, &[y, one]));
            vec![a, b, t.fp(Operation::Less, &[one, product])]
        });
        check(&format!("div-{lazy}"), options, |t| {
            let [x, y] = ["x", "y"].map(|name| t.variable(name, Sort::Float(tiny)));
            let mode = t.rounding(Rounding::TowardZero);
            let quotient = t.fp(Operation::Div, &[mode, x, y]);
            let back = t.fp(Operation::Mul, &[mode, quotient, y]);
            let (back, own) = (t.fp(Operation::Abs, &[back]), t.fp(Operation::Abs, &[x]));
            vec![t.fp(Operation::Less, &[own, back])]
        });
    }
}

/// Where gates fold to a contradiction, the formula is one.
#[test]
fn contradictions_need_no_proof() {
    let mut terms = Terms::without_rewriting();
    let x = terms.variable("x", Sort::Float(Format::BINARY16));
    let mode = terms.variable("m", Sort::Rounding);
    let square = terms.fp(Operation::Mul, &[mode, x, x]);
    let negative = terms.fp(Operation::IsNegative, &[square]);
    let mut blaster = Blaster::default();
    blaster.keep_proof();
    blaster.assert(negative);
    assert_eq!(blaster.check(&terms, &[], &Budget::unlimited(), None), Verdict::Unsat);
    let proof = blaster.proof().expect("a proof is kept");
    assert_eq!(proof.formula().last(), Some(&Vec::new()));
}

#[test]
fn wrong_proofs_are_refused() {
    let formula = vec![vec![1, 2], vec![-1, 2], vec![1, -2], vec![-1, -2]];
    assert_eq!(check_proof(&formula, "5 2 0 1 2 0\n6 0 5 3 4 0\n"), Ok(2));
    for wrong in
        ["5 2 0 1 3 0\n6 0 5 3 4 0\n", "6 0 1 2 0\n", "5 2 0 1 2 0\n", "5 d 1 0\n5 2 0 1 2 0\n"]
    {
        assert!(check_proof(&formula, wrong).is_err(), "{wrong}");
    }
}
