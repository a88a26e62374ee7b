//! Tests of the transfer functions: concrete results stay inside.

mod library;
mod transfer;
