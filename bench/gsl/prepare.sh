#!/usr/bin/env bash
# GSL 2.7.1 from Debian's sources as one file of bitcode, and the list of its scalar
# special functions. prepare.sh FOLDER: makes FOLDER/gsl.bc and FOLDER/functions, once.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
version=2.7.1+dfsg

if [ -z "${GSL_SOURCE:-}" ]; then
    "$here/../debian-source.sh" gsl "$version" "gsl-$version"
fi
source=$(realpath "${GSL_SOURCE:-gsl-$version}")
[ -f "$source/config.h" ] || (cd "$source" && ./configure --quiet)
[ -f "$source/gsl/gsl_sf.h" ] || make -s -C "$source/gsl" header-links

# Everything is compiled as `nanoscope exceptions` compiles sources: as written, with
# places. The files beside specfunc/ are what it calls; those of matrices only serve
# functions that are not scalar.
if [ ! -f gsl.bc ]; then
    rm -rf parts && mkdir parts
    mapfile -t parts < <(sed -n 's/^libgslspecfunc_la_SOURCES = //p' "$source/specfunc/Makefile.am" |
        tr ' ' '\n' | sed -n 's|.*\.c$|specfunc/&|p')
    for part in sys/{coerce,expm1,fcmp,fdiv,hypot,infnan,invhyp,ldfrexp,log1p,minmax,pow_int,prec}.c \
        complex/{inline,math}.c poly/eval.c; do
        parts+=("$part")
    done
    compile=(clang-19 -O2 -Xclang -disable-llvm-passes -g -gcolumn-info -fPIC -emit-llvm -c -w)
    for part in "${parts[@]}"; do
        (cd "$source" && "${compile[@]}" -DHAVE_CONFIG_H -I. "-I$(dirname "$part")" "$part" \
            -o "$OLDPWD/parts/$(echo "$part" | tr / -).bc")
    done
    "${compile[@]}" "$here/handler.c" -o parts/handler.bc
    # The public functions' inline copies in headers are not what is asked about.
    llvm-link-19 parts/*.bc -o gsl.part
    mv gsl.part gsl.bc
fi
[ -f functions ] || { llvm-dis-19 gsl.bc -o - | python3 "$here/functions.py" specfunc/ >functions.part && mv functions.part functions; }
echo "GSL 2.7.1" >title
