//! Scripts and what is answered to them, by a decision procedure that tries
//! every value: the whole door, from text through elimination to models.

use nanoscope_ieee::{Rounding, Word};
use nanoscope_term::smtlib::{Answer, Decide, Failure, Session};
use nanoscope_term::{Model, Sort, Term, Terms, Value, holds};
use std::time::Duration;

/// Tries every value of every variable.
struct Exhaustive;

fn values(sort: Sort) -> Vec<Value> {
    match sort {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::Rounding => Rounding::ALL.map(Value::Rounding).to_vec(),
        Sort::Bits(width) => (0..1 << width).map(|bits| Value::bits(width, bits)).collect(),
        Sort::Float(format) => {
            let width = format.width();
            let words = (0..1u128 << width).map(|bits| Word::new(width, bits));
            let mut all: Vec<Value> = words.map(|word| Value::float(format, word)).collect();
            all.sort();
            all.dedup();
            all
        }
        Sort::Array(_) => panic!("an array beyond the door"),
    }
}

impl Decide for Exhaustive {
    fn decide(&mut self, terms: &mut Terms, query: &[Term], _: Option<Duration>) -> Answer {
        let variables = terms.variables_below(query);
        let choices: Vec<Vec<Value>> =
            variables.iter().map(|variable| values(terms.variable_sort(*variable))).collect();
        let total: usize = choices.iter().map(Vec::len).product();
        assert!(total < 4_000_000, "{total} models to try");
        for mut number in 0..total {
            let mut model = Model::new();
            for (variable, values) in variables.iter().zip(&choices) {
                model.set(*variable, values[number % values.len()].clone());
                number /= values.len();
            }
            if holds(terms, &model, query) {
                return Answer::Sat(model);
            }
        }
        Answer::Unsat
    }
}

fn answers(script: &str) -> (String, Result<bool, Failure>) {
    let mut output = Vec::new();
    let result = Session::new(Exhaustive).run(script.as_bytes(), &mut output);
    (String::from_utf8(output).expect("text"), result)
}

#[track_caller]
fn check(script: &str, expected: &str) {
    let (output, result) = answers(script);
    let lines = |text: &str| {
        let lines: Vec<String> = text.lines().map(|line| line.trim().to_string()).collect();
        lines.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>()
    };
    assert_eq!(lines(&output), lines(expected), "{script}: {result:?}");
}

