#!/bin/sh
# Large computations as C: what is proved and shown, seconds and memory of the whole run.
# NANOSCOPE=path chooses the binary; an argument keeps one function.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tool=${NANOSCOPE:-$here/../../target/release/nanoscope}
only=${1:-}
report=$(mktemp)
trap 'rm -f "$report"' EXIT

run() {
    function=$1
    shift
    [ -z "$only" ] || [ "$only" = "$function" ] || return 0
    /usr/bin/env python3 - "$function" "$report" "$tool" precision "$here/large.c" -lm \
        --function "$function" "$@" --absolute 1e-3 --time-limit "${TIME:-60}" --quiet --json "$report" <<'PYTHON'
import json, resource, subprocess, sys, time
function, report, *command = sys.argv[1:]
start = time.time()
subprocess.run(command, stdout=subprocess.DEVNULL)
seconds = time.time() - start
memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
error = json.load(open(report))["errors"][0]
proved, shown = error["proved"]["absolute"], (error["shown"] or {}).get("absolute")
number = lambda text: float(text) if text else float("nan")
print(f"{function:16} proved {number(proved):10.4e}  shown {number(shown):10.4e}"
      f"  width {number(proved) / number(shown):7.2f}  {seconds:6.1f} s  {memory:6.0f} MB"
      f"  {error.get('why', '') if not proved else ''}")
PYTHON
}

run chain_sum --array x=1024 --input x=-1..1
run tree_sum --array x=1024 --input x=-1..1
run horner --input x=0.5..1
run monomials --input x=0.5..1
run lorenz20 --input x=1..1.001 --input y=1..1.001 --input z=1..1.001
run lorenz40 --input x=1..1.001 --input y=1..1.001 --input z=1..1.001
run lorenz70 --input x=1..1.001 --input y=1..1.001 --input z=1..1.001
run heat --array x=65 --input x=0..1
run fdtd --array x=500 --array y=499 --input x=-1..1 --input y=-1..1
run fft --array x=1024 --input x=-1..1
run prefix_sum --array x=4096 --input x=-1..1
run matrix_product --array x=64 --array y=64 --input x=-1..1 --input y=-1..1
