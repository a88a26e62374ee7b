//! Bits: queries as circuits, circuits as clauses, clauses to a SAT solver.
