// Package engine runs collectives: it executes the programs of package
// costmodel/collective/steps over a transport, on real bytes between real
// ranks.
//
// A [Comm] is one rank's end of a group. [Comm.Do] runs a [Call] and returns
// when its buffers may be used; [Comm.Start] returns at once with a [Handle],
// so that communication runs beside computation. [Comm.Split] makes smaller
// groups. M, counts and buffer lengths are those of package collective, with
// uneven pieces cut by steps.Cut.
//
// All ranks of a group make the same calls in the same order. A rank that
// makes another one, dies, hangs or loses its connection ends the call on
// every rank with one *transport.Failure.
package engine
