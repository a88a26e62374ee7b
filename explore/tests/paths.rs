//! What exploring small programs comes to. Each subject is a C source with what is expected
//! beside it: whether all paths were followed, how many ended in which way, and the findings
//! with their lines. Findings come with inputs, which are looked at where it matters.

mod subject;

use nanoscope_explore::{Event, Flow, Options, Scheduler, Start, explore};
use std::fmt::Write;
use std::time::{Duration, Instant};
use subject::code_of;

/// What an exploration came to, in a line: `exhausted | 2 ordinary | abort at 3`.
fn outcome(text: &str, options: &Options) -> String {
    let code = code_of("subject.c", text);
    let mut findings = Vec::new();
    let outcome = explore(
        &code,
        Start::Main { arguments: vec!["subject".to_owned()] },
        options,
        &mut |event| {
            if let Event::Path(end) = event
                && let Some(kind) = end.ending.finding()
            {
                findings.push((end.location.line, kind));
            }
            Flow::Continue
        },
    );
    assert_eq!(outcome.defect, None);
    findings.sort();
    let mut line = if outcome.exhausted {
        "exhausted".to_owned()
    } else {
        format!("stopped by {}", nanoscope_explore::Gap::list(&outcome.stopped_by, ", "))
    };
    let ordinary = outcome.statistics.endings.get("ordinary").copied().unwrap_or(0);
    write!(line, " | {ordinary} ordinary").expect("to a string");
    for (number, kind) in findings {
        write!(line, " | {kind} at {number}").expect("to a string");
    }
    line
}

fn options() -> Options {
    Options { deadline: Some(Instant::now() + Duration::from_secs(20)), ..Options::default() }
}

fn check(text: &str, expected: &str) {
    for scheduler in [Scheduler::Coverage, Scheduler::DepthFirst, Scheduler::RandomPath] {
        let options = Options { scheduler, merge: false, ..options() };
        assert_eq!(outcome(text, &options), expected, "{scheduler:?}");
    }
    // With diamonds as terms there are fewer paths, and the same is found.
    let found = |line: &str| -> Vec<String> {
        line.split(" | ").filter(|part| !part.ends_with("ordinary")).map(str::to_owned).collect()
    };
    assert_eq!(found(&outcome(text, &options())), found(expected), "merged");
}

const NONDET: &str = "int __VERIFIER_nondet_int(void); double __VERIFIER_nondet_double(void);\
                      unsigned char __VERIFIER_nondet_uchar(void);\
                      float __VERIFIER_nondet_float(void); void __VERIFIER_assume(int);\
                      void reach_error(void); void abort(void); void exit(int);\
                      int atexit(void (*)(void)); void *malloc(unsigned long); void free(void *);\n";

fn with_nondet(text: &str) -> String {
    format!("{NONDET}{text}")
}

#[test]
fn known_values_take_one_path() {
    check(
        "int main(void) { int s = 0; for (int i = 0; i < 1000; i++) s += i; return s != 499500; }",
        "exhausted | 1 ordinary",
    );
}

#[test]
fn unknown_values_take_both_ways() {
    check(
        &with_nondet(
            "int main(void) {\n  int x = __VERIFIER_nondet_int();\n  if (x > 10) return 1;\n  if (x > 20) reach_error();\n  if (x == -5) abort();\n  return 0;\n}",
        ),
        "exhausted | 2 ordinary | abort at 6",
    );
}

#[test]
fn switches_take_each_case_once() {
    check(
        &with_nondet(
            "int main(void) { switch (__VERIFIER_nondet_int()) { case 1: return 1; case 2: case 7: return 2; case 3: return 3; default: return 0; } }",
        ),
        "exhausted | 5 ordinary",
    );
}

#[test]
fn floats_are_floats() {
    // Absorption: there are doubles above zero that one swallows.
    check(
        &with_nondet(
            "int main(void) {\n  double x = __VERIFIER_nondet_double();\n  if (x > 0 && x + 1.0 == 1.0) reach_error();\n  return 0;\n}",
        ),
        "exhausted | 2 ordinary | error-call at 4",
    );
    check(
        &with_nondet(
            "int main(void) {\n  float x = __VERIFIER_nondet_float();\n  if (x != x && x == x) reach_error();\n  if (x * 0.0f == 1.0f) reach_error();\n  return 0;\n}",
        ),
        "exhausted | 2 ordinary",
    );
}

#[test]
fn loops_are_no_diamonds() {
    check(
        &with_nondet(
            "int main(void) {\n  double y = __VERIFIER_nondet_double(), w;\n  if (!(y > -4)) return 0;\n  w = y < 0 ? 0 - y : y;\n  int turns = 0;\n  while (w > 0 && turns < 3) { w = w - 1; turns++; }\n  if (y < 0 && w <= 0)\n    if (turns == 3) reach_error();\n  return 0;\n}",
        ),
        "exhausted | 9 ordinary | error-call at 9",
    );
}

#[test]
fn what_goes_wrong_is_found_once_a_place() {
    check(
        &with_nondet(
            "int main(void) {\n  int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();\n  int a[4] = {1, 2, 3, 4};\n  if (x >= 0 && x <= 4) y += a[x];\n  __VERIFIER_assume(y < 100);\n  return 10 / y;\n}",
        ),
        "exhausted | 3 ordinary | invalid-deref at 5 | integer-division-by-zero at 7",
    );
}

