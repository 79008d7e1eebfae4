#!/bin/sh
# Compares planner's engine with Open MPI and Gloo: in-place AllReduce of f32
# on this machine, side by side. planner never needs either of them.
#
#   [PYTHON=python3] scripts/compare-mpi-gloo.sh [PLANNER] [RANKS] [ROUNDS] [MIB]
#
# PLANNER is the binary (default ./planner), RANKS defaults to 2, ROUNDS to 5,
# and MIB, the largest message, to 256.
# PYTHON is one that has torch (default /usr/bin/python3).
# The three take turns in every round, so that a disturbance meets all of them;
# the table shows the median over the rounds of each round's median time of the
# slowest rank, in microseconds. "speedup" is against the faster of the other
# two. Open MPI uses shared memory, Gloo TCP over the loopback device.
#
# Debian and Ubuntu: what is missing is installed with apt-get, which needs
# root: openmpi-bin libopenmpi-dev gcc python3-torch (whose distributed package
# brings Gloo).
set -eu
planner=${1:-./planner}
ranks=${2:-2}
rounds=${3:-5}
max=$((${4:-256} << 20))

command -v "$planner" >/dev/null || { echo "$planner: not found: want the planner binary" >&2; exit 2; }
python=${PYTHON:-/usr/bin/python3}
command -v "$python" >/dev/null || { echo "$python: not found: want a Python that has torch in PYTHON" >&2; exit 2; }
need=""
command -v mpicc >/dev/null || need="$need openmpi-bin libopenmpi-dev gcc libc6-dev"
$python -c 'import torch.distributed' 2>/dev/null || need="$need python3-torch"
if [ -n "$need" ]; then
	apt-get update -qq && apt-get install -y -qq --no-install-recommends $need >&2
fi

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM

cat >"$dir/mpi.c" <<'C'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int less(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

int main(int argc, char **argv) {
	size_t max = strtoull(argv[1], 0, 10);
	static double t[1000];
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	float *buf = calloc(max, 1);
	for (size_t size = 1024; size <= max; size *= 4) {
		int iters = size > (16 << 20) ? 5 : size > (64 << 10) ? 50 : 1000;
		for (int i = -5; i < iters; i++) {
			MPI_Barrier(MPI_COMM_WORLD);
			double begin = MPI_Wtime();
			MPI_Allreduce(MPI_IN_PLACE, buf, size / 4, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
			double mine = MPI_Wtime() - begin, all;
			MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
			if (i >= 0)
				t[i] = all;
		}
		qsort(t, iters, sizeof t[0], less);
		if (rank == 0)
			printf("%zu %.3f\n", size, t[iters / 2] * 1e6);
	}
	MPI_Finalize();
	return 0;
}
C

cat >"$dir/gloo.py" <<'PY'
import os, sys, time
import torch
import torch.distributed as dist

torch.set_num_threads(1)
dist.init_process_group("gloo")
size, limit = 1024, int(sys.argv[1])
while size <= limit:
    buf = torch.zeros(size // 4)
    iters, times = (5 if size > 16 << 20 else 50 if size > 64 << 10 else 200), []
    for i in range(iters + 5):
        dist.barrier()
        begin = time.perf_counter()
        dist.all_reduce(buf)
        if i >= 5:
            times.append(time.perf_counter() - begin)
    slowest = torch.tensor(times, dtype=torch.float64)
    dist.all_reduce(slowest, op=dist.ReduceOp.MAX)
    if dist.get_rank() == 0:
        print(size, "%.3f" % (sorted(slowest.tolist())[iters // 2] * 1e6))
    size *= 4
PY

mpicc -O3 -o "$dir/mpi" "$dir/mpi.c"

ours() {
	"$planner" bench all_reduce --ranks "$ranks" -b 1K -e "$max" -f 4 --format csv |
		awk -F, 'NR > 1 { print $2, $11 }'
}
mpi() {
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
		mpirun --oversubscribe --bind-to core:overload-allowed --mca btl self,vader -n "$ranks" "$dir/mpi" "$max"
}
gloo() {
	pids=""
	for r in $(seq 0 $((ranks - 1))); do
		GLOO_SOCKET_IFNAME=lo RANK=$r WORLD_SIZE=$ranks MASTER_ADDR=127.0.0.1 MASTER_PORT=29611 \
			$python "$dir/gloo.py" "$max" &
		pids="$pids $!"
	done
	for p in $pids; do wait "$p"; done
}

for round in $(seq "$rounds"); do
	echo "round $round of $rounds" >&2
	ours | sed 's/^/planner /' >>"$dir/all"
	mpi | sed 's/^/mpi /' >>"$dir/all"
	gloo | sed 's/^/gloo /' >>"$dir/all"
done

sort -k1,1 -k2,2n -k3,3n "$dir/all" | awk -v ranks="$ranks" '
	{ k = $1 " " $2; v[k, ++n[k]] = $3; size[$2] }
	function mid(who, s) { return v[who " " s, int((n[who " " s] + 1) / 2)] }
	END {
		printf "%12s %12s %12s %12s %8s   in-place f32 AllReduce, %d ranks, us\n", "bytes", "planner", "Open MPI", "Gloo", "speedup", ranks
		for (s = 1024; s in size; s *= 4) {
			p = mid("planner", s); m = mid("mpi", s); g = mid("gloo", s)
			best = (g == "" || m < g) ? m : g
			printf "%12d %12.2f %12.2f %12.2f %7.2fx\n", s, p, m, g, best / p
		}
	}'
