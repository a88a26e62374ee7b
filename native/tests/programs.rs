//! Whole programs: inputs in the order they are asked for, ends and their places, what the
//! sanitisers say, time limits, coverage.

use nanoscope_native::Limits;
use nanoscope_native::whole::{Ended, Inputs, Invocation, Recipe, Run, Whole};
use nanoscope_program::compile::{Build, Compiler, ExecutableRequest, Flags};
use nanoscope_program::{Program, Wishes};
use std::time::Duration;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a folder"))
    }

    fn start(&self, text: &str, build: Build, function: Option<&str>) -> Whole {
        self.start_with(text, "", build, function)
    }

    fn start_with(&self, text: &str, flags: &str, build: Build, function: Option<&str>) -> Whole {
        let source = self.0.path().join("program.c");
        std::fs::write(&source, text).expect("it can be written");
        let cache = self.0.path().join("cache");
        let compiler = Compiler::caching_in(&cache, Flags::parse(flags.split_whitespace()))
            .unwrap()
            .building(build);
        let program = Program::load(compiler.bitcode(&[source], None).unwrap()).unwrap();
        let wishes = Wishes::default();
        let bitcode = self.0.path().join("whole.bc");
        program.whole(function.map(|name| (name, &wishes)), &bitcode).unwrap();
        let request =
            ExecutableRequest::new(program.bitcode(), build, function.is_some()).of(&bitcode);
        let executable = compiler.executable(&request, None).unwrap();
        Whole::start(&executable, build, &Invocation::default(), &Limits::default()).unwrap()
    }
}

const SECOND: Duration = Duration::from_secs(1);

fn inputs(unknowns: &[&[u8]]) -> Inputs {
    let unknowns = unknowns.iter().map(|bytes| bytes.to_vec()).collect();
    Inputs { unknowns, ..Inputs::default() }
}

/// The innermost line of the program's own that a run ended at.
fn line(run: &Run) -> u32 {
    run.stack.first().map_or(0, |frame| frame.line)
}

const ENDS: &str = r#"
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void klee_assume(unsigned long);
extern int nowhere(int);
static int divide(int a, int b) {
    return a / b;
}
int main(void) {
    int which = __VERIFIER_nondet_int();
    volatile int zero = 0;
    switch (which) {
    case 1: assert(which != 1);
    case 2: reach_error();
    case 3: abort();
    case 4: return divide(1, zero);
    case 5: return *(volatile int *)zero;
    case 6: exit(9);
    case 7: klee_assume(0);
    case 8: return nowhere(1);
    case 9: return __VERIFIER_nondet_int();
    case 10: for (;;) ;
    case 11: __builtin_trap();
    default: return 3;
    }
}
"#;

#[test]
fn ends_are_told_with_their_places() {
    let folder = Folder::new();
    let mut whole = folder.start(ENDS, Build::Plain, None);
    let mut check = |which: i32, ended: Ended, at: u32| {
        let run = whole.run(&inputs(&[&which.to_ne_bytes()]), SECOND / 4).unwrap();
        assert_eq!(run.ended, ended, "{which}");
        assert_eq!(line(&run), at, "{which}: {:?}", run.stack);
        assert_eq!(run.asked[0].bytes, which.to_ne_bytes());
        assert_eq!(run.asked[0].name, "__VERIFIER_nondet_int");
    };
    let file = folder.0.path().join("program.c").display().to_string();
    let (text, function) = ("which != 1".to_owned(), "main".to_owned());
    let function = format!("int {function}(void)");
    check(1, Ended::Assertion { text, file, line: 15, function }, 15);
    check(2, Ended::ErrorCall("reach_error".into()), 16);
    check(3, Ended::Aborted, 17);
    check(4, Ended::Signal(libc::SIGFPE), 9);
    check(5, Ended::Signal(libc::SIGSEGV), 19);
    check(6, Ended::Exited(9), 0);
    check(7, Ended::Rejected, 21);
    check(8, Ended::Missing("nowhere".into()), 22);
    check(9, Ended::RanShort, 23);
    check(10, Ended::TimedOut, 0);
    check(11, Ended::Signal(libc::SIGILL), 25);
    check(12, Ended::Exited(3), 0);
}

#[test]
fn one_server_serves_many_runs() {
    let folder = Folder::new();
    let mut whole = folder.start(ENDS, Build::Plain, None);
    for _ in 0..200 {
        let run = whole.run(&inputs(&[&0i32.to_ne_bytes()]), SECOND).unwrap();
        assert_eq!(run.ended, Ended::Exited(3));
    }
}

#[test]
fn sanitisers_tell_what_and_where() {
    let folder = Folder::new();
    let text = r#"
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int which = __VERIFIER_nondet_int();
    int array[4] = {0};
    static int fixed[16]; volatile int four = 4, zero = 0, forty = 40;
    int *heap = malloc(8);
    switch (which) {
    case 1: return array[four];
    case 2: return heap[2];
    case 3: free(heap); return heap[0];
    case 4: free(heap); free(heap); return 0;
    case 5: return 1 / zero;
    case 6: return 1 << forty;
    case 7: __builtin_unreachable();
    case 8: return *(volatile int *)zero;
    case 9: free(fixed + 8); // what looks like a chunk's header there is all zeros
    default: return 0;
    }
}
"#;
    let mut whole = folder.start(text, Build::Sanitised, None);
    let mut check = |which: i32, kind: &str, at: u32| {
        let run = whole.run(&inputs(&[&which.to_ne_bytes()]), 5 * SECOND).unwrap();
        let trouble = run.troubles.first().unwrap_or_else(|| panic!("{which}: {:?}", run.ended));
        assert_eq!(trouble.kind, kind, "{which}");
        assert_eq!(trouble.stack.first().map(|frame| frame.line), Some(at), "{which}");
    };
    check(1, "stack-buffer-overflow", 10);
    check(2, "heap-buffer-overflow", 11);
    check(3, "heap-use-after-free", 12);
    check(4, "double-free", 13);
    check(5, "integer-divide-by-zero", 14);
    check(6, "invalid-shift-exponent", 15);
    check(7, "unreachable-call", 16);
    check(8, "null-deref", 17);
    check(9, "bad-free", 18);
    let run = whole.run(&inputs(&[&0i32.to_ne_bytes()]), 5 * SECOND).unwrap();
    assert_eq!((run.ended, run.troubles), (Ended::Exited(0), Vec::new()));
}

