//! `nanoscope test` by the conventions of the competitions.

use crate::support::Desk;

const TASK: &str = "\
extern double __VERIFIER_nondet_double(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { __builtin_trap(); }
int main(void) {
    double x = __VERIFIER_nondet_double();
    int n = __VERIFIER_nondet_int();
    if (x > 0.5 && x < 0.75 && n == 7)
        if (x * 3 == 2.0625)
            reach_error();
    return 0;
}
";

const REACH: &str = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n";

#[test]
fn a_property_with_its_witness_and_tests() {
    let desk = Desk::new();
    desk.write("task.c", TASK);
    desk.write("reach.prp", REACH);
    let written = ["--witness", "witness.yml", "--test-suite", "suite", "--ktest", "klee"];
    let run = desk.run(&[&["test", "task.c", "--property", "reach.prp"], &written[..]].concat());
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("LTL(G ! call(reach_error())) ): FALSE: "), "{}", run.stdout);
    let read = |name: &str| {
        std::fs::read_to_string(desk.path().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    };
    let witness = read("witness.yml");
    let (x, n, end) = ("\\\\result == 0.6875", "\\\\result == 7", "type: \"target\"");
    let place = |text: &str| witness.find(text).unwrap_or_else(|| panic!("no {text} in {witness}"));
    assert!(place(x) < place(n) && place(n) < place(end), "{witness}");
    assert!(witness[place(end)..].contains("line: 9\n"), "{witness}");
    assert!(read("suite/metadata.xml").contains("<programfile>task.c</programfile>"));
    let suite: String = (1..)
        .map_while(|number| {
            let file = desk.path().join(format!("suite/test-{number:04}.xml"));
            std::fs::read_to_string(file).ok()
        })
        .collect();
    assert!(suite.contains("coversError=\"true\""), "{suite}");
    assert!(suite.contains("type=\"int\">7</input>"), "{suite}");
    let ktest = std::fs::read(desk.path().join("klee/test-0001.ktest")).expect("it is written");
    assert!(ktest.starts_with(b"KTEST\0\0\0\x03"));
}

#[test]
fn a_property_that_holds() {
    let desk = Desk::new();
    desk.write("task.c", TASK.replace("== 2.0625", "> 2.5"));
    desk.write("reach.prp", REACH);
    let arguments = ["test", "task.c", "--property", "reach.prp", "--witness", "witness.yml"];
    let run = desk.run(&arguments);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains(": TRUE: every path was followed"), "{}", run.stdout);
    let witness = std::fs::read_to_string(desk.path().join("witness.yml")).expect("it is written");
    assert!(witness.contains("invariant_set"), "{witness}");
}

#[test]
fn mistakes_in_properties_are_told() {
    let desk = Desk::new();
    desk.write("task.c", TASK);
    desk.write("end.prp", "CHECK( init(main()), LTL(F end) )\n");
    let run = desk.run(&["test", "task.c", "--property", "end.prp"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("end.prp: line 1: ") && run.stderr.contains("is not decided"));
    assert_eq!(desk.run(&["test", "task.c", "--property", "gone.prp"]).code, 2);
}
