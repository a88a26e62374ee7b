//! Programs: what is said to be impossible never happens in runs on numbers, and what must
//! be found impossible is.

mod concrete;

use concrete::Interpreter;
use nanoscope_ieee::Float;
use nanoscope_program::compile::{Compiler, Flags};
use nanoscope_program::ir::{Code, Lowering};
use nanoscope_program::{Program, Scalar, Target, Wish, Wishes};
use nanoscope_ranges::{Findings, Options, Start, analyse};
use std::path::Path;

struct Subject {
    program: Program,
    code: Code,
    targets: Vec<Target>,
}

fn load(file: &Path, flags: &[&str], functions: &[&str], ranges: &[(&str, &str, &str)]) -> Subject {
    let cache = std::env::temp_dir().join(format!("nanoscope-ranges-{}", std::process::id()));
    let compiler = Compiler::caching_in(&cache, Flags::parse(flags)).expect("a cache");
    let bitcode = compiler.bitcode(&[file.into()], None).unwrap_or_else(|fault| panic!("{fault}"));
    let program = Program::load(bitcode).unwrap_or_else(|fault| panic!("{fault}"));
    let mut names: Vec<String> = functions.iter().map(|name| (*name).to_owned()).collect();
    if names.is_empty() {
        names = program.callable().into_iter().map(|candidate| candidate.symbol).collect();
    }
    let mut wishes = Wishes::default();
    for (name, low, high) in ranges {
        let value = ((*low).to_owned(), (*high).to_owned());
        wishes.ranges.push(Wish { function: None, name: (*name).into(), value });
    }
    let targets = program.targets(&names, &wishes).unwrap_or_else(|fault| panic!("{fault}"));
    let lowering = Lowering { functions: names, wishes, ..Lowering::default() };
    let code = program.code(&lowering).unwrap_or_else(|fault| panic!("{fault}"));
    Subject { program, code, targets: targets.into_iter().flatten().collect() }
}

/// A source of this text.
fn source(name: &str, text: &str) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("nanoscope-ranges-src-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let file = folder.join(name);
    std::fs::write(&file, text).expect("it can be written");
    file
}

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 9) % sides
    }

    /// An encoding within an input's range, near its ends and other marks more often.
    fn input(&mut self, input: &nanoscope_program::Input) -> u128 {
        let Scalar::Float(format) = input.scalar else {
            let Scalar::Integer { bits, signed } = input.scalar else { unreachable!() };
            let wide = |v: u128| {
                if signed { ((v << (128 - bits)) as i128) >> (128 - bits) } else { v as i128 }
            };
            let (low, high) = (wide(input.low), wide(input.high));
            let small = self.roll(40) as i128 - 8;
            let any = low + (self.roll(u64::MAX) as i128) % (high - low + 1).max(1);
            let value = match self.roll(4) {
                0 => any,
                1 => low + self.roll(3) as i128,
                2 => high - self.roll(3) as i128,
                _ => small,
            };
            return value.clamp(low, high) as u128 & (u128::MAX >> (128 - bits));
        };
        let place = |bits| Float::from_bits(format, bits).ordinal();
        let (low, high) = (place(input.low), place(input.high));
        let marks = [0.0, 1.0, 0.5, 2.0, 10.0, 1e-8, 1e8, 1e-300, 1e300, 700.0, 20.0, 171.0, 3.25];
        let at = match self.roll(5) {
            0 => low + (self.roll(u64::MAX) as i128) % (high - low + 1),
            1 => low + self.roll(4) as i128,
            2 => high - self.roll(4) as i128,
            _ => {
                let mark = marks[self.roll(marks.len() as u64) as usize];
                let scale = [1.0, 1.0, 0.1, 3.7, 1e3][self.roll(5) as usize];
                let sign = if self.roll(2) == 0 { 1.0 } else { -1.0 };
                let near = Float::from(mark * scale * sign)
                    .convert(format, nanoscope_ieee::Rounding::NearestEven)
                    .0;
                near.ordinal() + self.roll(5) as i128 - 2
            }
        };
        let at = at.clamp(low, high);
        Float::from_ordinal(format, at).and_then(|f| f.to_bits()).expect("a number")
    }
}

