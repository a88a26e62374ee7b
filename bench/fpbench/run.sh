#!/bin/sh
# FPBench's kernels: what is shown and proved beside published bounds, and Gappa run beside on its
# own scripts where they are given (GAPPA: a folder of .g files).
set -eu
cd "$(dirname "$0")/../.."
shared=${SHARED:-../shared}
cargo build --release --quiet -p nanoscope-errors --example fpbench
target/release/examples/fpbench "$shared/fpbench" "$@"
python3 bench/fpbench/gappa.py "$shared/fpbench" target/release/examples/fpbench
