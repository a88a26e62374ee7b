#!/usr/bin/env bash
# A campaign over GSL's special functions in three ways: undisturbed; killed with -9 three times at
# random moments and resumed; merged from two shards of a Slurm cluster of one node, with a task
# killed half-way (left out where Slurm is not installed). All must find the same. See bench/README.md.
#
#   bench/campaign/run.sh                                    a sample of 23 functions, two CPU minutes each way
#   FUNCTIONS='"gsl_sf_*"' bench/campaign/run.sh             every scalar special function
#   REUSE=1 bench/campaign/run.sh                            the undisturbed run of last time
#   WAIT=10 bench/campaign/run.sh                            killed within 10 s of work
#   EVALUATIONS=20000 OPTIONS='"--quick"' bench/campaign/run.sh
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
built=${CARGO_TARGET_DIR:-$root/target}
nanoscope=$(realpath "${NANOSCOPE:-$built/release/nanoscope}")
folder=$(realpath -m "${FOLDER:-$built/gsl}")
sample='"gsl_sf_bessel_[IJKY]0", "gsl_sf_airy_Ai", "gsl_sf_clausen", "gsl_sf_dawson", "gsl_sf_erf*",
    "gsl_sf_expint_E1", "gsl_sf_psi", "gsl_sf_zeta", "gsl_sf_log_1plusx", "gsl_sf_lambert_W0",
    "gsl_sf_synchrotron_1", "gsl_sf_debye_[12]"'
"$here/../gsl/prepare.sh" "$folder"
cd "$folder"
cat >campaign.toml <<TOML
[campaign]
sources = ["gsl.bc"]
flags = ["-O2", "-lm"]
functions = [${FUNCTIONS:-$sample}]
scalar-only = true
evaluations = ${EVALUATIONS:-5000}
options.exceptions = [${OPTIONS:-}]
TOML
rm -rf killed.db* shards.db*
[ -n "${REUSE:-}" ] || rm -rf alone.db* alone.json

campaign() { # STORE WORDS...: runs it to its end; findings are no failure
    local store=$1
    shift
    "$nanoscope" campaign run campaign.toml --store "$store" --quiet "$@" >/dev/null || [ $? = 1 ]
}

SECONDS=0
[ -f alone.json ] || campaign alone.db --json alone.json
echo "undisturbed: $SECONDS s"
"$nanoscope" campaign status campaign.toml --store alone.db | head -n 2

for kill in 1 2 3; do
    "$nanoscope" campaign run campaign.toml --store killed.db --quiet >/dev/null &
    process=$!
    # At a random moment, but not before the functions are listed: that is done anew each time.
    known() { "$nanoscope" campaign status campaign.toml --store killed.db --json - 2>/dev/null | grep -q "$1"; }
    until known '"running": [1-9]'; do sleep 0.5; done
    wait=$((1 + RANDOM % ${WAIT:-40}))
    sleep "$wait"
    kill -9 "$process" 2>/dev/null && echo "killed after $wait s ($kill)" || echo "ended before it was killed ($kill)"
    wait "$process" 2>/dev/null || true
    "$nanoscope" campaign status campaign.toml --store killed.db | head -n 1
done
campaign killed.db --json killed.json
python3 "$here/same.py" alone.json killed.json

if ! PATH=$PATH:/usr/sbin command -v slurmctld >/dev/null; then
    echo "Slurm is not installed (apt-get install slurm-wlm munge): not merged from shards"
    exit 0
fi
"$here/../slurm/disturbed.sh" "$nanoscope" "$folder/cluster" campaign.toml shards.db
campaign shards.db --json shards.json
python3 "$here/same.py" alone.json shards.json
