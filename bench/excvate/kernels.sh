#!/usr/bin/env bash
# kernels.c by gcc and clang, with and without -ffast-math: sger and sgemv lose a NaN only with it. The
# prototypes are taken from the debugging information. kernels.sh [FOLDER]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
nanoscope=$(realpath "${NANOSCOPE:-$here/../../target/release/nanoscope}")
folder=${1:-$here/../../target/excvate/kernels}
mkdir -p "$folder"
cd "$folder"
for compiler in gcc clang-19; do
    for flags in "-O2" "-O3" "-O2 -ffast-math" "-O3 -ffast-math"; do
        name=$compiler${flags// /}
        # shellcheck disable=SC2086
        $compiler -g $flags -o "$name" "$here/kernels.c"
        "$nanoscope" handling --json "$name.json" --quiet -- "./$name" >/dev/null || [ $? = 1 ]
        printf '%-28s' "$compiler $flags"
        python3 -c 'import json, sys
findings = json.load(open(sys.argv[1]))["findings"]
print("; ".join(f["function"] + ": " + f["details"]["what"] for f in findings) or "nothing")' "$name.json"
    done
done
"$nanoscope" handling --also ./gcc-O2 --also ./clang-19-O3 --html kernels.html -- ./gcc-O3-ffast-math || [ $? = 1 ]
