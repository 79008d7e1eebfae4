// Package costmodel knows what one thing costs: parameters, FLOPs and bytes of
// a transformer, the kernel time of its layers and what they keep for the
// backward pass, and the closed forms of pipeline schedules. It knows nothing
// of the layout that is tried beyond the slice of a layer that a rank holds.
package costmodel
