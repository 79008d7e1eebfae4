package nccl

import (
	"strings"
	"testing"
	"time"
)

// nowhere is a machine without a GPU.
type nowhere struct{}

func (nowhere) Use() error          { return nil }
func (nowhere) Stream() uintptr     { return 0 }
func (nowhere) Idle() (bool, error) { return true, nil }

// TestRealInitWithoutGPU forms a communicator by the vendor's library where
// there is one and no GPU: it takes the small config and the id, and says what
// is missing in one line.
func TestRealInitWithoutGPU(t *testing.T) {
	lib, err := Open(NCCL)
	if err != nil {
		t.Skip(err)
	}
	t.Setenv("NCCL_SOCKET_IFNAME", "lo")
	id, err := lib.NewID()
	if err != nil {
		t.Fatal(err)
	}
	c, err := lib.Init(id, 1, 0, nowhere{}, 10*time.Second)
	if err == nil {
		t.Log("there is a GPU")
		_ = c.Close()
		return
	}
	t.Log(err)
	if strings.Contains(err.Error(), "\n") || !strings.Contains(strings.ToLower(err.Error()), "cuda") {
		t.Errorf("%v: want a line that names CUDA", err)
	}
}
