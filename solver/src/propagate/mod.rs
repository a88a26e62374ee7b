//! Propagation: what the operations of a query allow their operands and results to be.
