// Package steps writes every collective algorithm as a pure list of steps:
// what one rank sends, receives, reduces and copies, and in which order.
//
// The same list is what an engine executes and what [Cost] walks, so a
// prediction and a run cannot disagree about bytes. The tests prove every set
// of programs right by interpreting them on symbols instead of numbers.
//
// # How a program runs
//
// A [Program] is ordered by Round, the Sends of a round first. In each round a
// rank
//
//  1. posts all its Sends of the round, in program order, without waiting;
//  2. does its other steps of the round in program order (a Recv or
//     RecvReduce waits for its message; each step sees what earlier ones of
//     the round wrote);
//  3. waits until its Sends are complete.
//
// A Send and the Recv or RecvReduce that takes it carry the same Round and
// the same length, and the messages between two ranks match in program order.
// Rounds are therefore global, and no program can deadlock even when nothing
// is buffered. No step of a round writes what a Send of that round reads, so
// a transport may let the receiver read straight from the sender's buffer.
// Rounds are numbered from 0 and may be sparse on one rank.
//
// # Buffers
//
// Offsets and lengths count elements. Input is only read. [Lens] gives the
// buffer lengths: they follow the definition of M in package collective, with
// pieces cut by [Cut] where M does not divide evenly. Programs stay right
// when the call is in place (see [InPlace]); a Copy onto itself is then to be
// skipped.
package steps
