#!/usr/bin/env bash
# Submits a campaign to a Slurm cluster of one node as two shards, and kills the first task with -9
# as soon as a unit is done; waits until everything is done and merged.
#
#   bench/slurm/disturbed.sh NANOSCOPE CLUSTER-FOLDER PROJECT STORE
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
nanoscope=$1 cluster=$2 project=$3 store=$(realpath -m "$4")
inside=$(mktemp)
trap 'rm -f "$inside"' EXIT
cat >"$inside" <<SCRIPT
set -euo pipefail
"$nanoscope" campaign submit "$project" --store "$store" --slurm --shards 2 --dry-run
( while ! "$nanoscope" campaign status "$project" --store "$store" --json - | grep -q '"done": [1-9]'; do sleep 0.3; done
  task=\$(pgrep -f -- "campaign work --jobs 1 --store $store.shards/shard-0.db" | head -n 1)
  kill -9 "\$task" && echo "killed the first task" ) &
"$nanoscope" campaign submit "$project" --store "$store" --slurm --shards 2 --wait
SCRIPT
"$here/cluster.sh" "$cluster" bash "$inside"
