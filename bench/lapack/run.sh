#!/usr/bin/env bash
# The scalar and small kernels of LAPACK 3.11: how many of their goals are settled.
#
#   bench/lapack/run.sh                     ten processor seconds a routine
#   TIME=2 bench/lapack/run.sh dlapy2 dlae2 two seconds, these routines only
#
# LAPACK's source is downloaded once (bench/debian-source.sh) to FOLDER, target/lapack;
# LAPACK_SOURCE names a tree that is there already. See bench/README.md.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
built=${CARGO_TARGET_DIR:-$root/target}
nanoscope=$(realpath "${NANOSCOPE:-$built/release/nanoscope}")
folder=$(realpath -m "${FOLDER:-$built/lapack}")
mkdir -p "$folder"
source=${LAPACK_SOURCE:-$folder/source}
[ -d "$source" ] || "$here/../debian-source.sh" lapack 3.11.0 "$source"
time=${TIME:-10}
mapfile -t all < <(grep -v '^#' "$here/routines" | tr -s ' ' '\n' | grep .)
routines=("$@")
[ ${#routines[@]} -gt 0 ] || routines=("${all[@]}")

cd "$source"
# What the routines call: each other, machine parameters, tests for NaN, and the BLAS on short vectors.
sources=(SRC/la_constants.f90 SRC/la_xisnan.F90 INSTALL/dlamch.f INSTALL/slamch.f)
for name in lsame xerbla dcopy scopy dscal sscal ddot sdot dswap sswap idamax isamax zscal cscal \
    zdscal csscal zdotc cdotc dnrm2 snrm2 dznrm2 scnrm2 disnan sisnan dlaisnan slaisnan dlabad \
    slabad dlapy2 slapy2 dlapy3 slapy3 dladiv sladiv zladiv cladiv dlartg slartg dlasv2 slasv2 \
    "${all[@]}" "${routines[@]}"; do
    for file in SRC/$name.f SRC/$name.f90 BLAS/SRC/$name.f BLAS/SRC/$name.f90; do
        if [ -f "$file" ]; then
            sources+=("$file")
            break
        fi
    done
done
mapfile -t sources < <(printf '%s\n' "${sources[@]}" | awk '!seen[$0]++')
arguments=()
for name in "${routines[@]}"; do arguments+=(--function "$name"); done
limit=$(python3 -c "print(60 + 3 * $time * ${#routines[@]})")
"$nanoscope" exceptions "${sources[@]}" "${arguments[@]}" --time-limit "$limit" --function-time "$time" \
    --jobs "${JOBS:-$(nproc)}" --quiet --json "$folder/report.json" || [ $? -eq 1 ]
python3 "$here/../settled.py" "$folder/report.json"
