package ask_test

import (
	"strings"
	"testing"

	"planner/internal/ask"
)

// TestRefuseOffload holds that an offload is searched or refused, never
// dropped: DeepSpeed's profiles have one (ZeRO-Offload), others none, and stage
// 0 splits no state that could move.
func TestRefuseOffload(t *testing.T) {
	for _, tt := range []struct{ framework, offload, zero, want string }{
		{"fsdp", "optimizer", "", "--offload optimizer: fsdp: no offload is modelled: use --framework deepspeed"},
		{"fsdp", "none,optimizer+param", "", "--offload optimizer+param: fsdp: no offload is modelled: use --framework deepspeed"},
		{"megatron", "optimizer", "1", "megatron: no offload is modelled"},
		{"deepspeed", "optimizer", "0", "--zero 0 splits none: use --zero 1,2,3"},
		{"fsdp", "none", "", ""},
		{"fsdp", "", "0", ""},
		{"any", "optimizer", "", ""},
		{"deepspeed", "none,optimizer", "0,1", ""},
		{"deepspeed", "nowhere", "", ""}, // refused as no such value
	} {
		a, err := ask.Ask(ask.Question{Model: "llama3.1-8b", GPUs: 16, Framework: tt.framework, Limits: ask.Constraints{Zero: tt.zero}})
		if err != nil {
			t.Fatal(err)
		}
		a.Limits.Offload = tt.offload
		err = a.RefuseOffload()
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%+v: %v", tt, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%+v: error %v", tt, err)
		}
	}
}
