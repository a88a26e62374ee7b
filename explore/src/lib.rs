//! Symbolic execution of our representation: states, memory, scheduling, library models.