/// Runs a target on many inputs: nothing may happen that was excluded. How many exceptions
/// were seen.
fn attack(subject: &Subject, target: &Target, findings: &Findings, runs: u64, seed: u64) -> usize {
    let mut dice = Dice(seed | 1);
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..runs {
        let mut words = vec![0u64; target.input_words];
        for input in &target.inputs {
            let bits = dice.input(input);
            words[input.word] = bits as u64;
            if input.scalar.words() == 2 {
                words[input.word + 1] = (bits >> 64) as u64;
            }
        }
        let mut interpreter = Interpreter::new(&subject.code, &subject.program, 30_000);
        let _ = interpreter.run(target, &words);
        for goal in &interpreter.seen.raised {
            if let Some(why) = findings.impossible.get(goal) {
                let site = &subject.program.sites()[goal.0.0 as usize];
                panic!(
                    "{}: {} {} at {} on {words:x?}, though {why}",
                    target.function,
                    site.action.name(),
                    goal.1,
                    site.location
                );
            }
        }
        for block in &interpreter.seen.blocks {
            assert!(!findings.unreachable.contains(block), "{block:?} reached on {words:x?}");
        }
        for (site, operands, result) in &interpreter.seen.sites {
            let range = &findings.sites[site];
            let known = &subject.program.sites()[site.0 as usize];
            for (operand, floats) in operands.iter().zip(&range.operands) {
                let value = Float::from_bits(floats.format, *operand);
                assert!(floats.contains(&value), "{value} not in {floats} at {}", known.location);
            }
            if let Some(floats) = &range.result {
                let value = Float::from_bits(floats.format, *result);
                assert!(floats.contains(&value), "{value} not in {floats} at {}", known.location);
            }
        }
        seen.extend(interpreter.seen.raised);
    }
    seen.len()
}

fn check(subject: &Subject, target: &Target, runs: u64) -> (Findings, usize) {
    let options = Options { parts: 8, ..Options::default() };
    let findings = analyse(&subject.code, Start::Target(target), &options);
    assert_eq!(findings.stopped, None, "{}", target.function);
    let seen = attack(subject, target, &findings, runs, 7);
    (findings, seen)
}

/// The impossible goals of a target among all of its goals, as `line operation exception`.
fn impossible(subject: &Subject, target: &Target, findings: &Findings) -> Vec<String> {
    let goals = target.goals.iter().map(|id| &subject.program.goals()[id.0 as usize]);
    goals
        .filter(|goal| findings.impossible.contains_key(&(goal.site, goal.exception)))
        .map(|goal| {
            let site = &subject.program.sites()[goal.site.0 as usize];
            format!("{} {} {}", site.location.line, site.action.name(), goal.exception)
        })
        .collect()
}

#[test]
fn examples_survive_attack() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut seen = 0;
    for name in ["average.c", "quotient.c", "norm2.c", "asymptotic.c"] {
        let subject = load(&examples.join(name), &[], &[], &[]);
        for target in &subject.targets {
            seen += check(&subject, target, 300).1;
        }
    }
    assert!(seen > 40, "{seen} exceptions seen");
}