#[test]
fn calls_recurse_go_by_address_and_take_structures() {
    check(
        &with_nondet(
            "struct big { double a[5]; int n; };\n\
             static double sum(struct big b) { double s = 0; for (int i = 0; i < b.n; i++) s += b.a[i]; b.n = 0; return s; }\n\
             static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\n\
             static int inc(int x) { return x + 1; }\nstatic int dec(int x) { return x - 1; }\n\
             int main(void) {\n  struct big b = {{1, 2, 3, 4, 5}, 5};\n  if (sum(b) != 15 || b.n != 5) reach_error();\n  if (fib(12) != 144) reach_error();\n\
               int (*f)(int) = __VERIFIER_nondet_int() > 0 ? inc : dec;\n  if (f(1) == 2) abort();\n  return 0;\n}",
        ),
        "exhausted | 1 ordinary | abort at 12",
    );
}

#[test]
fn variable_arguments_are_read_in_order() {
    check(
        &with_nondet(
            "#include <stdarg.h>\n\
             struct pair { double x, y; };\n\
             static double sum(int n, ...) { va_list l, m; va_start(l, n); va_copy(m, l); double s = 0;\n\
               for (int i = 0; i < n; i++) { s += va_arg(l, int); s += va_arg(l, double); s += (double)va_arg(l, long double); struct pair p = va_arg(l, struct pair); s += p.x * p.y; }\n\
               s += va_arg(m, int); va_end(m); va_end(l); return s; }\n\
             int main(void) {\n  struct pair p = {2, 3};\n  if (sum(2, 1, 2.5, 3.0L, p, 10, 20.5, 30.0L, p) != 1 + 2.5 + 3 + 6 + 10 + 20.5 + 30 + 6 + 1) reach_error();\n  return 0;\n}",
        ),
        "exhausted | 1 ordinary",
    );
}

#[test]
fn the_end_runs_what_was_registered() {
    check(
        &with_nondet(
            "static int n;\nstatic void last(void) { if (n != 3) abort(); }\nstatic void first(void) { n = 3; }\n\
             __attribute__((constructor)) static void before(void) { n = 1; }\n\
             int main(int argc, char **argv) {\n  if (n != 1 || argc != 1 || argv[1] || argv[0][0] != 's') reach_error();\n  atexit(last); atexit(first);\n  if (__VERIFIER_nondet_int()) exit(7);\n  return 0;\n}",
        ),
        "exhausted | 2 ordinary",
    );
}

#[test]
fn memory_is_watched() {
    check(
        &with_nondet(
            "int main(void) {\n  int *p = malloc(8);\n  p[0] = 1;\n  int x = __VERIFIER_nondet_int();\n  switch (x) {\n  case 0: p[2] = 1; break;\n  case 1: free(p); p[0] = 2; break;\n  case 2: free(p); free(p); break;\n  case 3: free(p + 1); break;\n  case 4: *(volatile int *)0 = 1; break;\n  }\n  return 0;\n}",
        ),
        "exhausted | 1 ordinary | invalid-deref at 7 | invalid-deref at 8 | invalid-free at 9 | invalid-free at 10 | invalid-deref at 11",
    );
}

#[test]
fn bounds_stop_and_say_so() {
    let text = with_nondet(
        "int main(void) { int n = __VERIFIER_nondet_int(); int s = 0; for (int i = 0; i < n; i++) s += i; return s; }",
    );
    let bounded = Options { max_loop: Some(3), ..options() };
    assert!(
        outcome(&text, &bounded).starts_with("stopped by the bound on iterations of a loop | "),
        "{}",
        outcome(&text, &bounded)
    );
    let bounded = Options { max_depth: Some(3), ..options() };
    assert!(outcome(&text, &bounded).starts_with("stopped by the bound on forks"));
}

#[test]
fn the_deadline_is_kept() {
    let text = with_nondet(
        "int main(void) { double x = __VERIFIER_nondet_double(), y = __VERIFIER_nondet_double(); double s = 0;\n for (;;) { s = s * x + y; if (s * s - x / y == y * s + 1.25) s += 1; } }",
    );
    let began = Instant::now();
    let options = Options { deadline: Some(began + Duration::from_secs(2)), ..Options::default() };
    let line = outcome(&text, &options);
    assert!(line.starts_with("stopped by the time limit"), "{line}");
    assert!(began.elapsed() < Duration::from_secs(12), "{:?}", began.elapsed());
}

#[test]
fn diamonds_become_terms() {
    let text = with_nondet(
        "int main(void) {\n  double m = -1;\n  for (int i = 0; i < 12; i++) {\n    double x = __VERIFIER_nondet_double();\n    __VERIFIER_assume(x >= 0 && x <= 10);\n    m = x > m ? x : m;\n  }\n  if (m < 0) reach_error();\n  return m > 9;\n}",
    );
    let code = code_of("subject.c", &text);
    let merged = explore(
        &code,
        Start::Main { arguments: vec!["subject".to_owned()] },
        &options(),
        &mut |_| Flow::Continue,
    );
    assert!(merged.exhausted, "{:?}", merged.stopped_by);
    assert!(merged.statistics.merged > 0);
    // Without, there would be four thousand and more.
    assert!(merged.statistics.paths < 200, "{}", merged.statistics.paths);
    assert!(!merged.statistics.endings.contains_key("error-call"));
}
