#!/bin/sh
# Shows Nanoscope on the examples. Findings are what a demonstration is for, so exit
# code 1 of `nanoscope exceptions` is as good as 0 here; anything else is a failure.
set -u
nanoscope=${1:?usage: scripts/demo.sh PATH-OF-NANOSCOPE}

show() {
    printf '\n$ nanoscope %s\n\n' "$*"
    "$nanoscope" "$@"
    code=$?
    if [ "$code" -gt 1 ]; then
        echo "demo: nanoscope ended with exit code $code" >&2
        exit "$code"
    fi
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

show exceptions examples/average.c
show exceptions examples/asymptotic.c --findings "$folder"
show exceptions examples/norm2.f90 --array x=3
show test examples/histogram.c

# One of them once more, from its file alone.
for finding in "$folder"/*.json; do
    show replay "$finding"
    break
done
