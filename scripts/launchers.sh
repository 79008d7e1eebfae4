#!/bin/sh
# Runs planner bench under real launchers on this machine: mpirun of Open MPI,
# mpiexec of MPICH, srun, torchrun and ssh, with 2 and 4 ranks each. Every
# element of every result is compared.
#
#   scripts/launchers.sh [TORCHRUN]
#
# TORCHRUN is the directory that holds a torchrun; without it one in the PATH
# is tried. Debian and Ubuntu, as root: what is missing is installed with
# apt-get (openmpi-bin mpich slurm-wlm munge openssh-server openssh-client). A
# Slurm of one node runs while the tests do, unless one answers already.
set -eu
[ $# -eq 0 ] || PATH="$1:$PATH"
cd "$(dirname "$0")/.."

need=""
for p in mpirun.openmpi:openmpi-bin mpiexec.hydra:mpich srun:slurm-wlm munged:munge sshd:openssh-server ssh:openssh-client; do
	PATH="$PATH:/usr/sbin" command -v "${p%%:*}" >/dev/null || need="$need ${p#*:}"
done
if [ -n "$need" ]; then
	apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $need >&2
fi

if ! timeout 5 sinfo --noheader >/dev/null 2>&1; then
	dir=$(mktemp -d)
	stop() {
		pids=$(cat "$dir"/*.pid $munge 2>/dev/null)
		for p in $pids; do kill "$p" 2>/dev/null || true; done
		for p in $pids; do timeout 10 tail -f --pid="$p" /dev/null || true; done
		rm -rf "$dir"
	}
	munge="" # the file with its number, if this script starts it
	trap stop EXIT
	trap 'exit 1' INT TERM
	mkdir -p /run/munge "$dir/d" "$dir/ctld"
	chown munge:munge /run/munge
	if ! munge -n >/dev/null 2>&1; then
		runuser -u munge -- munged
		munge=/run/munge/munged.pid
	fi
	host=$(hostname -s)
	cat >"$dir/slurm.conf" <<END
ClusterName=one
SlurmctldHost=$host
AuthType=auth/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SlurmUser=root
SlurmdSpoolDir=$dir/d
StateSaveLocation=$dir/ctld
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
NodeName=$host CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
END
	export SLURM_CONF="$dir/slurm.conf"
	slurmctld
	slurmd
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		timeout 5 srun -n 1 true 2>/dev/null && break
		sleep 1
	done
fi

go test ./verify/bench -run 'Launchers|SSH' -count 1 -v
