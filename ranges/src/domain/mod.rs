//! The domains of the reduced product, a file and a row each.
//!
//! A state is an environment (`environment.rs`, the domain of values with its transfer functions in
//! `values.rs`), memory, and the [`Product`] of the domains in the table below. An instruction
//! is run in three steps: the values are transferred, each domain sharpens the result, and the
//! result is recorded. A condition refines the product in `assume.rs`.
//!
//! To add a domain, write its file with a type that implements [`Domain`], and add its row to the
//! table. A domain without elements of its own has a unit type. Its switch (`Domains`) comes
//! with the row, and `bench/ranges` then prints what it is worth.

pub mod affine;
pub mod assume;
pub mod bisection;
pub mod blends;
pub mod caller_facts;
pub mod cells;
pub mod derivation;
pub mod ellipsoid;
pub mod environment;
pub mod implications;
pub mod linear_form;
pub mod linear_system;
pub mod memo;
pub mod order;
pub mod point;
pub mod product;
pub mod pure_functions;
pub mod ratios;
pub mod recurrences;
pub mod relations;
pub mod state;
pub mod value_numbers;
pub mod values;
pub mod whole_parts;
pub mod zones;
