//! Replay: what the original code raises, where, and what it may not do.

mod support;

use nanoscope_native::{
    Death, Event, Limits, Number, Promise, Replay, Replayer, RunEnd, confirm, confirm_alone,
};
use nanoscope_program::{Exception, SiteId};
use std::time::{Duration, Instant};
use support::original;
use tempfile::TempDir;

/// A subject and how it is built.
#[derive(Clone, Copy, Default)]
struct Subject<'a> {
    lines: &'a str,
    flags: &'a [&'a str],
    wrapped: &'a [&'a str],
    conversions: &'a [(usize, u32, bool)],
}

fn limits() -> Limits {
    Limits { replay: Duration::from_secs(5), memory: 64 << 20, ..Limits::default() }
}

fn replay(subject: Subject<'_>, x: f64, y: f64) -> Replay {
    let Subject { lines, flags, wrapped, conversions } = subject;
    let original = original(lines, flags, wrapped, conversions);
    Replayer::new(&original, &limits()).unwrap().run(&[x.to_bits(), y.to_bits()]).unwrap()
}

/// An event as `site exception`, the site as its line.
fn told(event: &Event) -> String {
    let line = event.site.map_or("-".into(), |site| (site.0 + 1).to_string());
    let exception = match event.exception {
        Exception::Overflow => "overflow",
        Exception::Underflow => "underflow",
        Exception::DivideByZero => "zero",
        Exception::Invalid => "invalid",
        Exception::ConversionOutOfRange => "range",
        Exception::IntegerOverflow => "wraps",
    };
    match &event.call {
        Some(name) => format!("{line} {exception} {name}"),
        None => format!("{line} {exception}"),
    }
}

/// The subject, run on x and y at each of the levels, raises `expected`, no more.
fn check_at(levels: &[&str], subject: Subject<'_>, x: f64, y: f64, expected: &[&str]) -> Replay {
    let mut last = None;
    for level in levels {
        let mut flags = subject.flags.to_vec();
        flags.push(level);
        let replay = replay(Subject { flags: &flags, ..subject }, x, y);
        let events: Vec<String> = replay.events.iter().map(told).collect();
        assert_eq!(events, expected, "{} {level} on {x:e}, {y:e}", subject.lines);
        assert_eq!((replay.outcome, replay.complete), (RunEnd::Returned, true));
        last = Some(replay);
    }
    last.unwrap()
}

fn check(lines: &str, x: f64, y: f64, expected: &[&str]) -> Replay {
    check_at(&["-O0", "-O2"], Subject { lines, ..Subject::default() }, x, y, expected)
}

const BINARY: &str = "double subject(double x, double y) {\n double s = x OP y;\n return s; }";

#[test]
fn scalar_arithmetic() {
    let check =
        |op: &str, x, y, expected: &[&str]| check(&BINARY.replace("OP", op), x, y, expected);
    let inf = f64::INFINITY;
    let tiny = f64::MIN_POSITIVE;
    check("+", 1.0, 2.0, &[]);
    check("+", 0.1, 0.2, &[]);
    check("-", inf, inf, &["2 invalid"]);
    check("*", 0.0, inf, &["2 invalid"]);
    check("*", 1e200, 1e200, &["2 overflow"]);
    check("*", 1e-200, 1e-200, &["2 underflow"]);
    check("-", 1.5 * tiny, tiny, &["2 underflow"]); // exact, tiny
    check("/", 1.0, 0.0, &["2 zero"]);
    check("/", 0.0, 0.0, &["2 invalid"]);
    check("/", inf, 0.0, &[]);
    check("+", f64::NAN, 1.0, &[]); // passed on, not born
    check("+", inf, 1.0, &[]);
}

#[test]
fn operands_and_results() {
    let replay = check(&BINARY.replace("OP", "*"), 1e200, -1e200, &["2 overflow"]);
    let event = &replay.events[0];
    let shown: Vec<String> = event.operands.iter().map(Number::to_string).collect();
    assert_eq!(shown, ["1e200", "-1e200"]);
    assert_eq!(event.result.unwrap().to_string(), "-inf");
    assert_eq!(replay.born(), Some(event));
    assert_eq!(replay.exceptional_outputs, [0]);
    assert_eq!(f64::from_bits(replay.outputs[0]), f64::NEG_INFINITY);
}

