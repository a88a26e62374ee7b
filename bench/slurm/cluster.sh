#!/usr/bin/env bash
# A Slurm cluster of one node, this machine, in a scratch folder: munged, slurmctld and slurmd from
# Debian's packages slurm-wlm and munge, on ports and sockets of their own. Needs root.
#
#   bench/slurm/cluster.sh FOLDER COMMAND...    starts it, runs COMMAND in it, ends it
set -euo pipefail
folder=$(realpath -m "$1")
shift
for tool in munged slurmctld slurmd sbatch; do
    PATH=$PATH:/usr/sbin command -v "$tool" >/dev/null || { echo "$0: $tool is missing: apt-get install slurm-wlm munge" >&2; exit 2; }
done
export PATH=$PATH:/usr/sbin
mkdir -p "$folder"/{state,spool,log}
chmod 755 "$folder"
host=$(hostname -s)
processors=$(nproc)
[ -f "$folder/munge.key" ] || { head -c 1024 /dev/urandom >"$folder/munge.key"; chmod 400 "$folder/munge.key"; }
cat >"$folder/slurm.conf" <<CONF
ClusterName=nanoscope
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
SlurmctldPort=$((20000 + $$ % 20000))
SlurmdPort=$((40000 + $$ % 20000))
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/log/slurmctld.log
SlurmdLogFile=$folder/log/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MailProg=/bin/true
NodeName=$host NodeAddr=127.0.0.1 CPUs=$processors State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
echo "CgroupPlugin=cgroup/v1" >"$folder/cgroup.conf"
export SLURM_CONF=$folder/slurm.conf
munged --force --foreground --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
    --pid-file="$folder/munged.pid" --log-file="$folder/log/munged.log" --seed-file="$folder/munge.seed" \
    >"$folder/log/munged.out" 2>&1 &
daemons=($!)
trap 'kill "${daemons[@]}" 2>/dev/null; wait' EXIT
for _ in $(seq 50); do [ ! -S "$folder/munge.socket" ] || break; sleep 0.1; done
slurmctld -D -f "$SLURM_CONF" >"$folder/log/slurmctld.out" 2>&1 &
daemons+=($!)
slurmd -D -f "$SLURM_CONF" -N "$host" >"$folder/log/slurmd.out" 2>&1 &
daemons+=($!)
for _ in $(seq 150); do
    sinfo --noheader --format=%t 2>/dev/null | grep -q idle && break
    sleep 0.2
done
sinfo --noheader --format=%t | grep -q idle || { tail -n 20 "$folder"/log/* >&2; exit 1; }
"$@"
