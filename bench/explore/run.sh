#!/usr/bin/env bash
# Symbolic execution: instructions a second on known values, paths a second, and the
# solver's share of the time. See bench/README.md.
set -euo pipefail
cd "$(dirname "$0")"
cargo run --quiet --release -p nanoscope-explore --example measure -- "${SECONDS_EACH:-10}" \
    sieve.c orbit.c calls.c sort.c classify.c newton.c inputs.c
echo "load: $(cut -d' ' -f1-3 /proc/loadavg)"
