//! The kernels of FPBench: shown and proved errors beside published bounds.
//!
//! `fpbench FOLDER [NAME]`, the folder with `shared.fpcore` and `bounds.tsv`.

use nanoscope_errors::fpcore::{Core, number, parse};
use nanoscope_errors::{Entry, FpcoreOptions, InputError, analyse_core};
use nanoscope_search::Budget;
use std::collections::BTreeMap;
use std::time::Duration;

/// A row of `bounds.tsv` by column.
type Row = BTreeMap<String, String>;

/// The columns with published bounds, and the kernels on which one is known to be too small.
const PUBLISHED: [&str; 9] = [
    "FPTaylor_a",
    "FPTaylor_b",
    "Daisy_IA_AA",
    "Daisy_subdiv",
    "Fluctuat",
    "Fluctuat_subdiv",
    "Gappa1.4.1_plain_run_here",
    "Gappa1.4.1_hints_run_here",
    "VCFloat2",
];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().expect("fpbench FOLDER [NAME]");
    let only = arguments.next();
    let read = |name: &str| std::fs::read_to_string(format!("{folder}/{name}")).expect(name);
    let cores = parse(&read("shared.fpcore")).expect("shared.fpcore parses");
    let table = read("bounds.tsv");
    let mut lines = table.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let rows: Vec<Row> = lines
        .map(|line| {
            let cells = line.split('\t').map(str::to_string);
            header.iter().map(ToString::to_string).zip(cells).collect()
        })
        .collect();
    println!(
        "{:30} {:>10} {:>10} {:>7} {:>10} {:>10} {:>10} {:>6} | {:>10} {:>10} {:>7} {:>6}",
        "kernel",
        "proved",
        "shown",
        "width",
        "listed",
        "best",
        "tool",
        "s",
        "float:prov",
        "shown",
        "width",
        "s"
    );
    let mut sums = Summary::default();
    for core in &cores {
        if only.as_ref().is_some_and(|name| !core.name.contains(name.as_str())) {
            continue;
        }
        let row = rows.iter().find(|row| row["kernel"] == core.name);
        kernel(core, row, &mut sums);
    }
    sums.print();
}

fn run(core: &Core, row: Option<&Row>, error: InputError) -> Vec<Entry> {
    let mut options = FpcoreOptions::default();
    options.lowering.input_error = error;
    options.time = Duration::from_secs_f64(setting("SECONDS", 10.0));
    options.showing.points = setting("POINTS", options.showing.points as f64) as usize;
    for range in row.map_or("", |row| &row["ranges_used_here"]).split("], ") {
        if let Some((name, ends)) = range.trim_end_matches(']').split_once("=[")
            && let Some((low, high)) = ends.split_once(',')
            && let (Some(low), Some(high)) = (number(low), number(high))
            && row.is_some_and(|row| row["ranges_from"].starts_with("Daisy"))
        {
            options.lowering.ranges.insert(name.to_string(), (low, high));
        }
    }
    analyse_core(core, &options, &Budget::unlimited())
}

/// A number of the environment: `SECONDS` a kernel and convention, `POINTS` of the search.
fn setting(name: &str, otherwise: f64) -> f64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Processor seconds of this thread.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|word| word.parse::<f64>().ok());
    nanoseconds.unwrap_or(0.0) * 1e-9
}

#[derive(Default)]
struct Summary {
    widths: Vec<f64>,
    float_widths: Vec<f64>,
    seconds: Vec<f64>,
    ranged: usize,
    bounded: usize,
    compared: usize,
    tighter: usize,
    unsound: Vec<String>,
    short: Vec<String>,
}

fn kernel(core: &Core, row: Option<&Row>, sums: &mut Summary) {
    let listed: f64 = row.and_then(|row| row["shown_real_inputs_here"].parse().ok()).unwrap_or(0.0);
    let listed_float: f64 =
        row.and_then(|row| row["shown_float_inputs_here"].parse().ok()).unwrap_or(0.0);
    let mut best: Option<(f64, &str)> = None;
    for tool in PUBLISHED {
        if let Some(bound) = row.and_then(|row| row[tool].parse::<f64>().ok())
            && bound >= listed
            && best.is_none_or(|(known, _)| bound < known)
        {
            best = Some((bound, tool));
        }
    }
    let timed = |error: InputError| {
        let begin = processor_seconds();
        let entries = run(core, row, error);
        (entries, processor_seconds() - begin)
    };
    let ((real, seconds), (float, float_seconds)) =
        (timed(InputError::HalfUlp), timed(InputError::None));
    for (real, float) in real.iter().zip(&float) {
        let figures = |entry: &Entry| {
            let proved = entry.proved.as_ref().map_or(f64::INFINITY, |bound| bound.absolute);
            let shown = entry.shown.absolute.as_ref().map_or(0.0, |shown| shown.absolute);
            (proved, shown, proved / shown)
        };
        let (proved, shown, width) = figures(real);
        let (float_proved, float_shown, float_width) = figures(float);
        let name: String = core.name.chars().take(30).collect();
        println!(
            "{name:30} {proved:10.3e} {shown:10.3e} {width:7.2} {listed:10.3e} {:10.3e} {:>10} {:6.2} | {float_proved:10.3e} {float_shown:10.3e} {float_width:7.2} {:6.2} {}",
            best.map_or(f64::NAN, |(bound, _)| bound),
            best.map_or("", |(_, tool)| &tool[..tool.len().min(10)]),
            seconds,
            float_seconds,
            real.open.as_deref().unwrap_or("")
        );
        if row.is_some() {
            sums.ranged += 1;
            sums.bounded += usize::from(proved.is_finite());
        }
        if proved.is_finite() && shown > 0.0 {
            sums.widths.push(width);
        }
        if float_proved.is_finite() && float_shown > 0.0 {
            sums.float_widths.push(float_width);
        }
        sums.seconds.push(seconds);
        if let Some((bound, _)) = best {
            sums.compared += 1;
            sums.tighter += usize::from(proved < bound);
        }
        if proved < shown.max(listed) || float_proved < float_shown.max(listed_float) {
            sums.unsound.push(core.name.clone());
        }
        if shown < listed * 0.999 || float_shown < listed_float * 0.999 {
            sums.short.push(core.name.clone());
        }
    }
}

fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}

impl Summary {
    fn print(mut self) {
        let slowest = self.seconds.iter().copied().fold(0.0, f64::max);
        println!();
        println!("bounds for {} of {} loop-free kernels with ranges", self.bounded, self.ranged);
        println!(
            "median width {:.3} (real inputs), {:.3} (float inputs)",
            median(&mut self.widths),
            median(&mut self.float_widths)
        );
        println!(
            "tighter than the best sound published bound: {} of {}",
            self.tighter, self.compared
        );
        println!("processor seconds: median {:.2}, most {slowest:.2}", median(&mut self.seconds));
        println!("bounds below a shown or listed error: {:?}", self.unsound);
        println!("shown less than listed: {:?}", self.short);
    }
}
