// Package replay runs the training step of a layout on the collective engine:
// the very calls that the plan lists, in their groups and in the order of the
// plan's timeline, with computation as delays of the predicted length. It
// measures what each call and each step takes.
//
// [Build] turns a layout into a [Plan], a program for each pipeline rank.
// [Measure] runs plans in turn, round after round, on any world of the engine.
package replay
