#!/bin/sh
# F-Soft's experiments: the steps of its motivating example, and its tables.
# NANOSCOPE=path chooses the binary, LENGTHS the lengths of the arrays.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tool=${NANOSCOPE:-$here/../../target/release/nanoscope}
lengths=${LENGTHS:-"5 10 15 20 25 30 35 100 1000"}

# Runs a command and prints its seconds and its last argument's verdict line.
timed() {
    start=$(date +%s.%N)
    "$@" > "$out" 2>&1 || true
    end=$(date +%s.%N)
    seconds=$(echo "$end $start" | awk '{ printf "%.2f", $1 - $2 }')
}
out=$(mktemp)
trap 'rm -f "$out"' EXIT

echo "Motivating example, steps at 0.1 % (a1*b2, a2*b1: proved; denom, x: shown)"
timed "$tool" precision "$here/ctrltest.c" --function ctrltest --threshold 1e-3 \
    --input a1=1..1e8 --input a2=1..1e8 --input b1=-1e8..-1 --input b2=-1e8..-1 \
    --input c1=0..1 --input c2=0..1 --time-limit 20
grep -E "^(warning|error)|reached|open" "$out" || cat "$out"
echo "  $seconds s"

echo
echo "Table I: seconds to a witness (published: 0.3 s at depth 12, an hour's time-out at 54)"
for depth in 12 19 26 33 40 47 54 75 96; do
    rounds=$(( (depth - 5) / 7 ))
    target=$(( (rounds - 1) * 2147483647 + 1 ))
    timed "$tool" test "$here/reach.c" --entry reach -DTARGET=$target.0f --time-limit 60
    verdict=$(grep -c "assertion" "$out" || true)
    printf '  depth %3s  %2s elements  %8s s  %s\n' "$depth" "$rounds" "$seconds" \
        "$([ "$verdict" -gt 0 ] && echo found || echo "not found")"
done

echo
echo "Tables II and III: stable below 10 % (published: n = 14 in 27 min; n = 20, 35: time-outs)"
for n in $lengths; do
    for rounding in any nearest; do
        timed "$tool" precision "$here/sum.c" --function sum -DN="$n" --array x="$n" \
            --input x=1..2147483647 --threshold 0.1 --rounding $rounding --time-limit 60 \
            --only prove
        printf '  n = %4s, %-7s  %8s s  %s\n' "$n" $rounding "$seconds" \
            "$(grep -E '^sum ' "$out" | tr -s ' ' | cut -d' ' -f3,6-)"
    done
done

echo
echo "Table III: the n from which each delta is spurious in the interval model (F-Soft: 2^-9 from"
echo "30, 2^-8 from 10, 2^-6 from 5), each refined and then proved"
for k in 22 16 12 10 9 8 6 4 2; do
    first=none
    for n in 5 10 15 20 25 30 35 100; do
        timed "$tool" precision "$here/sum.c" --function sum -DN="$n" --array x="$n" \
            --input x=1..2147483647 --threshold 0.1 --rounding any --model interval \
            --delta 2^-$k --only prove --time-limit 60 --json "$out.json" --quiet
        if grep -q spurious "$out.json"; then first=$n; break; fi
    done
    printf '  2^-%-2s  spurious from n = %s\n' $k "$first"
done
rm -f "$out.json"

echo
echo "The same machinery on other loops, n = 100"
for function in dot positive_part; do
    timed "$tool" precision "$here/sum.c" --function $function -DN=100 --array x=100 \
        --array y=100 --input x=-1..1 --input y=-1..1 --absolute 1e-3 --time-limit 60
    printf '  %-14s %8s s  %s\n' $function "$seconds" "$(grep -E "^$function " "$out" | tr -s ' ')"
done
