#!/usr/bin/env bash
# Every scalar special function of GSL 2.7.1: Nanoscope's verdicts beside what a random
# tester finds in the same processor time. See bench/README.md.
#
#   bench/gsl/run.sh                  ten processor seconds a function: an hour and more
#   TIME=1 EVERY=12 bench/gsl/run.sh  one second, every twelfth function: a few minutes
#   LIBRARY=musl bench/gsl/run.sh     the same of another library, that bench/musl prepares
#
# What is done is kept in FOLDER (target/LIBRARY), a file for each function: a run that was
# ended, however, goes on from there. GSL_SOURCE names a source tree that is there already.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
built=${CARGO_TARGET_DIR:-$root/target}
nanoscope=$(realpath "${NANOSCOPE:-$built/release/nanoscope}")
time=${TIME:-10}
library=${LIBRARY:-gsl}
folder=$(realpath -m "${FOLDER:-$built/$library}")
"$here/../$library/prepare.sh" "$folder"
if [ -z "${BASELINE:-}" ]; then
    (cd "$root" && cargo build --quiet --release -p nanoscope-native --example baseline)
    BASELINE=$built/release/examples/baseline
fi
exec python3 "$here/drive.py" --library "$library" --nanoscope "$nanoscope" --baseline "$(realpath "$BASELINE")" \
    --time "$time" --every "${EVERY:-1}" --group "${GROUP:-1000}" --jobs "${JOBS:-$(nproc)}" "$folder"
