#!/usr/bin/env bash
# Evaluations of native search against a plain loop that calls the same function,
# compiled by clang -O2: nanoseconds each, and their ratio. See bench/README.md.
set -euo pipefail
nanoscope=$(realpath "${NANOSCOPE:-$(dirname "$0")/../../target/release/nanoscope}")
cd "$(dirname "$0")"
rounds=${ROUNDS:-5}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

few=2000000
many=22000000

clang-19 -O2 -o "$scratch/plain" plain.c polynomial.c
cargo run --quiet --release -p nanoscope-native --example points -- \
    polynomial.c polynomial $many "$scratch/points"

# search EVALUATIONS OPTIONS...: wall and processor seconds of a whole run.
search() {
    local evaluations=$1 TIMEFORMAT='%R %U %S'
    shift
    { time "$nanoscope" exceptions polynomial.c --jobs 1 --quiet --time-limit 120 \
        --evaluations "$evaluations" "$@" >/dev/null 2>&1 || test $? = 1; } 2>&1 |
        awk '{ print $1, $2 + $3 }'
}

# least COLUMN FILE: of the rounds, the one that others disturbed least.
least() {
    awk -v column="$1" 'NR == 1 || $column < least { least = $column } END { print least }' "$2"
}

# compare NAME POINTS OPTIONS...: start-up and the report are in both runs of a round
# and fall out of their difference.
compare() {
    local name=$1 points=$2 round
    shift 2
    search $few "$@" >/dev/null # compiles, if nobody has
    for ((round = 0; round < rounds; round++)); do
        # shellcheck disable=SC2086 # two bounds, or a file
        "$scratch/plain" $points >>"$scratch/$name.plain"
        search $few "$@" >>"$scratch/$name.short"
        search $many "$@" >>"$scratch/$name.long"
    done
    awk -v name="$name" -v n=$((many - few)) -v plain="$(least 1 "$scratch/$name.plain")" \
        -v short="$(least 1 "$scratch/$name.short")" -v long="$(least 1 "$scratch/$name.long")" \
        -v less="$(least 2 "$scratch/$name.short")" -v more="$(least 2 "$scratch/$name.long")" \
        'BEGIN { wall = (long - short) * 1e9 / n; work = (more - less) * 1e9 / n
                 printf "%-10s %10.1f %10.1f %10.1f %10.1f %10.1f %12.1f\n",
                     name, plain, wall, work, wall / plain, work / plain, 1e3 / wall }'
}

echo "20 operations; nanoseconds a call or evaluation, the least of $rounds rounds; load $(cut -d' ' -f1 /proc/loadavg) on $(nproc) processors"
printf '%-10s %10s %10s %10s %10s %10s %12s\n' inputs plain search 'all CPUs' ratio 'CPU ratio' 'million/s'
compare ordinary '0.5 2' --input x=0.5..2 --input y=0.5..2
compare finite "$scratch/points"
