#!/usr/bin/env bash
# What each domain of `ranges` is worth: goals proved, steps and time with all domains, and without
# each of them, on the examples, on programs with loops, and on functions of musl.
# run.sh [FOLDER [COUNT]]: works in FOLDER (target/bench/ranges), on COUNT functions of musl (40).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=${1:-$root/target/bench/ranges}
count=${2:-40}
mkdir -p "$folder"
cargo build --release --quiet --manifest-path "$root/Cargo.toml" -p nanoscope-ranges --example domains
domains=$root/target/release/examples/domains
for example in "$here"/loops.c "$root"/examples/{average,quotient,norm2,asymptotic}.c; do
    echo "# $(basename "$example")"
    "$domains" "$example" -lm
done
"$here/../musl/prepare.sh" "$folder/musl" >/dev/null
mapfile -t functions < <(awk '$3 == "public" && $2 !~ /^__/ { print $2 }' "$folder/musl/functions" |
    awk -v count="$count" '{ all[NR] = $0 } END { step = NR > count ? NR / count : 1; for (i = 1; i <= NR; i += step) print all[int(i)] }')
echo "# musl: ${#functions[@]} functions"
"$domains" "$folder/musl/musl.bc" "${functions[@]}"
