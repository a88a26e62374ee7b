#!/usr/bin/env bash
# The original source of a Debian package, without Debian's changes.
#
#   bench/debian-source.sh PACKAGE VERSION FOLDER
#
# Downloads PACKAGE's upstream VERSION and unpacks it to FOLDER, once. The archives are the
# ones that apt on this machine is set up with, asked for sources in place of binaries by a
# configuration of our own: the system's may not ask for sources, and is left alone.
set -euo pipefail
package=$1 version=$2 folder=$(realpath -m "$3")
[ ! -d "$folder" ] || exit 0
work=$folder.part
rm -rf "$work"
mkdir -p "$work"/apt/{sources,lists/partial,cache/archives/partial} "$work/tree"
cd "$work"

# Both ways of writing sources down: a line each (`deb [options] URI suite component...`), and
# paragraphs with a field `Types`.
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ ! -f "$file" ] || sed -n 's/^[[:space:]]*deb[[:space:]]/deb-src /p' "$file" >>apt/sources/lines.list
done
for file in /etc/apt/sources.list.d/*.sources; do
    [ ! -f "$file" ] || sed -E 's/^Types:.*/Types: deb-src/I' "$file" >"apt/sources/$(basename "$file")"
done
if ! grep -qsr deb-src apt/sources; then
    echo "$0: apt has no sources on this machine" >&2
    exit 1
fi
apt=(apt-get -q -o Dir::Etc::SourceList=- -o "Dir::Etc::SourceParts=$PWD/apt/sources"
    -o "Dir::State::Lists=$PWD/apt/lists" -o "Dir::Cache=$PWD/apt/cache" -o APT::Sandbox::User=root)
# An archive that cannot be reached, or has no sources, may not be the one that is needed.
"${apt[@]}" update >&2 || true
known=$("${apt[@]}" source --print-uris --download-only "$package" |
    grep -o "${package}_[^ /]*\.orig\.tar\.[a-z0-9]* " | sort -u)
case $known in
"${package}_$version.orig.tar."*) ;;
*)
    echo "$0: this system's archives have ${known:-no source} of $package, not version $version" >&2
    exit 1
    ;;
esac
"${apt[@]}" source --download-only --tar-only "$package" >&2
tar -xf "${known% }" -C tree --strip-components=1
mv tree "$folder"
rm -rf "$work"