#[test]
fn the_birth_is_told_apart_from_what_follows() {
    let lines = "double subject(double x, double y) {\n double a = x * y;\n double b = a - a;\n \
                 double c = b + 1;\n return c * 1e300 * 1e300; }";
    let replay = check(lines, 1e200, 1e200, &["2 overflow", "3 invalid"]);
    assert_eq!(replay.born().unwrap().site, Some(SiteId(1)));
    assert!(replay.shows(SiteId(2), Exception::Invalid));
    assert!(!replay.shows(SiteId(3), Exception::Invalid));
}

#[test]
fn square_roots_floats_and_narrowing() {
    let sqrt = "double subject(double x, double y) {\n return sqrt(x); }";
    check_at(
        &["-O2"],
        Subject { lines: sqrt, flags: &["-fno-math-errno"], ..Subject::default() },
        -1.0,
        0.0,
        &["2 invalid"],
    );
    let float =
        "double subject(double x, double y) {\n float a = x;\n float b = y;\n return a * b; }";
    check(float, 1e30, 1e30, &["4 overflow"]);
    check(float, 1e-30, 1e-30, &["4 underflow"]);
    check(float, 1e300, 0.5, &["2 overflow"]);
    check(float, 1e-300, 0.5, &["2 underflow"]);
}

#[test]
fn packed_arithmetic() {
    let vector = "typedef double two __attribute__((vector_size(16)));\n\
                  double subject(double x, double y) { two a = {x + 1, x}; two b = {y, y};\n \
                  two c = a / b;\n return c[0] + c[1]; }";
    let replay = check(vector, 0.0, 0.0, &["3 invalid", "3 zero"]);
    assert_eq!(replay.events[0].result.unwrap().class(), nanoscope_native::Class::Nan);
    assert_eq!(replay.events[1].operands[0].to_string(), "1.0");
    let subject = Subject { lines: vector, flags: &["-mavx"], ..Subject::default() };
    // Once for each of the two.
    let replay = check_at(&["-O2"], subject, 1e300, 1e-300, &["3 overflow", "3 overflow"]);
    assert!(replay.events.iter().all(|event| event.packed));
}

#[test]
fn long_double() {
    let lines = "double subject(double x, double y) {\n long double a = x;\n long double b = a * y;\n \
                 long double c = b / (a - y);\n double d = c;\n return d; }";
    check(lines, 1.0, 2.0, &[]);
    check(lines, 3.0, 3.0, &["4 zero"]);
    check(lines, 0.0, 0.0, &["4 invalid"]);
    check(lines, 1e200, 1e-200, &[]);
    let replay = check(lines, 1e300, 1e290, &[]);
    assert!(replay.exceptional_outputs.is_empty());
    let square = "double subject(double x, double y) {\n long double a = x;\n \
                  for (int i = 0; i < 5; i++)\n  a *= a;\n return a > y; }";
    let replay = check(square, 1e300, 0.0, &["4 overflow"]);
    assert_eq!(replay.events[0].times, 1);
    check(square, 1e-300, 0.0, &["4 underflow"]);
    let narrow = "double subject(double x, double y) {\n long double a = (long double)x * y;\n \
                  return a; }";
    check(narrow, 1e200, 1e200, &["3 overflow"]);
    check(narrow, 1e-200, 1e-200, &["3 underflow"]);
}

