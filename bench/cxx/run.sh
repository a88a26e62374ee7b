#!/usr/bin/env bash
# Functions of Boost.Math and Eigen, compiled from Debian's headers: how many of their goals
# are settled.
#
#   bench/cxx/run.sh          ten processor seconds a function
#   TIME=2 bench/cxx/run.sh   two
#
# It needs libboost-math-dev and libeigen3-dev. See bench/README.md.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
built=${CARGO_TARGET_DIR:-$root/target}
nanoscope=$(realpath "${NANOSCOPE:-$built/release/nanoscope}")
folder=$(realpath -m "${FOLDER:-$built/cxx}")
mkdir -p "$folder"
time=${TIME:-10}
for header in /usr/include/boost/math/special_functions/gamma.hpp /usr/include/eigen3/Eigen/Dense; do
    [ -f "$header" ] || { echo "$0: install libboost-math-dev and libeigen3-dev" >&2; exit 1; }
done
cd "$here"
for library in ${LIBRARIES:-boost eigen}; do
    mapfile -t functions < <(grep -oE '\b[be]_[a-z0-9_]+\(' "$library.cpp" | tr -d '(' | awk '!seen[$0]++')
    arguments=()
    for name in "${functions[@]}"; do arguments+=(--function "$name"); done
    limit=$(python3 -c "print(120 + 3 * $time * ${#functions[@]})")
    "$nanoscope" exceptions "$library.cpp" -isystem /usr/include/eigen3 "${arguments[@]}" \
        --time-limit "$limit" --function-time "$time" --jobs "${JOBS:-$(nproc)}" --quiet \
        --json "$folder/$library.json" || [ $? -eq 1 ]
    python3 "$here/../settled.py" "$folder/$library.json"
done
