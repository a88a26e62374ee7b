//! From C source to confirmed points: search on the instrumented library, replay on
//! the original.

use nanoscope_budget::Budget;
use nanoscope_native::{Hunt, Judgement, Limits, Promise, Replayer, confirm, search_goals};
use nanoscope_program::compile::{Compiler, Flags};
use nanoscope_program::{Goal, Program, Wishes};
use tempfile::TempDir;

/// What is confirmed of `function`, as `line operation exception`, and how many
/// candidates were refuted.
fn confirmed(source: &str, flags: &str, function: &str) -> (Vec<String>, u32) {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("subject.c");
    std::fs::write(&file, source).unwrap();
    let flags = Flags::parse(flags.split_whitespace());
    let compiler = Compiler::caching_in(&folder.path().join("cache"), flags).unwrap();
    let program = Program::load(compiler.bitcode(&[file], None).unwrap()).unwrap();
    let names = [function.to_string()];
    let wishes = Wishes::default();
    let target = program.targets(&names, &wishes).unwrap().remove(0).ok().unwrap();
    let libraries = program.libraries(&names, &wishes, &compiler, folder.path(), None).unwrap();
    let limits = Limits::default();
    let replayer = Replayer::new(&libraries.original(&target).unwrap(), &limits).unwrap();
    let goal = |id: nanoscope_program::GoalId| &program.goals()[id.0 as usize];
    let settled = target.goals.iter().copied().filter(|id| goal(*id).never.is_some()).collect();
    let hunt = Hunt { settled, limits, ..Hunt::default() };
    let budget = Budget::unlimited().with_evaluations(200_000);
    let instrumented = libraries.instrumented(&target).unwrap();
    let catch = search_goals(&instrumented, &hunt, &budget, &mut |candidate| {
        let Goal { site, exception, .. } = *goal(candidate.goal);
        let (point, record) = (candidate.point, Some(candidate.record));
        let found = confirm(&replayer, &Promise { site, exception, point, record })?;
        Ok(if found.is_some() { Judgement::Confirmed } else { Judgement::Refuted })
    })
    .unwrap();
    let refuted = catch.pursuits.iter().map(|pursuit| pursuit.refuted).sum();
    let mut told: Vec<String> = catch
        .pursuits
        .iter()
        .filter(|pursuit| pursuit.confirmed)
        .map(|pursuit| {
            let site = &program.sites()[goal(pursuit.goal).site.0 as usize];
            let exception = goal(pursuit.goal).exception;
            format!("{} {} {exception}", site.location.line, site.action.name())
        })
        .collect();
    told.sort();
    (told, refuted)
}

/// Exactly these are confirmed, and nothing has to be refuted.
fn check(source: &str, function: &str, expected: &[&str]) {
    let (told, refuted) = confirmed(source, "-O0", function);
    assert_eq!(told, expected, "{source}");
    assert_eq!(refuted, 0, "{source}");
}

#[test]
fn arithmetic() {
    check(
        "double f(double x, double y) {\n double s = x * y;\n return 1.0 / (s + 1.0);\n}\n",
        "f",
        &["2 fmul overflow", "2 fmul underflow", "3 fdiv divide-by-zero", "3 fdiv underflow"],
    );
}

#[test]
fn guarded_arithmetic() {
    check(
        "double f(double x, int n) {\n if (x < 1.0 || x > 2.0) return 0;\n \
         if (n != 12345) return 1;\n return 1.0 / (x - 1.5);\n}\n",
        "f",
        &["4 fdiv divide-by-zero"],
    );
}

#[test]
fn libm() {
    check(
        "#include <math.h>\ndouble f(double x) {\n double a = exp(x);\n double b = log(x);\n \
         return sqrt(b) + a;\n}\n",
        "f",
        &[
            "3 exp overflow",
            "3 exp underflow",
            "4 log divide-by-zero",
            "4 log invalid",
            "5 sqrt invalid",
        ],
    );
}

#[test]
fn conversions_to_integers() {
    check(
        "double f(double x, float y) {\n int a = (int)x;\n unsigned long b = (unsigned long)x;\n \
         signed char c = (signed char)y;\n return a + b + c;\n}\n",
        "f",
        &[
            "2 fptosi conversion-out-of-range",
            "3 fptoui conversion-out-of-range",
            "4 fptosi conversion-out-of-range",
        ],
    );
}

#[test]
fn long_double_and_float() {
    check(
        "int f(float x, long double y) {\n float a = x * x;\n long double c = y * y;\n \
         return a < c;\n}\n",
        "f",
        &["2 fmul overflow", "2 fmul underflow", "3 fmul overflow", "3 fmul underflow"],
    );
}

/// Many probes in one function are calls, and the function is not optimised: they see the same.
#[test]
fn large_functions() {
    let mut source = "static double kept; static double step(double t) { return t + 1.0; }\n\
                      double f(double x, int n) {\n double t = x;\n"
        .to_owned();
    for _ in 0..150 {
        source += " t = t * 0.5; kept += step(t);\n";
    }
    source += " if (n != 12345) return kept;\n return 1.0 / (x - 1.5) + n / 3;\n}\n";
    let (told, refuted) = confirmed(&source, "-O0", "f");
    assert!(told.contains(&"155 fdiv divide-by-zero".to_owned()), "{told:?}");
    assert!(told.contains(&"4 fmul underflow".to_owned()), "{told:?}");
    assert_eq!(refuted, 0);
}
