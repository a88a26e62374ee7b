#!/bin/sh
# Makes a Debian package of a release build: `scripts/deb.sh FOLDER` puts it there.
# The package has both binaries, man pages, completions and the book's pages.
set -eu
cd "$(dirname "$0")/.."
out=${1:-target}
built=${CARGO_TARGET_DIR:-target}/release
[ -x "$built/nanoscope" ] && [ -x "$built/nanoscope-llvm" ] || {
    echo "deb: no release build in $built: run make build" >&2
    exit 2
}
version=$("$built/nanoscope" --version | cut -d' ' -f2)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"

install -D -s -m 755 "$built/nanoscope" "$root/usr/bin/nanoscope"
install -D -s -m 755 "$built/nanoscope-llvm" "$root/usr/bin/nanoscope-llvm"

"$built/nanoscope" manual "$root/usr/share/man/man1"
gzip -9n "$root"/usr/share/man/man1/*.1
complete() { # SHELL FILE
    mkdir -p "$(dirname "$root/$2")"
    "$built/nanoscope" completions "$1" >"$root/$2"
}
complete bash usr/share/bash-completion/completions/nanoscope
complete zsh usr/share/zsh/vendor-completions/_nanoscope
complete fish usr/share/fish/vendor_completions.d/nanoscope.fish

share=usr/share/doc/nanoscope
mkdir -p "$root/$share/examples" "$root/$share/guides"
cp docs/*.md docs/*.json README.md "$root/$share/"
cp docs/guides/*.md "$root/$share/guides/"
cp examples/* "$root/$share/examples/"
cp LICENSE-MIT "$root/$share/copyright"
find "$root/usr/share" -type f -exec chmod 644 {} +
find "$root" -type d -exec chmod 755 {} +

mkdir "$root/DEBIAN"
cat >"$root/DEBIAN/control" <<END
Package: nanoscope
Version: $version
Architecture: amd64
Maintainer: The Nanoscope developers <nanoscope@localhost>
Section: devel
Priority: optional
Installed-Size: $(du -sk "$root/usr" | cut -f1)
Depends: libc6, libstdc++6, libgmp10, libmpfr6, libllvm19, clang-19, llvm-19, libclang-rt-19-dev, libc6-dev
Recommends: flang-19
Suggests: z3
Description: finds the inputs that make floating-point code go wrong
 Overflow, division by zero, NaN, lost precision, swallowed exceptions: found
 as inputs that were run natively, or proved impossible.
END
mkdir -p "$out"
dpkg-deb --build --root-owner-group "$root" "$out/nanoscope_${version}_amd64.deb"
