//! Queries that outgrow any budget end as unknown, in time and with the
//! reason, never otherwise.

use nanoscope_budget::Budget;
use nanoscope_solver::{Choice, Options, Reason, Solver, Verdict};
use nanoscope_term::{eliminate, smtlib::read};
use std::time::{Duration, Instant};

/// What is allowed after a deadline: it must end. On a quiet machine it is late by
/// milliseconds, but a test must not depend on how busy its machine is.
const SLACK: Duration = Duration::from_secs(20);

fn check(name: &str, script: &str, engines: &[Choice], memory: Option<u64>, expected: &[Reason]) {
    let mut problem = read(script).expect("a script");
    let plain = eliminate(&mut problem.terms, &problem.assertions).expect("no arrays");
    let options = Options { engines: engines.to_vec(), memory, ..Options::default() };
    let limit = Duration::from_millis(300);
    let start = Instant::now();
    let verdict = Solver::new(options).decide(
        &mut problem.terms,
        &plain.assertions,
        None,
        &Budget::lasting(limit),
    );
    let took = start.elapsed();
    assert!(took < limit + SLACK, "{name} took {took:?}");
    match verdict.expect("no defect") {
        Verdict::Unknown(reason) => assert!(expected.contains(&reason), "{name}: {reason}"),
        verdict @ (Verdict::Sat(_) | Verdict::Unsat) => panic!("{name}: {verdict:?}"),
    }
}

/// A factorisation, which nobody finds.
fn product(width: u32) -> String {
    let sort = format!("(_ BitVec {width})");
    format!(
        "(declare-const a {sort})(declare-const b {sort})(declare-const c {sort})
         (assert (= (bvmul a b) (bvadd c (_ bv7 {width}))))
         (assert (= (bvmul b c) (bvudiv a b)))
         (assert (and (bvult (_ bv2 {width}) a) (bvult a b) (bvult b c)))"
    )
}

/// An operation within itself, many times, that shall give a strange value.
fn nest(operation: &str, format: &str, depth: usize) -> String {
    let mut text = format!(
        "(declare-const x {format})(declare-const y {format})(declare-const z {format})
         (define-fun t0 () {format} x)"
    );
    for level in 0..depth {
        let body = operation.replace(" t ", &format!(" t{level} "));
        text.push_str(&format!("(define-fun t{} () {format} {body})", level + 1));
    }
    text + &format!(
        "(assert (fp.isNormal t{depth}))(assert (fp.isNormal x))
         (assert (= (fp.mul RNE t{depth} t{depth}) (fp.add RTZ y t{depth})))
         (assert (= (fp.div RNE t{depth} y) (fp.fma RNA z z t{depth})))
         (assert (fp.lt x y z))(assert (fp.lt (fp.mul RTP z z) (fp.mul RTN x y)))"
    )
}

#[test]
fn time_is_kept_whatever_the_query() {
    let blast = [Choice::Blast];
    let time = [Reason::Time];
    check("a wide product", &product(4096), &blast, None, &time);
    check("a wider product", &product(20_000), &blast, None, &time);
    check("a wide product, by the chain", &product(1024), &[], None, &time);
    let quad = "(_ FloatingPoint 15 113)";
    check("remainders", &nest("(fp.rem (fp.add RNE t y) z)", quad, 20), &blast, None, &time);
    check("fused products", &nest("(fp.fma RNE t y z)", quad, 60), &blast, None, &time);
    let wide = "(_ FloatingPoint 15 4000)";
    check("long significands", &nest("(fp.div RNE t y)", wide, 3), &blast, None, &time);
    let double = "(_ FloatingPoint 11 53)";
    check("a long chain", &nest("(fp.mul RNE t y)", double, 20_000), &blast, None, &time);
}

#[test]
fn memory_is_kept_whatever_the_query() {
    let memory = Some(16 << 20);
    // Whichever comes first.
    let either = [Reason::Memory, Reason::Time];
    let quad = "(_ FloatingPoint 15 113)";
    let fused = nest("(fp.fma RNE t y z)", quad, 60);
    check("fused products", &fused, &[Choice::Blast], memory, &[Reason::Memory]);
    check("a wide product", &product(4096), &[Choice::Blast], memory, &[Reason::Memory]);
    check("a wide product, by the chain", &product(4096), &[], memory, &either);
}
