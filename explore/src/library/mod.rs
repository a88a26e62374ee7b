//! The C library, as far as programs under exploration see it.
//!
//! What a program calls and does not define is looked up by name in [`find`]. A model is a
//! function on a [`World`]: the state that calls it. Much of the library needs no model: its
//! bodies are C of our own (`explore/library/*.c`), compiled and linked to the program before
//! it is lowered; [`support`] hands out their text. They reach the models here by the names
//! that begin with `nanoscope_`.
//!
//! - `world.rs`: what a model can see and do, and how it answers

mod world;

pub use world::{Call, Detour, Extent, Model, World};
