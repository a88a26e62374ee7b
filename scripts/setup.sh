#!/bin/sh
# Installs what Nanoscope is built from and runs on: LLVM 19, clang 19, flang 19, GMP and
# MPFR, a linker. Does nothing, and needs no rights, where everything is there.
set -eu

packages="build-essential pkg-config clang-19 libclang-rt-19-dev llvm-19 llvm-19-dev libpolly-19-dev libzstd-dev flang-19 libgmp-dev libmpfr-dev"

fail() {
    echo "setup: $1" >&2
    exit 1
}

# The Rust toolchain comes from rustup, which reads rust-toolchain.toml.
command -v cargo >/dev/null 2>&1 ||
    fail "cargo is missing: install Rust with rustup (https://rustup.rs), then run this again"

if ! command -v dpkg-query >/dev/null 2>&1; then
    # Not Debian or Ubuntu: all we can do is look.
    for tool in cc clang-19 flang-new-19 /usr/lib/llvm-19/bin/llvm-config; do
        command -v "$tool" >/dev/null 2>&1 ||
            fail "$tool is missing, and this is not a Debian or Ubuntu system: install it by hand"
    done
    exit 0
fi

missing=""
for package in $packages; do
    status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
    [ "$status" = "install ok installed" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
echo "setup: to install:$missing"

if [ "$(id -u)" = 0 ]; then
    as_root=""
elif command -v sudo >/dev/null 2>&1; then
    as_root="sudo"
else
    fail "these packages need root: run as root, or install sudo, or ask for: apt-get install$missing"
fi

# The lists of packages may be absent, as in a container, or too old to fetch from.
install() {
    # shellcheck disable=SC2086 # a list of words
    $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends $missing
}
known() {
    for package in $missing; do
        apt-cache show "$package" >/dev/null 2>&1 || return 1
    done
}
if known && install; then
    exit 0
fi
$as_root apt-get update
known || fail "this system's package sources do not have all of:$missing (Debian 12 has them)"
install
