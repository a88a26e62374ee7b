#!/usr/bin/env bash
# A campaign on a real Slurm cluster of one node, with a task killed half-way: the findings are those
# of an undisturbed run. See bench/README.md.
#
#   bench/slurm/run.sh [FOLDER]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=$(realpath -m "${1:-${CARGO_TARGET_DIR:-$root/target}/slurm}")
nanoscope=$(realpath "${NANOSCOPE:-${CARGO_TARGET_DIR:-$root/target}/release/nanoscope}")
mkdir -p "$folder/project"
cp "$root"/examples/{average,norm2,quotient,asymptotic}.c "$folder/project"
cat >"$folder/project/nanoscope.toml" <<TOML
[campaign]
sources = ["*.c"]
link = "apart"
evaluations = 20000
options.exceptions = ["--quick", "--engines", "ranges,search"]
TOML
cd "$folder/project"
rm -rf ./*.db* 
"$nanoscope" campaign run --store alone.db --json alone.json --quiet || [ $? = 1 ]
"$here/disturbed.sh" "$nanoscope" "$folder/cluster" nanoscope.toml nanoscope.db
"$nanoscope" campaign report --json shards.json --quiet || [ $? = 1 ]
python3 "$here/../campaign/same.py" alone.json shards.json
