//! Minimise black-box distances over vectors of floats and integers.
//!
//! A [`Space`] is a list of [`Dimension`]s; a point is a slice of 64-bit words. A
//! [`Search`] proposes points in batches and is told, for each of many goals, which
//! point came nearer than any before; distance 0 is a hit. It knows nothing of what
//! is evaluated, nor where: that is the caller's.
//!
//! How it searches: first boundary values and the program's constants, alone and
//! combined; then every goal's nearest point so far is mutated in turn, by steps of all
//! powers of two of an ulp, by the distance itself, along the last success as far as the
//! secant says, by copies between coordinates and by what other goals found; a goal that
//! is stuck begins anew elsewhere and comes back to its best.
//!
//! ```
//! use nanoscope_ieee::Format;
//! use nanoscope_search::{Dimension, Search, Space};
//!
//! // Which double squared overflows? Distance: how many ulps below infinity.
//! let space = Space::new(vec![Dimension::float(Format::BINARY64)]);
//! let mut search = Search::new(space, 1, &[], 7);
//! let mut points = vec![0u64; 64];
//! while search.thresholds()[0] > 0 {
//!     let drawn = search.fill(&mut points);
//!     for &word in &points[..drawn] {
//!         let x = f64::from_bits(word);
//!         let distance = f64::INFINITY.to_bits() - (x * x).to_bits();
//!         if distance < search.thresholds()[0] {
//!             search.improved(0, distance, &[word]);
//!         }
//!     }
//! }
//! let (distance, point) = search.best(0).unwrap();
//! assert_eq!(distance, 0);
//! assert!(f64::from_bits(point[0]).abs() > 1.3e154);
//! ```

mod axis;
mod boundary;
mod goal;
mod line;
mod moves;
mod random;
mod real;
mod run;
mod search;
mod space;

#[doc(hidden)]
pub use nanoscope_budget::Budget;
pub use search::Search;
pub use space::{Dimension, EmptyRange, Kind, Space};
