#!/bin/sh
# Runs all tests, and says which were skipped for want of something, and how many: a program
# (z3, cvc5), the public queries, an instruction set.
set -u
cargo=${CARGO:-cargo}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
{ "$cargo" test "$@" 2>&1; echo $? >"$log.code"; } | tee "$log"
code=$(cat "$log.code")
rm -f "$log.code"
count=$(grep -c '^skipped: ' "$log")
if [ "$count" -gt 0 ]; then
    printf '\n%s not tested:\n' "$count"
    grep '^skipped: ' "$log" | sort | uniq -c | sed 's/^ *\([0-9]*\) skipped: /  \1 x /'
else
    printf '\nnothing was skipped\n'
fi
exit "$code"
