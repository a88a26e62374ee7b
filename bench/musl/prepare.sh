#!/usr/bin/env bash
# The mathematical functions of musl 1.2.3, a C library, from Debian's sources as one file of
# bitcode, and the list of the scalar ones (of float and double). prepare.sh FOLDER: makes
# FOLDER/musl.bc and FOLDER/functions, once.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
version=1.2.3
if [ -z "${MUSL_SOURCE:-}" ]; then
    "$here/../debian-source.sh" musl "$version" "musl-$version"
fi
source=$(realpath "${MUSL_SOURCE:-musl-$version}")

# As musl's own makefile has it, in portable C: the architecture's assembly is left out. It is
# a library of its own, so its `sin` is not the one that compilers know.
if [ ! -f musl.bc ]; then
    rm -rf parts && mkdir -p parts include/bits
    sed -f "$source/tools/mkalltypes.sed" "$source"/{arch/x86_64/bits,include}/alltypes.h.in >include/bits/alltypes.h
    compile=(clang-19 -O2 -Xclang -disable-llvm-passes -g -gcolumn-info -fPIC -emit-llvm -c -w
        -std=c99 -nostdinc -ffreestanding -D_XOPEN_SOURCE=700 -Iarch/x86_64 -Iarch/generic
        -Isrc/include -Isrc/internal "-I$PWD/include" -Iinclude)
    for part in "$source"/src/math/*.c; do
        part=src/math/$(basename "$part")
        (cd "$source" && "${compile[@]}" "$part" -o "$OLDPWD/parts/$(basename "$part").bc")
    done
    llvm-link-19 parts/*.bc -o musl.part
    mv musl.part musl.bc
fi
[ -f functions ] || { llvm-dis-19 musl.bc -o - | python3 "$here/../gsl/functions.py" src/math/ >functions.part && mv functions.part functions; }
echo "musl 1.2.3, src/math" >title
