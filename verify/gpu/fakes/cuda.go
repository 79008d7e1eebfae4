package fakes

import (
	"testing"

	"planner/verify/gpu/dl"
)

// CUDA describes the machine that the fake driver pretends.
type CUDA struct {
	Devices int
	Seed    int  // of the order in which streams run
	NoPeers bool // GPUs do not reach each other
	Init    int  // what cuInit returns
	Version int  // 0: 12.4
}

// Driver builds the fake libcuda, with libnccl, libcublasLt and libamdhip64 in the same file, and returns
// its path and a function that makes it another machine.
func Driver(t testing.TB) (path string, reset func(CUDA)) {
	t.Helper()
	path = Build(t, "fakes/c/cuda.c", "fakes/c/nccl.c", "fakes/c/cublaslt.c", "fakes/c/hip.c", "fakes/c/hipblaslt.c")
	lib, err := dl.Open("gcc's output", path)
	if err != nil {
		t.Fatal(err)
	}
	var f func(devices, seed, peer, init, version int32)
	if err := lib.Bind([]dl.Binding{{Name: "fakeReset", Func: &f}}); err != nil {
		t.Fatal(err)
	}
	return path, func(c CUDA) {
		peer, version := int32(1), int32(12040)
		if c.NoPeers {
			peer = 0
		}
		if c.Version != 0 {
			version = int32(c.Version)
		}
		f(int32(c.Devices), int32(c.Seed), peer, int32(c.Init), version)
	}
}