#[test]
fn commands_are_answered() {
    check(
        "(set-option :print-success true)(set-logic QF_BV)(declare-const x (_ BitVec 3))
         (echo \"a \"\"b\"\"\")(assert (bvult x #b010))(check-sat)(exit)(check-sat)",
        "success\nsuccess\nsuccess\n\"a \"\"b\"\"\"\nsuccess\nsat",
    );
    check(
        "(declare-const x (_ BitVec 3))(declare-fun p () Bool)
         (push)(assert (= x #b101))(check-sat)(get-value (x (bvadd x #b001) p))(get-model)
         (push 2)(assert (= x #b100))(check-sat)(pop 3)(assert (! (= x #b100) :named four))
         (check-sat)(get-value (x four))(get-assignment)",
        "sat\n((x #b101)\n((bvadd x #b001) #b110)\n(p false))
         (\n(define-fun x () (_ BitVec 3) #b101)\n(define-fun p () Bool false)\n)
         unsat\nsat\n((x #b100)\n(four true))\n((four true))",
    );
    check(
        "(declare-const p Bool)(declare-const q Bool)(assert (! (or p q) :named either))
         (check-sat-assuming ((not p) (not q)))(get-unsat-assumptions)(get-unsat-core)
         (check-sat-assuming (p))(reset)(declare-const p (_ BitVec 1))(assert (= p #b1))
         (check-sat)(reset-assertions)(declare-const p Bool)(check-sat)",
        "unsat\n((not p) (not q))\n(either)\nsat\nsat\nsat",
    );
    check(
        "(get-info :name)(get-info :error-behavior)(get-info :nothing)(get-option :timeout)
         (set-option :timeout 100)(get-option :timeout)(get-proof)(get-model)(get-info :name)",
        "(:name \"nanoscope\")\n(:error-behavior continued-execution)\nunsupported\nunsupported
         100\nunsupported\n(error \"2:67: no model\")\n(:name \"nanoscope\")",
    );
}

#[test]
fn clients_get_what_they_expect() {
    // A mistaken command has no effect; those after it are followed.
    check(
        "(declare-const p Bool)(assert (nonsense p))(assert p)(check-sat)(frobnicate)(get-value (p))",
        "(error \"1:32: `nonsense` is not known here\")\nsat
         (error \"1:66: `frobnicate` is no command known here\")\n((p true))",
    );
    // Assertions as they were written.
    check(
        "(declare-const x (_ BitVec 3))(assert (bvugt x (bvadd #b001 #b010)))(get-assertions)",
        "((bvugt x (bvadd #b001 #b010)))",
    );
    // Backslashes are part of a name.
    check(
        "(declare-const |a\\b| Bool)(assert |a\\b|)(check-sat)(get-value (|a\\b|))",
        "sat\n((|a\\b| true))",
    );
    check(
        "(get-option :produce-models)(set-option :produce-models false)(declare-const p Bool)
         (assert p)(check-sat)(get-model)(get-option :produce-models)",
        "true\nsat\n(error \"2:31: the option :produce-models is false\")\nfalse",
    );
    // Cores and assumptions without what is not needed.
    check(
        "(declare-const x (_ BitVec 3))(declare-const p Bool)(declare-const q Bool)
         (assert (! (bvult x #b100) :named a))(assert (! (bvult x #b110) :named b))
         (assert (! p :named c))(assert (! (bvult #b101 x) :named d))(assert (or p q))
         (check-sat)(get-unsat-core)",
        "unsat\n(b\nd)",
    );
    check(
        "(declare-const p Bool)(declare-const q Bool)(declare-const r Bool)(assert (or p q))
         (check-sat-assuming (r (not p) (= r r) (not q)))(get-unsat-assumptions)",
        "unsat\n((not p) (not q))",
    );
    // Rotation by a variable, and the other functions that solvers add.
    check(
        "(declare-const x (_ BitVec 3))(assert (= (bvrol #b011 x) #b101))
         (assert (= (bvror #b001 x) ((_ rotate_right 2) #b001)))(assert (= (bvredxor x) #b1))
         (assert (= (bvinc x) (bvdec #b100)))(check-sat)(get-value (x))",
        "sat\n((x #b010))",
    );
}

#[test]
fn values_are_of_declared_sorts() {
    struct Zeros;
    impl Decide for Zeros {
        fn decide(&mut self, _: &mut Terms, _: &[Term], _: Option<Duration>) -> Answer {
            Answer::Sat(Model::new())
        }
    }
    let script = "(declare-sort S 0)(declare-const a S)(declare-fun f (S) S)(assert (= (f a) a))
        (declare-const m (Array S (Array Bool S)))
        (check-sat)(get-value (a))(get-value (m (select m a)))(get-model)";
    let mut output = Vec::new();
    Session::new(Zeros).run(script.as_bytes(), &mut output).expect("answers");
    let text = String::from_utf8(output).expect("text");
    assert!(text.contains("((a (as @S!0 S)))"), "{text}");
    assert!(text.contains("(define-fun a () S (as @S!0 S))"), "{text}");
    assert!(text.contains("(define-fun f ((x!0 S)) S "), "{text}");
    let inner = "((as const (Array Bool S)) (as @S!0 S))";
    assert!(text.contains(&format!("((select m a) {inner})")), "{text}");
    let outer = format!("((as const (Array S (Array Bool S))) {inner})");
    assert!(
        text.contains(&format!("(define-fun m () (Array S (Array Bool S)) {outer})")),
        "{text}"
    );
}

#[test]
fn floats_are_read_as_real_numbers() {
    for (assertions, verdict) in [
        // The finite values of this format are up to 3.5.
        ("(> (fp.to_real x) 3.4) (not (fp.isInfinite x)) (not (fp.isNaN x))", "sat"),
        ("(> (fp.to_real x) 3.5) (not (fp.isInfinite x)) (not (fp.isNaN x))", "unsat"),
        ("(< 0.1 (fp.to_real x)) (<= (fp.to_real x) (/ 1 4))", "sat"),
        (
            "(< 0.1 (fp.to_real x)) (< (fp.to_real x) (/ 1 4)) (fp.leq (fp.abs x) ((_ to_fp 2 3) RNE 3))",
            "unsat",
        ),
        ("(= (fp.to_real x) 0.3) (fp.leq (fp.abs x) ((_ to_fp 2 3) RNE 3))", "unsat"),
        ("(= (fp.to_real x) (fp.to_real y)) (not (= x y)) (fp.isZero x)", "sat"),
        ("(= ((_ to_fp 2 3) RNE (fp.to_real x)) (_ -zero 2 3)) (fp.isZero x)", "unsat"),
        (
            "(> (fp.to_real z) (fp.to_real x)) (= x ((_ to_fp 2 3) RNE z)) (not (fp.isInfinite x))",
            "sat",
        ),
        (
            "(< (fp.to_real z) (fp.to_real x)) (= x ((_ to_fp 2 3) RTN z)) (fp.leq (fp.abs x) ((_ to_fp 2 3) RNE 3)) (not (fp.isNaN z)) (not (fp.isInfinite z))",
            "unsat",
        ),
        // Which number an infinity is, SMT-LIB does not say.
        ("(> (fp.to_real x) 3.5)", "unknown"),
    ] {
        let declare =
            "(declare-const x (_ FloatingPoint 2 3))(declare-const y (_ FloatingPoint 2 3))
            (declare-const z (_ FloatingPoint 3 4))";
        let asserted: String = format!("(assert (and true {assertions}))");
        check(&format!("{declare}{asserted}(check-sat)"), verdict);
    }
}

#[test]
fn values_of_floats_as_real_numbers() {
    check(
        "(declare-const x (_ FloatingPoint 2 3))(assert (= x (fp.neg ((_ to_fp 2 3) RNE 0.75))))
         (check-sat)(get-value ((fp.to_real x) (ite (fp.isNaN x) 1.0 (fp.to_real (fp.abs x)))))
         (get-value ((fp.to_real ((_ to_fp 2 3) RNE 3.0)) (- 0.5)))
         (get-value ((fp.to_real (_ +oo 2 3))))",
        "sat
         (((fp.to_real x) (- (/ 3.0 4.0)))
         ((ite (fp.isNaN x) 1.0 (fp.to_real (fp.abs x))) (/ 3.0 4.0)))
         (((fp.to_real ((_ to_fp 2 3) RNE 3.0)) 3.0)
         ((- 0.5) (- (/ 1.0 2.0))))
         (error \"4:10: a real number that SMT-LIB leaves open\")",
    );
}

#[test]
fn definitions_and_sorts() {
    check(
        "(define-sort Small () (_ FloatingPoint 2 3))(define-sort Map (I E) (Array I E))
         (define-fun twice ((m RoundingMode) (x Small)) Small (fp.add m x x))
         (define-const half Real 0.5)(declare-const x Small)(declare-sort S 0)
         (declare-const a (Map (_ BitVec 1) Bool))
         (assert (= (twice RNE x) ((_ to_fp 2 3) RNE half)))
         (assert (let ((y x)) (let ((x (fp.neg y)) (z x)) (fp.lt x z))))
         (check-sat)(get-value (x))",
        "sat\n((x (fp #b0 #b00 #b01)))",
    );
    check(
        "(declare-const m RoundingMode)
         (assert (not (= ((_ to_fp 2 3) m (/ 1 3)) ((_ to_fp 2 3) RNE (/ 1.0 3.0)))))
         (assert (= ((_ to_fp 2 3) m (- 1.1)) ((_ to_fp 2 3) RNE -1)))
         (check-sat)(get-value (m))",
        "sat\n((m RTP))",
    );
    // A quotient by zero is some number, but always the same.
    check(
        "(declare-const x (_ FloatingPoint 2 3))
         (assert (= x ((_ to_fp 2 3) RNE (/ 1 0))))(check-sat)
         (assert (distinct x ((_ to_fp 2 3) RNE (/ 1 0))))(check-sat)",
        "sat\nunsat",
    );
}

#[test]
fn arrays_indexed_by_arrays_are_refused() {
    check(
        "(declare-const a (Array (Array Bool Bool) Bool))(declare-const r (Array Bool Bool))
         (assert (select a r))(check-sat)(get-info :reason-unknown)",
        "unknown\n(:reason-unknown \"arrays indexed by arrays\")",
    );
}

#[test]
fn arrays_are_eliminated() {
    let declare = "(declare-const a (Array (_ BitVec 2) (_ BitVec 1)))
        (declare-const b (Array (_ BitVec 2) (_ BitVec 1)))
        (declare-const i (_ BitVec 2))(declare-const j (_ BitVec 2))";
    for (assertions, verdict) in [
        ("(distinct (select a i) (select a j)) (= i j)", "unsat"),
        ("(distinct (select a i) (select a j))", "sat"),
        ("(= (select (store a i #b1) j) #b0) (= i j)", "unsat"),
        ("(= (select (store a i #b1) j) #b0) (distinct (select a j) #b0)", "unsat"),
        ("(= a b) (distinct (select a i) (select b i))", "unsat"),
        ("(not (= a b)) (= (select a #b00) (select b #b00))", "sat"),
        ("(not (= (store a i (select a i)) a))", "unsat"),
        ("(= a (store a i #b1)) (= (select a i) #b0)", "unsat"),
        (
            "(or (= a b) (= (store a i #b1) b)) (distinct (select b i) #b1) (distinct (select a i) (select b i))",
            "unsat",
        ),
        ("(= ((as const (Array (_ BitVec 2) (_ BitVec 1))) #b1) b) (= (select b i) #b0)", "unsat"),
        ("(= (ite (= i j) a b) b) (distinct a b) (= i j)", "unsat"),
    ] {
        let assertions: String = format!("(assert (and {assertions}))");
        check(&format!("{declare}{assertions}(check-sat)"), verdict);
    }
    // Constant arrays over few indices and over many.
    for (sort, entries, verdict) in
        [("Bool", "true false", "sat"), ("(_ BitVec 2)", "#b00 #b01", "unsat")]
    {
        let (first, second) = entries.split_once(' ').expect("two");
        let constant = |v: &str| format!("((as const (Array {sort} Bool)) {v})");
        check(
            &format!(
                "(declare-const p Bool)(declare-const q Bool)(assert (= (store (store {} {first} p)
                 {second} q) {}))(check-sat)",
                constant("false"),
                constant("true")
            ),
            verdict,
        );
    }
    check(
        "(declare-const a (Array Bool Bool))(assert (select a true))(assert (not (select a false)))
         (check-sat)(get-value (a (select a true) (store a false true)))",
        "sat\n((a (store ((as const (Array Bool Bool)) false) true true))
         ((select a true) true)
         ((store a false true) (store (store ((as const (Array Bool Bool)) false) false true) true true)))",
    );
}

#[test]
fn functions_are_eliminated() {
    check(
        "(declare-fun f ((_ BitVec 2) Bool) (_ BitVec 2))(declare-const x (_ BitVec 2))
         (assert (= (f x true) #b01))(assert (= (f #b10 true) #b11))(check-sat)
         (get-value ((f x true) (f #b10 true)))
         (assert (= x #b10))(check-sat)",
        "sat\n(((f x true) #b01)\n((f #b10 true) #b11))\nunsat",
    );
    check(
        "(declare-fun f (Bool) Bool)(declare-const p Bool)
         (assert (not (= (f (f (f p))) (f p))))(check-sat)",
        "unsat",
    );
    check(
        "(declare-fun f (Bool) Bool)(assert (f true))(assert (not (f false)))(check-sat)(get-model)",
        "sat\n(\n(define-fun f ((x!0 Bool)) Bool (ite (= x!0 false) false (ite (= x!0 true) true false)))\n)",
    );
}

#[test]
fn what_is_left_open_is_a_function() {
    let declare = "(declare-const x (_ FloatingPoint 2 3))(declare-const y (_ FloatingPoint 2 3))
        (declare-const m RoundingMode)";
    for (assertions, verdict) in [
        // Either zero, but the same for the same arguments.
        (
            "(fp.isZero x) (fp.isZero y) (fp.isNegative (fp.min x y)) (fp.isPositive (fp.max x y))",
            "sat",
        ),
        ("(= x (_ +zero 2 3)) (= y (_ -zero 2 3)) (fp.isPositive (fp.min x y))", "sat"),
        ("(= x (_ +zero 2 3)) (= y (_ -zero 2 3)) (distinct (fp.min x y) (fp.min y x))", "sat"),
        ("(distinct (fp.min x y) (fp.min x (fp.neg (fp.neg y))))", "unsat"),
        (
            "(distinct (fp.max x y) (fp.max x (fp.add RTZ y (_ +zero 2 3)))) (fp.isZero y)
          (fp.isZero x) (fp.isPositive y)",
            "unsat",
        ),
        ("(not (fp.isZero x)) (distinct (fp.min x y) (fp.min y x))", "unsat"),
        // Integers that do not fit.
        ("(= ((_ fp.to_ubv 2) RTZ x) #b10) (fp.isNaN x)", "sat"),
        ("(distinct ((_ fp.to_ubv 2) m x) ((_ fp.to_ubv 2) m (fp.neg (fp.neg x))))", "unsat"),
        ("(distinct ((_ fp.to_sbv 2) m x) ((_ fp.to_sbv 2) m y)) (= x y)", "unsat"),
        ("(distinct ((_ fp.to_sbv 2) m x) #b01) (= x ((_ to_fp 2 3) RNE 1))", "unsat"),
        (
            "(distinct ((_ fp.to_sbv 2) RTZ x) #b00) (fp.lt x ((_ to_fp 2 3) RNE 1)) (fp.isPositive x)",
            "unsat",
        ),
        // 3.5 rounds to 4, beyond the format but not beyond the integer.
        ("(distinct ((_ fp.to_ubv 3) RNE x) #b100) (= x ((_ to_fp 2 3) RNE 3.5))", "unsat"),
        ("(= ((_ fp.to_ubv 3) RNE x) #b100) (= x ((_ to_fp 2 3) RNE 3.5))", "sat"),
        // Any NaN's encoding, and only that.
        ("(= (fp.to_ieee_bv x) #b11101) (fp.isNaN x)", "sat"),
        ("(= (fp.to_ieee_bv x) #b11100) (fp.isNaN x)", "unsat"),
        ("(distinct (fp.to_ieee_bv x) (fp.to_ieee_bv y)) (= x y)", "unsat"),
        ("(distinct ((_ to_fp 2 3) (fp.to_ieee_bv x)) x)", "unsat"),
    ] {
        let assertions = format!("(assert (and {assertions}))");
        check(&format!("{declare}{assertions}(check-sat)"), verdict);
    }
}

#[test]
fn a_wrong_model_is_no_answer() {
    struct Liar;
    impl Decide for Liar {
        fn decide(&mut self, _: &mut Terms, _: &[Term], _: Option<Duration>) -> Answer {
            Answer::Sat(Model::new())
        }
    }
    let script = "(declare-const p Bool)(assert p)(check-sat)";
    let mut output = Vec::new();
    match Session::new(Liar).run(script.as_bytes(), &mut output) {
        Err(Failure::WrongModel(query)) => assert!(query.contains("(assert p)"), "{query}"),
        other => panic!("{other:?}"),
    }
    assert!(output.is_empty());
}

#[test]
fn mistakes_are_told_with_their_place() {
    for (script, mistake) in [
        ("(check-sat", "1:1: this parenthesis is never closed"),
        ("(check-sat))", "1:12: this parenthesis closes nothing"),
        ("check-sat", "1:1: a command in parentheses, not `check-sat`"),
        ("; c\n  (assert |x)", "2:11: this `|` is never closed"),
        ("(echo \"x)", "1:7: this `\"` is never closed"),
        ("(assert #q1)", "1:9: `#` without `b` or `x`"),
        ("(assert #b12)", "1:9: `#b12` is no binary literal"),
        ("(assert 1a)", "1:9: `1a` is no number"),
        ("(assert x)", "1:9: `x` is not declared"),
        ("(assert\n (and true\n  (foo true)))", "3:4: `foo` is not known here"),
        ("(assert #b1)", "1:9: `#b1` is no truth value"),
        (
            "(assert (bvadd #b1 #b11))",
            "1:10: bvadd takes ((_ BitVec 1) (_ BitVec 1)), not ((_ BitVec 1) (_ BitVec 2))",
        ),
        ("(declare-const x Foo)", "1:18: `Foo` is no sort known here"),
        ("(declare-const x (_ BitVec 0))", "1:28: a width of at least 1"),
        ("(declare-const x (_ FloatingPoint 1 5))", "1:35: an exponent of 2 to 60 bits"),
        ("(declare-const x Bool)(declare-const x Bool)", "1:38: `x` is declared already"),
        ("(declare-const x Real)", "1:18: no unknowns of sort Real or Int"),
        ("(assert (forall ((x Bool)) x))", "1:9: quantifiers are not decided here"),
        ("(define-fun-rec f () Bool true)", "1:2: recursive functions are not decided here"),
        (
            "(declare-datatypes ((P 0)) (((mk))))",
            "1:2: `declare-datatypes`: datatypes are not decided here",
        ),
        ("(define-fun f () Bool #b1)", "1:23: `f` is of sort Bool, its body of (_ BitVec 1)"),
        ("(pop)", "1:2: 0 levels only"),
        ("(push x)", "1:7: a number up to 16777216"),
        ("(assert (let ((x)) x))", "1:15: a binding is `(name term)`"),
        ("(assert (let ((x true)) (x true)))", "1:26: `x` takes no arguments"),
        ("(assert ((_ extract 1 2) #b101))", "1:10: extract of bits 1 to 2 from 3"),
        ("(assert (= (_ bv5 2) #b00))", "1:15: 5 does not fit 2 bits"),
        ("(assert (libm.exp (_ NaN 2 3)))", "1:10: libm.exp is for binary32 and binary64"),
        ("(check-sat 1)", "1:2: `check-sat` is not used like this"),
        ("(frobnicate)", "1:2: `frobnicate` is no command known here"),
        ("()", "1:1: a command"),
        ("(assert ())", "1:9: an empty list is no term"),
        ("(assert \u{e9})", "1:9: byte 0xc3 stands in no word"),
        ("(echo \"\u{e9}\u{e9}\") ]", "1:13: `]` stands in no word"),
    ] {
        let (_, result) = answers(script);
        match result {
            Err(Failure::Mistake(found)) => assert_eq!(found.to_string(), mistake, "{script}"),
            other => panic!("{script}: {other:?}"),
        }
    }
}

#[test]
fn depth_is_no_matter() {
    let depth = 100_000;
    let mut nested = String::from("(declare-const x (_ BitVec 3))(assert (= x ");
    for level in 0..depth {
        let below = if level == 0 { "#b001".to_string() } else { format!("y{}", level - 1) };
        nested.push_str(&format!("(let ((y{level} (bvnot {below}))) "));
    }
    nested.push_str(&format!("y{}", depth - 1));
    nested.push_str(&")".repeat(depth));
    nested.push_str("))(check-sat)(get-value (x))");
    check(&nested, "sat\n((x #b001))");

    let applied = format!(
        "(declare-const x (_ BitVec 3))(declare-const y (_ BitVec 3))(assert (= x {}y{}))(check-sat)",
        "(bvadd x (bvmul y ".repeat(depth),
        "))".repeat(depth)
    );
    check(&applied, "sat");

    let open = "(".repeat(1_000_000);
    let (_, result) = answers(&open);
    assert!(result.is_err());
    let sort = format!("(declare-const x {}Bool{})", "(Array Bool ".repeat(1000), ")".repeat(1000));
    assert!(answers(&sort).1.is_err());
}

/// Answers come as soon as the question is complete, though more input may follow.
#[test]
fn commands_are_answered_as_they_arrive() {
    use std::io::{BufReader, Read, Write};
    let (input, mut questions) = std::io::pipe().expect("a pipe");
    let (mut replies, mut output) = std::io::pipe().expect("a pipe");
    let session = std::thread::spawn(move || {
        Session::new(Exhaustive).run(BufReader::new(input), &mut output).expect("no failure")
    });
    let mut reply = [0; 4];
    questions.write_all(b"(declare-const p Bool)(assert p)(check-sat)").expect("written");
    replies.read_exact(&mut reply).expect("an answer");
    assert_eq!(&reply, b"sat\n");
    questions.write_all(b"(assert (not p))(check-sat)").expect("written");
    let mut reply = [0; 6];
    replies.read_exact(&mut reply).expect("an answer");
    assert_eq!(&reply, b"unsat\n");
    drop(questions);
    assert!(session.join().expect("the session ends"));
}