#[test]
fn gsl_survives_attack_where_it_is() {
    let Ok(root) = std::env::var("NANOSCOPE_GSL") else { return };
    let runs = std::env::var("NANOSCOPE_RUNS").ok().and_then(|n| n.parse().ok()).unwrap_or(200);
    let files = std::env::var("NANOSCOPE_FILES").unwrap_or_else(|_| "gamma exp erfc".into());
    let include = format!("-I{root}");
    for name in files.split_whitespace() {
        let file = Path::new(&root).join(format!("specfunc/{name}.c"));
        let subject = load(&file, &[&include], &[], &[]);
        for target in &subject.targets {
            let begin = std::time::Instant::now();
            let deadline = Some(begin + std::time::Duration::from_secs(2));
            let options = Options { parts: 8, deadline, ..Options::default() };
            let findings = analyse(&subject.code, Start::Target(target), &options);
            if let Some(why) = &findings.stopped {
                println!("{}: {why}", target.function);
                continue;
            }
            let analysed = begin.elapsed();
            let seen = attack(&subject, target, &findings, runs, 7);
            let settled = impossible(&subject, target, &findings).len();
            println!(
                "{}: {settled} of {} impossible, {seen} seen, {:?}",
                target.function,
                target.goals.len(),
                analysed
            );
        }
    }
}

/// Checks functions of a text: of each the goals that must be impossible, in its order. The
/// runs on numbers must agree in any case.
fn expect(name: &str, text: &str, ranges: &[(&str, &str, &str)], expected: &[(&str, &[&str])]) {
    let file = source(name, text);
    let functions: Vec<&str> = expected.iter().map(|(function, _)| *function).collect();
    let subject = load(&file, &[], &functions, ranges);
    for (target, (function, goals)) in subject.targets.iter().zip(expected) {
        let (findings, _) = check(&subject, target, 400);
        let found = impossible(&subject, target, &findings);
        for goal in *goals {
            assert!(found.iter().any(|f| f == goal), "{function}: {goal} among {found:#?}");
        }
    }
}

#[test]
fn guards_are_understood() {
    let text = "\
#include <math.h>
double guarded(double x) {
    if (x == 0.0) return 0.0;
    return 1.0 / x;
}
double away(double x) {
    if (fabs(x) < 1e-5) return x;
    return 1.0 / x;
}
double both(double x, double y) {
    if (x > 0.0 && x < 10.0 && y >= 1.0 && y <= 1e6)
        return log(x) * sqrt(y) / y;
    return 0.0;
}
double flag(double x) {
    int fine = x > 1.0 && x < 2.0;
    if (fine) return sqrt(x - 1.0);
    return 0.0;
}
double gap(double x, double y) {
    if (x != y) return 1.0 / (x - y);
    return 0.0;
}
double square(double x) {
    if (x * x > 4.0) return 0.0;
    return acos(x / 2.5);
}
double half(double x) {
    double y = -x;
    if (x > 3.0) return log(-y);
    return 0.0;
}
int whole(double x) {
    if (x >= -100.0 && x <= 100.0) return (int)floor(x);
    return 0;
}
double clamped(double x) {
    double y = fmin(fmax(x, -1.0), 1.0);
    return asin(y);
}
";
    expect(
        "guards.c",
        text,
        &[],
        &[
            ("guarded", &["4 fdiv divide-by-zero", "4 fdiv invalid"]),
            ("away", &["8 fdiv divide-by-zero", "8 fdiv overflow"]),
            (
                "both",
                &[
                    "12 log invalid",
                    "12 log divide-by-zero",
                    "12 sqrt invalid",
                    "12 fmul overflow",
                    "12 fdiv divide-by-zero",
                    "12 fdiv overflow",
                ],
            ),
            ("flag", &["17 sqrt invalid", "17 fsub underflow", "17 fsub overflow"]),
            ("gap", &["21 fdiv divide-by-zero", "21 fdiv invalid"]),
            ("square", &["26 acos invalid", "26 fdiv overflow"]),
            ("half", &["30 log invalid", "30 log divide-by-zero"]),
            ("whole", &["34 fptosi conversion-out-of-range"]),
            ("clamped", &["39 asin invalid"]),
        ],
    );
}

