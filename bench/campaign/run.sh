#!/usr/bin/env bash
# A campaign over GSL's special functions, killed with -9 three times at random and resumed: the same
# findings as undisturbed. See bench/README.md.
#
#   bench/campaign/run.sh                        every scalar special function
#   PATTERN='gsl_sf_bessel_?0' bench/campaign/run.sh   some of them
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
built=${CARGO_TARGET_DIR:-$root/target}
nanoscope=$(realpath "${NANOSCOPE:-$built/release/nanoscope}")
folder=$(realpath -m "${FOLDER:-$built/gsl}")
"$here/../gsl/prepare.sh" "$folder"
cd "$folder"
cat >campaign.toml <<TOML
[campaign]
sources = ["gsl.bc"]
flags = ["-O2", "-lm"]
functions = ["${PATTERN:-gsl_sf_*}"]
scalar-only = true
evaluations = ${EVALUATIONS:-20000}
options.exceptions = [${OPTIONS:-}]
TOML
rm -f alone.db* killed.db*
"$nanoscope" campaign run campaign.toml --store alone.db --json alone.json --quiet || [ $? = 1 ]
for kill in 1 2 3; do
    "$nanoscope" campaign run campaign.toml --store killed.db --quiet >/dev/null &
    process=$!
    sleep "$((${WAIT:-10} + RANDOM % ${WAIT:-10}))"
    kill -9 "$process" 2>/dev/null && echo "killed ($kill)" || echo "ended before it was killed ($kill)"
    wait "$process" 2>/dev/null || true
    "$nanoscope" campaign status campaign.toml --store killed.db | head -n 1
done
"$nanoscope" campaign run campaign.toml --store killed.db --json killed.json --quiet || [ $? = 1 ]
python3 "$here/same.py" alone.json killed.json
