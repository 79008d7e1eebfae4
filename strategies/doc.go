// Package strategies knows what a parallel layout does: which collective calls
// it makes, what each rank computes and holds in memory, which layouts are
// legal for a model, a cluster and a framework, and how all of them rank by
// predicted step time. A Problem is the question, a Layout one way to answer
// it, an Estimate what the layout takes, with the same blocks behind the
// search, the list of calls and the timeline.
package strategies
