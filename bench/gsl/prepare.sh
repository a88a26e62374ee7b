#!/usr/bin/env bash
# GSL 2.7.1 from Debian's sources as one file of bitcode, and the list of its scalar
# special functions. prepare.sh FOLDER: makes FOLDER/gsl.bc and FOLDER/functions, once.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
version=2.7.1+dfsg

# Debian's source package, by an apt configuration of our own: the system's may have no
# deb-src line, and is left alone.
if [ -z "${GSL_SOURCE:-}" ] && [ ! -d "gsl-$version" ]; then
    mkdir -p apt/lists/partial apt/cache/archives/partial
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
        "http://deb.debian.org/debian bookworm main" >apt/sources.list
    apt=(apt-get -q -o "Dir::Etc::SourceList=$PWD/apt/sources.list" -o Dir::Etc::SourceParts=-
        -o "Dir::State::Lists=$PWD/apt/lists" -o "Dir::Cache=$PWD/apt/cache"
        -o APT::Sandbox::User=root)
    "${apt[@]}" update
    "${apt[@]}" source --download-only gsl
    mkdir "gsl-$version.part"
    tar -xf gsl_"$version".orig.tar.* -C "gsl-$version.part" --strip-components=1
    mv "gsl-$version.part" "gsl-$version"
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
[ -f functions ] || { llvm-dis-19 gsl.bc -o - | python3 "$here/functions.py" >functions.part && mv functions.part functions; }
