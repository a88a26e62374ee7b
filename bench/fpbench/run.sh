#!/bin/sh
# FPBench's kernels: what is shown and proved beside published bounds; then Gappa, run on the same
# kernels where it can read them.
set -eu
cd "$(dirname "$0")/../.."
shared=${SHARED:-../shared}
cargo build --release --quiet -p nanoscope-errors --example fpbench
target/release/examples/fpbench "$shared/fpbench" "$@"
python3 bench/fpbench/gappa.py "$shared/fpbench"