#[test]
fn calls_of_libm() {
    let check = |call: &str, wrapped: &[&str], x: f64, y: f64, expected: &[&str]| {
        let lines = format!("double subject(double x, double y) {{\n return {call}; }}");
        let subject = Subject { lines: &lines, wrapped, ..Subject::default() };
        check_at(&["-O0", "-O2"], subject, x, y, expected)
    };
    check("exp(x)", &["exp"], 1.0, 0.0, &[]);
    check("exp(x)", &["exp"], 1e9, 0.0, &["2 overflow exp"]);
    check("exp(x)", &["exp"], -1e9, 0.0, &["2 underflow exp"]);
    check("exp(x)", &["exp"], f64::INFINITY, 0.0, &[]);
    check("exp(x)", &["exp"], f64::NAN, 0.0, &[]);
    let replay = check("log(x)", &["log"], 0.0, 0.0, &["2 zero log"]);
    assert_eq!(
        replay.events[0].operands,
        [Number::Float { format: nanoscope_ieee::Format::BINARY64, bits: 0 }]
    );
    check("log(x)", &["log"], -1.0, 0.0, &["2 invalid log"]);
    check("pow(x, y)", &["pow"], 1e200, 2.0, &["2 overflow pow"]);
    check("pow(x, y)", &["pow"], 0.0, -1.0, &["2 zero pow"]);
    check("pow(x, y)", &["pow"], -1.0, 0.5, &["2 invalid pow"]);
    check("sqrt(x)", &["sqrt"], -1.0, 0.0, &["2 invalid sqrt"]);
    check("fmod(x, y)", &["fmod"], 1.0, 0.0, &["2 invalid fmod"]);
    check("sinf(x)", &["sinf"], 1e-44, 0.0, &["- underflow", "2 underflow sinf"]);
    check("acosl(x)", &["acosl"], 2.0, 0.0, &["2 invalid acosl"]);
    check("tgammal(x)", &["tgammal"], 1e300, 0.0, &["2 overflow tgammal"]);
    check("ldexp(x, (int)y)", &["ldexp"], 1.0, 5000.0, &["2 overflow ldexp"]);
    check("fmin(x, y)", &["fmin"], 1e-310, 1.0, &[]);
    check("lround(x)", &["lround"], 1e30, 0.0, &["2 range lround"]);
    check("ilogb(x)", &["ilogb"], 0.0, 0.0, &["2 invalid ilogb"]);
}

#[test]
fn what_happens_in_other_libraries_belongs_to_the_call() {
    let lines = "double subject(double x, double y) {\n double a = x + 1;\n return log(a) + y; }";
    let subject = Subject { lines, ..Subject::default() };
    let replay = replay(Subject { flags: &["-O0"], ..subject }, -1.0, 0.0);
    let events: Vec<String> = replay.events.iter().map(told).collect();
    assert!(events.contains(&"3 zero".into()), "{events:?}");
    let within = replay.events[0].within.as_ref().unwrap();
    assert!(within.contains("libm"), "{within}");
}

#[test]
fn exceptions_in_a_callee() {
    let lines = "__attribute__((noinline)) static double inner(double a, double b) {\n \
                 return a / b;\n }\ndouble subject(double x, double y) {\n return inner(x, y) + 1; }";
    check(lines, 1.0, 0.0, &["2 zero"]);
}

#[test]
fn conversions() {
    let check = |ty: &str, bits, signed, good: &[f64], bad: &[f64]| {
        for from in ["double", "float", "long double"] {
            let lines = format!(
                "double subject(double x, double y) {{ {from} a = x;\n volatile {ty} n = ({ty})a;\n \
                 return n; }}"
            );
            let conversions = [(1, bits, signed)];
            for level in ["-O0", "-O2"] {
                let original = original(&lines, &[level], &[], &conversions);
                let replayer = Replayer::new(&original, &limits()).unwrap();
                for (values, expected) in [(good, false), (bad, true)] {
                    for x in values {
                        if from == "float" && f64::from(*x as f32) != *x && x.is_finite() {
                            continue;
                        }
                        let replay = replayer.run(&[x.to_bits(), 0]).unwrap();
                        let events: Vec<_> = replay.events.iter().map(told).collect();
                        let want: &[&str] = if expected { &["2 range"] } else { &[] };
                        assert_eq!(events, want, "{from} {x} to {ty} {level}");
                    }
                }
            }
        }
    };
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    check("signed char", 8, true, &[127.5, -128.5, 0.0], &[128.0, -129.0, nan]);
    check("short", 16, true, &[32767.0, -32768.5], &[32768.0, 1e9]);
    check("int", 32, true, &[2147483647.5, -2147483648.5], &[2147483648.0, -2147483649.0, inf]);
    check("unsigned", 32, false, &[4294967295.5, -0.5], &[4294967296.0, -1.0, nan]);
    check("long", 64, true, &[9e18, -9223372036854775808.0], &[9223372036854775808.0, -1e19, nan]);
    check(
        "unsigned long",
        64,
        false,
        &[5.0, -0.5, 9223372036854775808.0, 1.8e19],
        &[18446744073709551616.0, -1.0, -1e30, nan, inf],
    );
}

