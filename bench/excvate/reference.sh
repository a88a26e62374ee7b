#!/usr/bin/env bash
# Debian's reference BLAS and LAPACK as shared libraries, unpacked and not installed: the system may have another
# BLAS, and keeps it. reference.sh FOLDER: makes FOLDER/reference/{libblas,liblapack}.so.3, once.
set -euo pipefail
folder=$(realpath -m "$1")/reference
[ ! -f "$folder/done" ] || exit 0
command -v dpkg-deb >/dev/null || { echo "$0: it needs apt and dpkg (Debian or Ubuntu)" >&2; exit 1; }
rm -rf "$folder"
mkdir -p "$folder/packages"
cd "$folder/packages"
# As root, apt would download as another user, who may not write here.
apt-get -q -o APT::Sandbox::User=root download libblas3 liblapack3 >&2 ||
    { echo "$0: cannot download libblas3 and liblapack3: try apt-get update" >&2; exit 1; }
for package in *.deb; do dpkg-deb -x "$package" .; done
find . -name 'libblas.so.3' -o -name 'liblapack.so.3' | while read -r library; do
    cp -L "$library" "$folder/$(basename "$library")"
done
[ -f "$folder/libblas.so.3" ] && [ -f "$folder/liblapack.so.3" ] ||
    { echo "$0: the packages have no libblas.so.3 or no liblapack.so.3" >&2; exit 1; }
cd "$folder"
rm -r packages
touch done
