#!/bin/sh
# Large computations as graphs: sums, polynomials, Lorenz, heat, FDTD, FFT, matrix product.
set -eu
cd "$(dirname "$0")/../.."
cargo build --release --quiet -p nanoscope-errors --example large
target/release/examples/large "$@"
