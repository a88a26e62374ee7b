//! Attacks on what the analysis says: runs on numbers, in which nothing may happen that was
//! excluded.

mod concrete;

use concrete::Interpreter;
use nanoscope_ieee::Float;
use nanoscope_program::compile::{Compiler, Flags};
use nanoscope_program::ir::{Code, Lowering};
use nanoscope_program::{Program, Scalar, Target, Wish, Wishes};
use nanoscope_ranges::Findings;
use std::path::Path;

/// A program with its targets.
pub struct Subject {
    pub program: Program,
    pub code: Code,
    pub targets: Vec<Target>,
}

/// Compiles and lowers a file.
pub fn load(
    file: &Path,
    flags: &[&str],
    functions: &[&str],
    ranges: &[(&str, &str, &str)],
) -> Subject {
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
pub fn attack(
    subject: &Subject,
    target: &Target,
    findings: &Findings,
    runs: u64,
    seed: u64,
) -> usize {
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
            let Some(range) = findings.sites.get(site) else {
                // In a function that was not followed: nothing may be said of it.
                let said = findings.impossible.keys().any(|(known, _)| known == site);
                let place = &subject.program.sites()[site.0 as usize];
                assert!(!said, "{place:?} was reached on {words:x?}");
                continue;
            };
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

/// The impossible goals of a target among all of its goals, as `line operation exception`.
pub fn impossible(subject: &Subject, target: &Target, findings: &Findings) -> Vec<String> {
    let goals = target.goals.iter().map(|id| &subject.program.goals()[id.0 as usize]);
    goals
        .filter(|goal| findings.impossible.contains_key(&(goal.site, goal.exception)))
        .map(|goal| {
            let site = &subject.program.sites()[goal.site.0 as usize];
            format!("{} {} {}", site.location.line, site.action.name(), goal.exception)
        })
        .collect()
}
