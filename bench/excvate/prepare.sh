#!/usr/bin/env bash
# The reference BLAS 3.11 from Debian's sources and its test programs, built by gfortran at one
# level. prepare.sh FOLDER NAME FLAGS...: makes FOLDER/NAME/{s,d,c,z}blat{1,2,3}, once. They load
# FOLDER/NAME/libblas.so.3, so that another library can be preloaded in its place.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1 name=$2
shift 2
command -v gfortran >/dev/null || { echo "$0: gfortran is missing: apt-get install gfortran" >&2; exit 1; }
mkdir -p "$folder"
cd "$folder"
"$here/../debian-source.sh" lapack 3.11.0 lapack
[ ! -f "$name/done" ] || exit 0
rm -rf "$name"
mkdir -p "$name/objects"
for source in lapack/BLAS/SRC/*.f lapack/BLAS/SRC/*.f90; do
    echo "$source"
done | xargs -P "$(nproc)" -I{} sh -c \
    "gfortran -g -fPIC $* -c {} -o $name/objects/\$(basename {}).o -J $name/objects"
gfortran -shared -Wl,-soname,libblas.so.3 -o "$name/libblas.so.3" "$name"/objects/*.o
for type in s d c z; do
    for level in 1 2 3; do
        gfortran -g "$@" -std=legacy -w -o "$name/${type}blat$level" \
            "lapack/BLAS/TESTING/${type}blat$level.f" "$name/libblas.so.3" \
            -Wl,-rpath,"$PWD/$name"
    done
done
rm -r "$name/objects"
touch "$name/done"
