//! `nanoscope solve` from outside: answers, bounds, mistakes, exit codes.

use std::io::Write;
use std::process::{Command, Stdio};

/// Runs the command on a script from standard input: exit code, output, errors.
fn run(options: &[&str], script: &str) -> (i32, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_nanoscope"))
        .arg("solve")
        .args(options)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command");
    let mut input = child.stdin.take().expect("its input");
    input.write_all(script.as_bytes()).expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

fn check(options: &[&str], script: &str, code: i32, expected: &str) {
    let (exit, output, errors) = run(options, script);
    assert_eq!((exit, output.as_str()), (code, expected), "{errors}");
}

const RANGE: &str = "\
(declare-const x Float32)
(assert (fp.leq ((_ to_fp 8 24) RNE (- 1.5)) x))
(assert (fp.lt x ((_ to_fp 8 24) RNE 4.0)))
";

#[test]
fn answers_as_solvers_do() {
    check(
        &[],
        "(declare-const p Bool)(assert p)(check-sat)(get-value (p))",
        0,
        "sat\n((p true))\n",
    );
    check(&[], "(declare-const p Bool)(assert p)(assert (not p))(check-sat)", 0, "unsat\n");
    check(&[], "(push)(assert false)(check-sat)(pop)(check-sat)", 0, "unsat\nsat\n");
    let square = "(declare-const x Float64)(assert (fp.lt (fp.mul RNE x x) (_ -zero 11 53)))";
    check(&[], &format!("{square}(check-sat)"), 0, "unsat\n");
}

#[test]
fn bounds_come_after_sat() {
    let script = format!("{RANGE}(check-sat)");
    check(&["--bounds"], &script, 0, "sat\nx -0x1.8p+0 0x1.fffffep+1\n");
    let free = "(declare-const y Float32)(check-sat)";
    check(&["--bounds"], free, 0, "sat\ny -inf inf nan\n");
    let nothing = "(declare-const y Float32)(assert (fp.lt y y))(check-sat)";
    check(&["--bounds"], nothing, 0, "unsat\n");
    let zeros = "(declare-const z Float32)(assert (fp.isZero z))(check-sat)";
    check(&["--bounds"], zeros, 0, "sat\nz -0x0p+0 0x0p+0\n");
}

#[test]
fn bounds_of_named_variables() {
    let script = format!("(declare-const w Float32){RANGE}(declare-const y Float32)(check-sat)");
    check(&["--bounds", "y,x"], &script, 0, "sat\ny -inf inf nan\nx -0x1.8p+0 0x1.fffffep+1\n");
    check(&["--bounds=|w|"], &script, 0, "sat\nw -inf inf nan\n");
    let (code, output, errors) = run(&["--bounds", "v"], &script);
    assert_eq!((code, output.as_str()), (2, "sat\n"));
    assert!(errors.contains("`v` is no floating-point variable"), "{errors}");
}

#[test]
fn boxes_of_propagation_alone() {
    let script = "(declare-const x Float32)(declare-const y Float32)(define-const two Float32 ((_ to_fp 8 24) RNE 2))
        (assert (fp.leq ((_ to_fp 8 24) RNE 1) x two))(assert (fp.leq ((_ to_fp 8 24) RNE 1) y two))
        (assert (fp.eq (fp.mul RNE (fp.sub RNE x y) (fp.add RNE x y)) ((_ to_fp 8 24) RNE 0.3)))(check-sat)";
    let options = ["--engine", "propagate", "--bounds"];
    let (code, output, errors) = run(&options, script);
    let mut lines = output.lines();
    assert_eq!((code, lines.next()), (0, Some("unknown")), "{errors}");
    let names: Vec<&str> = lines.filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names, ["x", "y"], "{output}");
    let nothing = "(declare-const y Float32)(assert (fp.lt y y))(check-sat)";
    check(&options, nothing, 0, "unsat\n");
}

#[test]
fn every_engine_can_be_asked_alone() {
    for engine in ["propagate", "search", "reals", "prune", "blast"] {
        let (code, output, errors) = run(&["--engine", engine], &format!("{RANGE}(check-sat)"));
        assert_eq!((code, output.as_str()), (0, "sat\n"), "{engine}: {errors}");
    }
    let (code, _, errors) = run(&["--engine", "magic"], "");
    assert_eq!(code, 2);
    assert!(errors.contains("magic"), "{errors}");
}

#[test]
fn mistakes_have_a_place() {
    check(&[], "(check-sat)\n (assert foo)", 2, "sat\n(error \"2:10: `foo` is not declared\")\n");
    let (code, _, errors) = run(&["--time-limit", "-1"], "");
    assert_eq!(code, 2);
    assert!(errors.contains("time-limit"), "{errors}");
}

#[test]
fn a_limit_is_no_answer() {
    let hard = "\
(declare-const a (_ BitVec 128))
(declare-const b (_ BitVec 128))
(assert (= (bvmul a b) #x3ffffffffffffffa4000000000000ea3))
(assert (and (bvult a #x00000000000000010000000000000000) (bvult #x00000000000000000000000000000001 a)))
(assert (and (bvult b #x00000000000000010000000000000000) (bvult #x00000000000000000000000000000001 b)))
(check-sat)
(get-info :reason-unknown)
";
    let (code, output, errors) = run(&["--time-limit", "0.2"], hard);
    assert_eq!(code, 0, "{errors}");
    assert!(output.starts_with("unknown\n"), "{output}");
}
