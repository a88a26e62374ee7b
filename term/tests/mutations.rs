//! The reader on broken text: never a panic, never a hang.

use nanoscope_term::smtlib::{Answer, Decide, Session};
use nanoscope_term::{Term, Terms};
use proptest::prelude::*;
use std::time::Duration;

struct Nobody;

impl Decide for Nobody {
    fn decide(&mut self, _: &mut Terms, _: &[Term], _: Option<Duration>) -> Answer {
        Answer::Unknown("not asked".to_string())
    }
}

/// Follows a script to its end; only coming back matters.
fn check(script: &[u8]) {
    let mut output = Vec::new();
    let result = Session::new(Nobody).run(script, &mut output);
    let text = String::from_utf8(output).expect("text");
    assert!(result.is_ok() || text.contains("(error \""), "a failure is told: {text}");
}

/// Scripts that between them use the whole language.
const SEEDS: [&str; 5] = [
    "(set-logic ALL)(set-info :status sat)(declare-const x (_ FloatingPoint 5 11))(declare-fun |a b|
     () (_ BitVec 16))(assert (fp.lt x ((_ to_fp 5 11) RNE (- 0.25))))(check-sat)(get-value (x))",
    "(define-sort F () Float32)(define-fun f ((x F) (m RoundingMode)) F (fp.fma m x x (_ -zero 8 24)))
     (declare-const x F)(push 1)(assert (! (= (f x RTP) (fp #b0 #x7f #b00000000000000000000000))
     :named n))(check-sat-assuming (n (not n)))(pop 1)(get-unsat-core)",
    "(declare-const a (Array (_ BitVec 4) Bool))(declare-fun g (Bool (_ BitVec 4)) (_ BitVec 4))
     (assert (let ((b (store a (g true #xf) false)) (i (bvsmod #x3 (g false #x0)))) (= (select b i)
     (distinct a b ((as const (Array (_ BitVec 4) Bool)) true)))))(check-sat)(get-model)",
    "(declare-const c (_ BitVec 8))(assert (bvult ((_ extract 3 1) c) ((_ repeat 3) #b1)))
     (assert (= ((_ rotate_left 3) c) ((_ sign_extend 4) (bvcomp c #x0f) )))(assert (bvsmulo c c))
     (echo \"q\"\"q\") ; comment\n(get-info :name)(reset)(exit)",
    "(declare-const x Float64)(declare-const m RoundingMode)(assert (and (fp.eq (libm.pow x x)
     (ieee.next_up x)) (= ((_ fp.to_sbv 8) m x) ((_ ieee.to_signed 8 saturate) m x)) (fp.isNaN
     (fp.min x (fp.rem x (fp.sqrt m x)))) (= (fp.to_ieee_bv x) ((_ int2bv 64) 3)) (ite (>= 1.5 (/ 3
     2)) true false)))(check-sat)",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        check(&bytes);
    }

    #[test]
    fn any_words(words in proptest::collection::vec(
        prop_oneof![
            Just("("), Just(")"), Just("("), Just(")"), Just("assert"), Just("let"), Just("_"),
            Just("as"), Just("!"), Just("fp"), Just("to_fp"), Just("RNE"), Just("1"), Just("0.5"),
            Just("#b1"), Just("#xF"), Just("="), Just("declare-const"), Just("define-fun"),
            Just("x"), Just("Bool"), Just("BitVec"), Just("Array"), Just("select"), Just("store"),
            Just("extract"), Just("NaN"), Just("check-sat"), Just("push"), Just("|y|"),
            Just("\"s\""), Just(":named"), Just("bv3"), Just("30"), Just("16777216"),
        ], 0..60)) {
        check(words.join(" ").as_bytes());
    }

    #[test]
    fn broken_scripts(
        seed in 0..SEEDS.len(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), 0..4usize, any::<u8>()), 1..6),
    ) {
        let mut bytes = SEEDS[seed].as_bytes().to_vec();
        for (at, kind, byte) in changes {
            let at = at.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => { bytes.remove(at); }
                2 => bytes.insert(at, b"()# |\"0b:_"[byte as usize % 10]),
                _ => bytes[at] = b"()0123456789"[byte as usize % 12],
            }
            if bytes.is_empty() {
                break;
            }
        }
        check(&bytes);
    }
}

#[test]
fn whole_scripts() {
    for seed in SEEDS {
        check(seed.as_bytes());
    }
}
