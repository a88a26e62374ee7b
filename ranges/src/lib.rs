//! Abstract interpretation of our representation over floats: what cannot happen.

mod arithmetic;
mod exceptions;
mod floats;
mod grid;
mod integers;
mod libm;
mod pieces;
mod relation;

#[cfg(test)]
mod tests;
