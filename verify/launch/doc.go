// Package launch brings the processes of a job together and notices when one
// of them goes.
//
// [Run] starts ranks on this machine by running the program again, or on
// others over ssh. [FromEnv] finds a rank's place where another launcher
// (torchrun, srun, mpirun of Open MPI or MPICH) has started the processes.
// Either way [Join] meets the other ranks at rank 0, which checks version,
// size and an optional shared secret, and afterwards passes on the first
// failure of any rank to all.
package launch