#[test]
fn loops_memory_and_calls_are_followed() {
    let text = "\
static const double table[5] = {0.5, 0.25, -0.125, 0.0625, 1e-3};
static double evaluate(const double *c, int order, double x) {
    double d = 0.0, dd = 0.0;
    for (int j = order; j >= 1; j--) {
        double t = d;
        d = 2.0 * x * d - dd + c[j];
        dd = t;
    }
    return x * d - dd + 0.5 * c[0];
}
double chebyshev(double x) {
    if (x < -1.0 || x > 1.0) return 0.0;
    return evaluate(table, 4, x);
}
struct pair { double value, error; };
static int inner(double x, struct pair *result) {
    if (x < 0.0) { result->value = 1.0; result->error = 0.0; return 1; }
    result->value = x / (1.0 + x);
    result->error = 1e-10 * result->value;
    return 0;
}
double outer(double x) {
    struct pair p;
    inner(x, &p);
    return p.value + p.error;
}
double series(double x) {
    double sum = 0.0;
    for (int k = 1; k <= 20; k++) sum += x / k;
    return sum;
}
double steady(double x, int n) {
    double y = 0.0;
    for (int i = 0; i < n; i++) {
        y = y * 0.5 + 1.0;
        if (y > 100.0) y = 100.0;
    }
    return y * x;
}
double buffered(int n) {
    double a[8];
    for (int i = 0; i < 8; i++) a[i] = i + 1.0;
    if (n < 0 || n > 7) return 0.0;
    return 1.0 / a[n];
}
";
    expect(
        "loops.c",
        text,
        &[("x", "-1e100", "1e100")],
        &[
            ("chebyshev", &["6 fmul overflow", "6 fadd overflow", "9 fmul overflow"]),
            ("outer", &["18 fdiv divide-by-zero", "18 fdiv overflow", "25 fadd overflow"]),
            ("series", &[]),
            ("steady", &["35 fmul overflow", "35 fadd overflow", "38 fmul overflow"]),
            ("buffered", &["44 fdiv divide-by-zero", "44 fdiv overflow"]),
        ],
    );
}

/// Whether every call that means a failure is excluded, from `main` on.
fn proves(name: &str, text: &str, proved: bool) {
    let file = source(name, text);
    let subject = load(&file, &[], &["main"], &[]);
    let main = subject.code.named("main").expect("a main");
    let findings = analyse(&subject.code, Start::Program(main), &Options::default());
    assert_eq!(findings.stopped, None, "{name}");
    assert!(!findings.failures.is_empty(), "{name} can fail at all");
    let safe = findings.failures.iter().all(|call| !call.may_be_reached);
    assert_eq!(safe, proved, "{name}: {:#?}", findings.failures);
}

#[test]
fn assertions_of_whole_programs() {
    let declarations = "\
extern double __VERIFIER_nondet_double(void);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void) __attribute__((noreturn));
";
    // An unbounded loop with an invariant: the filter stays in a bounded interval.
    let filter = "
int main(void) {
    double x = 0.0;
    while (__VERIFIER_nondet_int()) {
        double in = __VERIFIER_nondet_double();
        __VERIFIER_assume(in >= -1.0 && in <= 1.0);
        x = 0.5 * x + in;
        if (!(x >= -4.0 && x <= 4.0)) reach_error();
    }
    return 0;
}
";
    proves("filter.c", &format!("{declarations}{filter}"), true);
    let wrong = filter.replace("4.0", "1.5");
    proves("wrong.c", &format!("{declarations}{wrong}"), false);
    let counter = "
int main(void) {
    int i = 0;
    int n = __VERIFIER_nondet_int();
    while (i < n) i++;
    if (i < 0) reach_error();
    return 0;
}
";
    proves("counter.c", &format!("{declarations}{counter}"), true);
    let squares = "
int main(void) {
    double x = __VERIFIER_nondet_double();
    if (x * x < 0.0) reach_error();
    double y = __VERIFIER_nondet_double();
    __VERIFIER_assume(y > 2.0);
    if (1.0 / y > 0.5) reach_error();
    return 0;
}
";
    proves("squares.c", &format!("{declarations}{squares}"), true);
}
