// Package transport moves the bytes of a collective between the ranks of a
// group: between goroutines, between processes over shared memory, over TCP
// or Unix sockets, and over any of these with emulated bandwidth, delay and
// NIC sharing.
//
// A [World] is one rank's view of a job. It opens [Port]s: a port is the
// rank's end of a group, with one link to every member. Where memory is
// shared, a receiver merges straight out of the sender's buffer; nothing is
// copied on the way. Every wait has a deadline, and the first failure of any
// rank ends the waits of all of them with one message.
package transport
