//! The domains of the reduced product, a file each.

pub mod affine;
pub mod assume;
pub mod bisection;
pub mod caller_facts;
pub mod environment;
pub mod extrema;
pub mod implications;
pub mod order;
pub mod pure_functions;
pub mod state;
pub mod value_numbers;
pub mod values;
pub mod whole_parts;
