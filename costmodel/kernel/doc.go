// Package kernel gives the time of one kernel on one accelerator: matrix
// products, grouped products of experts, attention, state-space scans and
// memory-bound work.
//
// A Device is built once from an accelerator, a precision and the constants
// of its generation; its methods neither allocate nor look anything up, so
// that a search can call them millions of times a second. The constants are
// data (presets/kernels), fitted by Calibrate on published measurements;
// docs/KERNELS.md tells how well they hold.
package kernel
