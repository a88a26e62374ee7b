//! What it costs to draw points: `cargo bench -p nanoscope-search`. Prints nanoseconds
//! a point and a coordinate, with goals that go on improving and restarting.

use nanoscope_ieee::Format;
use nanoscope_search::{Dimension, Search, Space};
use std::time::Instant;

const BATCH: usize = 4096;

fn main() {
    println!("{:<22}{:>6}{:>12}{:>16}", "dimensions", "goals", "ns/point", "ns/coordinate");
    let double = Dimension::float(Format::BINARY64);
    let single = Dimension::float(Format::BINARY32);
    let int = Dimension::integer(32, true);
    for goals in [1, 20] {
        for count in [1, 2, 5, 20] {
            measure(&format!("{count} binary64"), vec![double; count], goals);
        }
    }
    measure("5 mixed", vec![double, single, int, double, int], 20);
    measure("5 x87", vec![Dimension::float(Format::X87); 5], 20);
}

fn measure(name: &str, dimensions: Vec<Dimension>, goals: usize) {
    let count = dimensions.len() as f64;
    let space = Space::new(dimensions);
    let words = space.words();
    let mut search = Search::new(space, goals, &[0.5, 3.7, 1e6], 1);
    let mut points = vec![0u64; BATCH * words];
    let mut spent = Vec::new();
    let batches = 400;
    for _ in 0..batches {
        let start = Instant::now();
        search.fill(&mut points);
        spent.push(start.elapsed());
        for point in points.chunks_exact(words) {
            let sum = point.iter().fold(0u64, |sum, &word| sum.wrapping_add(word));
            for goal in 0..goals {
                let distance = sum.wrapping_mul(goal as u64 * 2 + 1) | 1;
                if distance < search.thresholds()[goal] {
                    search.improved(goal, distance, point);
                }
            }
        }
    }
    // The median batch: others on the machine disturb some of them.
    spent.sort_unstable();
    let each = spent[batches / 2].as_nanos() as f64 / BATCH as f64;
    println!("{name:<22}{goals:>6}{each:>12.1}{:>16.1}", each / count);
}
