//! Tests of the transfer functions: concrete results stay inside.

mod transfer;
