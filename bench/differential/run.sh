#!/bin/sh
# Random scripts over every operation, rounding mode and several formats, with
# bit vectors, arrays and uninterpreted functions: 20,000 unless a count is
# given. Asked of the chain at once and step by step, of every engine alone, and
# of z3 and cvc5 where they are installed. A third have a planted model. Prints
# contradictions with their scripts, then a table; the exit code is 1 if there
# was a contradiction.
#
# usage: bench/differential/run.sh [COUNT [FIRST-SEED]]
#
# It takes the better part of an hour on two cores, most of it the others'.
set -eu
cd "$(dirname "$0")/../.."
count=${1:-20000}
first=${2:-0}
jobs=$(nproc)
programs=
for program in z3 cvc5; do
    if command -v "$program" >/dev/null; then programs="$programs $program"; fi
done
cargo build --quiet --release -p nanoscope-solver --example opinions
opinions=${CARGO_TARGET_DIR:-target}/release/examples/opinions
parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT
share=$(((count + jobs - 1) / jobs))
for job in $(seq 0 $((jobs - 1))); do
    # shellcheck disable=SC2086
    "$opinions" "$share" --first $((first + job * share)) $programs >"$parts/$job" || true &
done
wait
sed -n '/^CONTRADICTION\|^TROUBLE/,/^$/p' "$parts"/*
awk '
    /scripts,/ { scripts += $1; contradictions += $3; next }
    /^[a-z].*[0-9]+ +[0-9]+ +[0-9]+ +[0-9.]+$/ {
        name = $0; sub(/ +[0-9]+ +[0-9]+ +[0-9]+ +[0-9.]+$/, "", name)
        sat[name] += $(NF-3); unsat[name] += $(NF-2); unknown[name] += $(NF-1); time[name] += $NF
    }
    END {
        printf "%-22s%8s%8s%9s%10s\n", "", "sat", "unsat", "unknown", "seconds"
        for (name in sat)
            printf "%-22s%8d%8d%9d%10.0f\n", name, sat[name], unsat[name], unknown[name], time[name] | "sort"
        close("sort")
        printf "%d scripts, %d contradictions\n", scripts, contradictions
        exit contradictions > 0 || scripts == 0
    }' "$parts"/*
