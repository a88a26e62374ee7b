//! Functions of bit strings that are written out by others, against integers;
//! and formats of extreme range, which must not take extreme time.

use nanoscope_term::smtlib::read;
use nanoscope_term::{Model, Value, evaluate};

/// The signed number that the low bits of `value` are.
fn signed(value: i64, width: u32) -> i64 {
    value << (64 - width) >> (64 - width)
}

/// What SMT-LIB's definitions say of width-`w` numbers `a` and `b`, as a number.
fn expected(name: &str, w: u32, a: i64, b: i64) -> i64 {
    let (sa, sb) = (signed(a, w), signed(b, w));
    let outside = |value: i64| value != signed(value, w);
    let too_big = |value: i64| !(0..1 << w).contains(&value);
    match name {
        "bvsdiv" if sb == 0 => {
            if sa < 0 {
                1
            } else {
                -1
            }
        }
        "bvsdiv" => sa.wrapping_div(sb),
        "bvsrem" | "bvsmod" if sb == 0 => sa,
        "bvsrem" => sa % sb,
        "bvsmod" => ((sa % sb) + sb) % sb,
        "bvnand" => !(a & b),
        "bvnor" => !(a | b),
        "bvxnor" => !(a ^ b),
        "bvcomp" => (a == b) as i64,
        "bvugt" => (a > b) as i64,
        "bvuge" => (a >= b) as i64,
        "bvsgt" => (sa > sb) as i64,
        "bvsge" => (sa >= sb) as i64,
        "bvuaddo" => too_big(a + b) as i64,
        "bvsaddo" => outside(sa + sb) as i64,
        "bvusubo" => too_big(a - b) as i64,
        "bvssubo" => outside(sa - sb) as i64,
        "bvumulo" => too_big(a * b) as i64,
        "bvsmulo" => outside(sa * sb) as i64,
        "bvsdivo" => (sb != 0 && outside(sa / sb)) as i64,
        "bvnego" => outside(-sa) as i64,
        "bvredor" => (a != 0) as i64,
        "bvredand" => (a == (1 << w) - 1) as i64,
        "(_ rotate_left 1)" => a << 1 | a >> (w - 1),
        "(_ rotate_right 4)" => a >> 1 | a << (w - 1),
        "(_ repeat 5)" => (0..5).fold(0, |all, _| all << w | a),
        other => panic!("{other}"),
    }
}

/// Checks that a closed formula is true.
#[track_caller]
fn check(formula: &str) {
    let problem = read(&format!("(assert {formula})"));
    let problem = problem.unwrap_or_else(|mistake| panic!("{formula}: {mistake}"));
    let value = evaluate(&problem.terms, &Model::new(), problem.assertions[0]);
    assert_eq!(value, Value::Bool(true), "{formula}");
}

#[test]
fn functions_of_bits_are_what_smtlib_defines() {
    let bits = |width: u32, value: i64| {
        let text: String =
            (0..width).rev().map(|i| if value >> i & 1 == 1 { '1' } else { '0' }).collect();
        format!("#b{text}")
    };
    let w = 3;
    let binary = [
        "bvsdiv", "bvsrem", "bvsmod", "bvnand", "bvnor", "bvxnor", "bvcomp", "bvugt", "bvuge",
        "bvsgt", "bvsge", "bvuaddo", "bvsaddo", "bvusubo", "bvssubo", "bvumulo", "bvsmulo",
        "bvsdivo",
    ];
    let unary = [
        "bvnego",
        "bvredor",
        "bvredand",
        "(_ rotate_left 1)",
        "(_ rotate_right 4)",
        "(_ repeat 5)",
    ];
    for a in 0..1 << w {
        for b in 0..1 << w {
            for name in binary.iter().chain(if b == 0 { &unary[..] } else { &[] }) {
                let two = binary.contains(name);
                let second = if two { bits(w, b) } else { String::new() };
                let result = expected(name, w, a, b);
                let truth = name.ends_with('o') || name.contains("gt") || name.contains("ge");
                let text = match *name {
                    "bvcomp" | "bvredor" | "bvredand" => bits(1, result),
                    "(_ repeat 5)" => bits(5 * w, result),
                    _ if truth => (result == 1).to_string(),
                    _ => bits(w, result),
                };
                check(&format!("(= ({name} {} {second}) {text})", bits(w, a)));
            }
        }
    }
}

#[test]
fn extreme_formats_are_quick() {
    let started = std::time::Instant::now();
    let sort = "30 4";
    let one = format!("(fp #b0 #b0{} #b000)", "1".repeat(29));
    let great = format!("(fp #b0 #b{}0 #b111)", "1".repeat(29));
    let least = format!("(fp #b0 #b{} #b001)", "0".repeat(30));
    for expression in [
        format!("(= (fp.add RNE {great} {least}) {great})"),
        format!("(= (fp.sub RNE {least} {least}) (_ +zero {sort}))"),
        format!("(= (fp.add RTP {great} {least}) (_ +oo {sort}))"),
        format!("(= (fp.mul RNE {great} {great}) (_ +oo {sort}))"),
        format!("(= (fp.div RNE {least} {great}) (_ +zero {sort}))"),
        format!("(= (fp.fma RTN {least} {least} {one}) {one})"),
        format!("(= (fp.roundToIntegral RTP {least}) {one})"),
        format!("(= (fp.rem {great} {least}) (_ +zero {sort}))"),
        format!("(= (fp.rem {least} {great}) {least})"),
        format!("(= (fp.sqrt RNE {one}) {one})"),
        format!("(= (fp.eq {great} {great}) true)"),
        format!("(= ((_ fp.to_ubv 8) RTP {least}) #x01)"),
        format!("(= ((_ to_fp 5 11) RNE {great}) (_ +oo 5 11))"),
        format!("(= ((_ to_fp {sort}) RNE #x01) {one})"),
    ] {
        check(&expression);
    }
    assert!(started.elapsed().as_secs() < 10);
}

#[test]
fn libm_is_the_machines() {
    use nanoscope_term::{Libm, Terms};
    let mut terms = Terms::new();
    let (x, y) = (0.75f64, 0.5f64);
    for &function in Libm::ALL {
        let (double, single) = (function.of_doubles(x, y), function.of_singles(0.75, 0.5));
        let doubles = [terms.f64(x), terms.f64(y)];
        let singles = [terms.f32(0.75), terms.f32(0.5)];
        let arity = function.arity();
        let wide = terms.libm(function, &doubles[..arity]);
        let narrow = terms.libm(function, &singles[..arity]);
        assert_eq!(terms.value(wide), Some(&Value::from_f64(double)), "{function:?}");
        assert_eq!(terms.value(narrow), Some(&Value::from_f32(single)), "{function:?}");
    }
    // Every one is read by its name; all are finite at 0.75 (or 1.75) and 0.5.
    for function in Libm::ALL {
        assert_eq!(Libm::from_name(function.name()), Some(*function));
        let first = if *function == Libm::Acosh { "1.75" } else { "0.75" };
        let args = [first, "0.5"].map(|number| format!("((_ to_fp 11 53) RNE {number})"));
        let args = args[..function.arity()].join(" ");
        let name = function.name();
        check(&format!(
            "(not (or (fp.isNaN (libm.{name} {args})) (fp.isZero (libm.{name} {args}))))"
        ));
    }
}
