#!/usr/bin/env bash
# Milliseconds to the first finding on a one-function file whose compiled sources are
# warm, beside what clang takes to start and to compile that file. See bench/README.md.
set -euo pipefail
nanoscope=$(realpath "${NANOSCOPE:-$(dirname "$0")/../../target/release/nanoscope}")
cd "$(dirname "$0")"
rounds=${ROUNDS:-21}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

median() {
    sort -g | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'
}

# took COMMAND...: seconds, whatever it returns.
took() {
    local TIMEFORMAT=%R
    { time "$@" >/dev/null 2>&1 || true; } 2>&1
}

# One batch of runs, the replay of what it found, and the report.
first=("$nanoscope" exceptions one.c --jobs 1 --evaluations 256 --json "$scratch/report.json")
"${first[@]}" >/dev/null 2>&1 || test $? = 1
grep -q '"confirmed": *true' "$scratch/report.json" || {
    echo "nothing was found in one batch" >&2
    exit 1
}
for ((round = 0; round < rounds; round++)); do
    took "${first[@]}" >>"$scratch/first"
    took "$nanoscope" exceptions one.c --jobs 1 >>"$scratch/whole"
    took "$nanoscope" --version >>"$scratch/version"
    took clang-19 --version >>"$scratch/clang"
    took clang-19 -O2 -c one.c -o "$scratch/one.o" >>"$scratch/compile"
done

echo "milliseconds, medians of $rounds rounds; load $(cut -d' ' -f1 /proc/loadavg) on $(nproc) processors"
report() {
    awk -v name="$1" -v seconds="$(median <"$scratch/$2")" \
        'BEGIN { printf "%-44s %6.0f\n", name, seconds * 1e3 }'
}
report 'nanoscope: to the first findings, reported' first
report 'nanoscope: until every goal is settled or stuck' whole
report 'nanoscope --version' version
report 'clang-19 --version' clang
report 'clang-19 -O2 -c one.c' compile