#[test]
fn loops_are_counted_and_bounded() {
    let lines = "double subject(double x, double y) {\n double s = 0;\n \
                 for (int i = 0; i < 5000; i++)\n  s += x / (y * i);\n return s; }";
    let subject = original(lines, &["-O0"], &[], &[]);
    let run = |traps| {
        let limits = Limits { traps, ..limits() };
        let start = Instant::now();
        let replay = Replayer::new(&subject, &limits).unwrap().run(&[1f64.to_bits(), 0]).unwrap();
        println!("{} traps in {:?}", replay.traps, start.elapsed());
        replay
    };
    let replay = run(1_000_000);
    assert_eq!((replay.events[0].times, replay.complete), (5000, true));
    assert_eq!(replay.outcome, RunEnd::Returned);
    let replay = run(100);
    assert_eq!((replay.outcome, replay.complete), (RunEnd::Returned, false));
    assert_eq!(replay.exceptional_outputs, [0]);
}

#[test]
fn the_program_still_sees_its_flags() {
    let lines = "double subject(double x, double y) {\n volatile double a = x * x;\n \
                 return fetestexcept(FE_OVERFLOW) ? 1 : 0; }";
    let replay =
        check_at(&["-O0"], Subject { lines, ..Subject::default() }, 1e200, 0.0, &["2 overflow"]);
    assert_eq!(f64::from_bits(replay.outputs[0]), 1.0);
}

#[test]
fn endings() {
    let check = |code: &str, expected: Death| {
        let lines = format!("double subject(double x, double y) {{\n {code}; return x; }}");
        let subject = original(&lines, &["-O0"], &[], &[]);
        let limits = Limits { replay: Duration::from_millis(1500), ..limits() };
        let replay = Replayer::new(&subject, &limits).unwrap().run(&[0, 0]).unwrap();
        assert_eq!(replay.outcome, RunEnd::Died(expected), "{code}");
        replay
    };
    check("*(volatile int *)8 = 1", Death::Signal(libc::SIGSEGV));
    let replay = check("x = 1 / x; abort()", Death::Signal(libc::SIGABRT));
    assert_eq!(replay.events.len(), 1);
    check("volatile int zero = 0; zero = 1 / zero", Death::Signal(libc::SIGFPE));
    check("raise(SIGFPE)", Death::Signal(libc::SIGFPE));
    check("__builtin_debugtrap()", Death::Signal(libc::SIGTRAP));
    let replay = check("printf(\"bye\"); exit(7)", Death::Exited(7));
    assert_eq!(replay.stdout, "bye");
    check("exit(0)", Death::Exited(0));
    check("for (;;) ;", Death::TimedOut);
    check("x = subject(x, y) + 1", Death::Signal(libc::SIGSEGV));
    check("for (;;) memset(malloc(1 << 20), 1, 1 << 20)", Death::OutOfMemory);
}

#[test]
fn printing_and_what_is_forbidden() {
    let outside = TempDir::new().unwrap();
    let file = outside.path().join("file");
    let lines = format!(
        "double subject(double x, double y) {{\n printf(\"%g\\n\", x);\n \
         fprintf(stderr, \"oops\");\n \
         return (fopen(\"{}\", \"w\") != NULL) + 2 * (fork() >= 0)\n \
         + 4 * (socket(AF_INET, SOCK_STREAM, 0) >= 0); }}",
        file.display()
    );
    let replay = check(&lines, 2.5, 0.0, &[]);
    assert_eq!(f64::from_bits(replay.outputs[0]), 0.0);
    assert_eq!((&*replay.stdout, &*replay.stderr), ("2.5\n", "oops"));
    assert!(!file.exists());
    let flood = "double subject(double x, double y) {\n for (int i = 0; i < 100000; i++)\n  \
                 printf(\"%0200d\\n\", i);\n return 0; }";
    assert!(check(flood, 0.0, 0.0, &[]).stdout.len() <= 16 << 10);
}

