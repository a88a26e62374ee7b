#!/usr/bin/env bash
# The tests of the BLAS's C interface from LAPACK 3.11's sources, linked with Debian's reference BLAS.
# cblas.sh FOLDER: makes FOLDER/cblas/{s,d,c,z}cblat{1,2,3} and {s,d,c,z}in{2,3}, once. Another library is
# tested by preloading it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
command -v gfortran >/dev/null || { echo "$0: gfortran is missing: apt-get install gfortran" >&2; exit 1; }
"$here/reference.sh" "$folder"
cd "$folder"
"$here/../debian-source.sh" lapack 3.11.0 lapack
[ ! -f cblas/done ] || exit 0
rm -rf cblas
mkdir -p cblas/include
tests=lapack/CBLAS/testing
cp lapack/CBLAS/include/*.h cblas/include
cp lapack/CBLAS/include/cblas_mangling_with_flags.h.in cblas/include/cblas_mangling.h
for type in s d c z; do
    for level in 1 2 3; do
        sources=("$tests/c_${type}blat$level.f" "$tests/c_${type}blas$level.c")
        if [ "$level" != 1 ]; then
            sources+=("$tests/c_${type}${level}chke.c" "$tests/auxiliary.c" "$tests/c_xerbla.c")
        fi
        gfortran -O2 -w -std=legacy -DADD_ -Icblas/include -o "cblas/${type}cblat$level" "${sources[@]}" \
            reference/libblas.so.3 -Wl,-rpath,"$PWD/reference"
    done
done
cp "$tests"/[sdcz]in[23] cblas
touch cblas/done
