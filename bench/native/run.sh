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

median() {
    sort -g | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'
}

# compare NAME POINTS OPTIONS...: start-up and the report are in both runs of a round
# and fall out of their difference.
compare() {
    local name=$1 points=$2 round short long
    shift 2
    search $few "$@" >/dev/null # compiles, if nobody has
    for ((round = 0; round < rounds; round++)); do
        # shellcheck disable=SC2086 # two bounds, or a file
        "$scratch/plain" $points >>"$scratch/$name.plain"
        short=$(search $few "$@")
        long=$(search $many "$@")
        awk -v n=$((many - few)) '{ printf "%.2f\n", ($3 - $1) * 1e9 / n }' \
            <<<"$short $long" >>"$scratch/$name.wall"
        awk -v n=$((many - few)) '{ printf "%.2f\n", ($4 - $2) * 1e9 / n }' \
            <<<"$short $long" >>"$scratch/$name.work"
    done
    awk -v name="$name" -v plain="$(median <"$scratch/$name.plain")" \
        -v wall="$(median <"$scratch/$name.wall")" -v work="$(median <"$scratch/$name.work")" \
        'BEGIN { printf "%-10s %10.1f %10.1f %10.1f %10.1f %12.1f\n",
                 name, plain, wall, work, wall / plain, 1e3 / wall }'
}

echo "20 operations; nanoseconds a call or evaluation, medians of $rounds rounds; load $(cut -d' ' -f1 /proc/loadavg) on $(nproc) processors"
printf '%-10s %10s %10s %10s %10s %12s\n' inputs plain search 'all CPUs' ratio 'million/s'
compare ordinary '0.5 2' --input x=0.5..2 --input y=0.5..2
compare finite "$scratch/points"
