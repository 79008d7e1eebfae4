// Package replay runs the training step of a layout on the collective engine:
// the very calls that the plan lists, in their groups and in the order of the
// plan's timeline, with computation as delays of the predicted length. It
// measures what each call and each step takes.
//
// [Build] turns a layout into a [Plan], and that into a [Program] of plain
// figures, which ranks need alone. A [Backend] carries out a [Work]: programs
// to replay in interleaved rounds, calls to sample, links to probe. Back ends
// are [Local], ranks as goroutines over emulated links, and [Processes], ranks
// as processes of this or several machines. Another back end, of GPUs for
// instance, implements the three methods of the interface: a Work and a
// [Result] are JSON, so that its ranks may be other programs.
package replay
