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
cat >../inside.sh <<SCRIPT
set -euo pipefail
"$nanoscope" campaign submit --slurm --shards 2 --dry-run
# Ends the first task as soon as it has done something.
( while ! "$nanoscope" campaign status --json - | grep -q '"done": [1-9]'; do sleep 0.3; done
  task=\$(pgrep -f -- "campaign work --jobs 1 --store $folder/project/nanoscope.db.shards/shard-0.db" | head -n 1)
  kill -9 "\$task" && echo "killed the first task" ) &
"$nanoscope" campaign submit --slurm --shards 2 --wait
SCRIPT
"$here/cluster.sh" "$folder/cluster" bash ../inside.sh
"$nanoscope" campaign report --json shards.json --quiet || [ $? = 1 ]
python3 "$here/../campaign/same.py" alone.json shards.json
