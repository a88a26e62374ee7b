//! Broken FPCores: the reader and the lowering come back, with an error that says where.

use nanoscope_errors::fpcore::{Lowering, lower, parse};

const SAMPLES: [&str; 5] = [
    "(FPCore (x y) :name \"a\" :pre (and (<= 1 x 2) (< 0 y 1/3)) (+ (* x y) (sqrt (- x 0.5e-3))))",
    "(FPCore f (x) :precision binary32 (let ([t (* x x)] [u 3]) (if (< t u) (/ t u) (exp (- t)))))",
    "(FPCore ((! :precision binary64 x)) :round toZero (let* ([t x] [t (+ t 1)]) (cast t)))",
    "(FPCore (x) :pre (<= 0 x 1) (while (< i 7) ([s 0 (+ s (* x i))] [i 0 (+ i 1)]) (array s i)))",
    "(FPCore (x) :pre (< -1 x 1) (while* (> x 1e-3) ([x x (/ x 2)]) (! :precision (float 5 16) (fma x x 0x1.8p-3))))",
];

/// Pieces of FPCore that mutations put in.
const WORDS: [&str; 24] = [
    "(",
    ")",
    "[",
    "]",
    "\"",
    ";",
    " ",
    "while",
    "while*",
    "let",
    "if",
    "x",
    ":pre",
    ":precision",
    "real",
    "integer",
    "1e99999",
    "1/0",
    "0x1p-9",
    "TRUE",
    "array",
    "pow",
    "floor",
    "(< 0 x)",
];

#[test]
fn broken_texts_come_back() {
    let mut state = 0x1234_5678_9abc_def1u64;
    let mut random = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) as usize % n
    };
    let options = Lowering { nodes: 300, ways: 8, ..Lowering::default() };
    let (mut read, mut lowered) = (0, 0);
    for _ in 0..4000 {
        let mut text = SAMPLES[random(SAMPLES.len())].to_string();
        for _ in 0..1 + random(4) {
            let at = random(text.len() + 1);
            match random(3) {
                0 => text.insert_str(at, WORDS[random(WORDS.len())]),
                1 => {
                    let end = (at + random(9)).min(text.len());
                    text.replace_range(at..end, "");
                }
                _ => {
                    let end = (at + random(6)).min(text.len());
                    text.replace_range(at..end, WORDS[random(WORDS.len())]);
                }
            }
        }
        match parse(&text) {
            Ok(cores) => {
                read += 1;
                lowered += cores.iter().filter(|core| lower(core, &options).is_ok()).count();
            }
            Err(error) => {
                let lines = text.lines().count().max(1) as u32;
                assert!(error.place.line >= 1 && error.place.line <= lines, "{text}: {error}");
            }
        }
    }
    assert!(read > 100 && lowered > 50, "{read} {lowered}");
}
