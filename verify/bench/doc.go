// Package bench measures collectives: it checks every element of the result,
// then times, and says how far the machine can be trusted meanwhile.
//
// The time of a call is that of its slowest rank, from a barrier on; a row
// shows the median of the iterations. algbw = M/time and busbw = algbw times
// the operation's factor are those of nccl-tests (doc/PERFORMANCE.md).
package bench