#[test]
fn a_run_is_left_when_it_has_shown_what_it_was_to_show() {
    const ENDLESS: &str = "double subject(double x, double y) {
 volatile double s = 0;
 for (;;) { s = x * x;
 s = y * y; } }";
    let original = original(ENDLESS, &["-O0"], &[], &[]);
    let limits = Limits { replay: Duration::from_millis(50), ..limits() };
    let replayer = Replayer::new(&original, &limits).unwrap();
    let point = [1e200f64.to_bits(), 1e-200f64.to_bits()];
    let (first, second) = (SiteId(2), SiteId(3)); // by their lines
    // Of the two operations, which both misbehave over and over, one is asked about at a time,
    // by the same process again and again.
    for _ in 0..20 {
        let replay = replayer.glance(&point, first, Exception::Overflow).unwrap();
        assert_eq!(replay.outcome, RunEnd::Left);
        assert!(replay.shows(first, Exception::Overflow));
        assert!(!replay.shows(second, Exception::Underflow), "nobody asked");
        let replay = replayer.glance(&point, second, Exception::Underflow).unwrap();
        assert_eq!(replay.outcome, RunEnd::Left);
        assert!(replay.shows(second, Exception::Underflow));
    }
    // What does not happen takes its time.
    let replay = replayer.glance(&point, first, Exception::Invalid).unwrap();
    assert_eq!(replay.outcome, RunEnd::Died(Death::TimedOut));
    assert!(replay.events.is_empty());
    let replay = replayer.run(&point).unwrap();
    assert!(replay.shows(first, Exception::Overflow) && replay.shows(second, Exception::Underflow));
}

#[test]
fn what_comes_after_many_traps_is_seen() {
    const NOISY: &str = "double subject(double x, double y) {
 volatile double s = 0;
 for (int i = 0; i < 10000; i++)
  s = x * x;
 s = y * y;
 return s; }";
    let limits = Limits { traps: 100, ..limits() };
    let point = [1e200f64.to_bits(), (-1e300f64).to_bits()];
    let replayer = Replayer::new(&original(NOISY, &["-O0"], &[], &[]), &limits).unwrap();
    let promise = |line: u32, exception| {
        let site = SiteId(line - 1);
        Promise { site, exception, point: &point, record: None }
    };
    let promises = [
        promise(5, Exception::Overflow),
        promise(5, Exception::Underflow),
        promise(4, Exception::Overflow),
    ];
    let whole = replayer.run(&point).unwrap();
    assert!(!whole.complete && !whole.shows(SiteId(4), Exception::Overflow));
    for _ in 0..3 {
        let told = confirm_alone(&replayer, &promises, Duration::from_secs(10)).unwrap();
        let told: Vec<bool> = told.iter().map(Option::is_some).collect();
        assert_eq!(told, [true, false, true]);
    }
}

#[test]
fn confirmation() {
    let subject = original(&BINARY.replace("OP", "*"), &["-O1"], &[], &[]);
    let replayer = Replayer::new(&subject, &limits()).unwrap();
    let try_it = |exception, x: f64| {
        let point = [x.to_bits(), x.to_bits()];
        let promise = Promise { site: SiteId(1), exception, point: &point, record: None };
        confirm(&replayer, &promise).unwrap()
    };
    let confirmed = try_it(Exception::Overflow, 1e200).unwrap();
    assert_eq!(confirmed.point()[0], 1e200f64.to_bits());
    assert_eq!(confirmed.event().exception, Exception::Overflow);
    assert!(try_it(Exception::Overflow, 1e100).is_none());
    assert!(try_it(Exception::Invalid, 1e200).is_none());
}

#[test]
fn an_instruction_that_cannot_be_its_lines_operation_is_nobodys() {
    // Two operations on one line: only one of them is what the line's site does.
    let lines = "double subject(double x, double y) {\n double s = (x - y) / 3;\n return s; }";
    check(lines, 1e308, -1e308, &["- overflow"]);
    check(lines, 1e-307, 0.9e-307, &["- underflow", "2 underflow"]);
}