#[test]
fn inputs_are_made_up_and_repeated() {
    let folder = Folder::new();
    let text = r#"
#include <stdio.h>
extern void klee_make_symbolic(void *, unsigned long, const char *);
extern int klee_range(int, int, const char *);
extern double __VERIFIER_nondet_double(void);
extern _Bool __VERIFIER_nondet_bool(void);
int main(void) {
    float x;
    char text[5];
    klee_make_symbolic(&x, sizeof x, "x");
    klee_make_symbolic(text, sizeof text, "text");
    int n = klee_range(3, 7, "n");
    double y = __VERIFIER_nondet_double();
    int letter = getchar();
    return (x > y) + 2 * (text[0] == 'a') + 4 * (n - 3) + 16 * __VERIFIER_nondet_bool()
           + 32 * (letter == '1');
}
"#;
    let mut whole = folder.start(text, Build::Plain, None);
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..50 {
        let made = whole.make_up(&Recipe { seed, stdin: 2 }, SECOND).unwrap();
        let names: Vec<&str> = made.asked.iter().map(|asked| asked.name.as_str()).collect();
        let expected = ["x", "text", "n", "__VERIFIER_nondet_double", "__VERIFIER_nondet_bool"];
        assert_eq!(names, expected);
        assert_eq!(made.stdin.len(), 2);
        let unknowns = made.asked.iter().map(|asked| asked.bytes.clone()).collect();
        let given = Inputs { unknowns, stdin: made.stdin, ..Inputs::default() };
        assert_eq!(whole.run(&given, SECOND).unwrap().ended, made.ended, "seed {seed}");
        let Ended::Exited(status) = made.ended else { panic!("{}", made.ended) };
        seen.insert(status);
    }
    assert!(seen.len() > 8, "{seen:?}");
}

#[test]
fn functions_run_through_their_entries() {
    let folder = Folder::new();
    let text = "
static int divide(int a, int b) { return a / b; }
int main(void) { return divide(1, 1); }
";
    let mut whole = folder.start(text, Build::Plain, Some("divide")).with_outputs(1);
    let given = |a, b| Inputs { words: vec![a, b], ..Inputs::default() };
    let run = whole.run(&given(12, 4), SECOND).unwrap();
    assert_eq!((run.ended, run.outputs.as_slice()), (Ended::Exited(0), [3].as_slice()));
    let run = whole.run(&given(12, 0), SECOND).unwrap();
    assert_eq!((line(&run), run.ended), (2, Ended::Signal(libc::SIGFPE)));
}

#[test]
fn all_runs_are_counted() {
    let folder = Folder::new();
    let mut whole = folder.start(ENDS, Build::Covered, None);
    for which in [1i32, 2, 4, 5, 12] {
        whole.run(&inputs(&[&which.to_ne_bytes()]), SECOND).unwrap();
    }
    let profile = folder.0.path().join("runs.profraw");
    whole.write_profile(&profile).unwrap();
    assert!(std::fs::metadata(&profile).expect("it was written").len() > 100);
}

#[test]
fn error_functions_and_unknowns_of_the_programs_own_making() {
    let folder = Folder::new();
    let text = "
extern short __VERIFIER_nondet_something(void);
void reach_error(void) {}
int main(void) {
    if (__VERIFIER_nondet_something() == 77)
        reach_error();
    return 0;
}
";
    let mut whole = folder.start(text, Build::Plain, None);
    let run = whole.run(&inputs(&[&77i16.to_ne_bytes()]), SECOND).unwrap();
    assert_eq!(run.ended, Ended::ErrorCall("reach_error".into()));
    assert_eq!(run.stack[1].line, 6, "{:?}", run.stack);
    let run = whole.run(&inputs(&[&78i16.to_ne_bytes()]), SECOND).unwrap();
    assert_eq!(run.ended, Ended::Exited(0));
}

#[test]
fn optimised_programs_and_handlers_of_exit() {
    let folder = Folder::new();
    let text = "
#include <assert.h>
#include <stdlib.h>
extern float __VERIFIER_nondet_float(void);
static float x;
static void check(void) {
    assert(x > 1);
}
int main(void) {
    x = __VERIFIER_nondet_float();
    atexit(check);
    return 0;
}
";
    let mut whole = folder.start_with(text, "-O2", Build::Plain, None);
    let run = whole.run(&inputs(&[&2f32.to_ne_bytes()]), SECOND).unwrap();
    assert_eq!(run.ended, Ended::Exited(0));
    let run = whole.run(&inputs(&[&0f32.to_ne_bytes()]), SECOND).unwrap();
    assert_eq!(line(&run), 7, "{}", run.ended);
}
