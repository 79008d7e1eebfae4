package export

import "testing"

// accelerate 1.15: accumulate() turns FSDP2's sums off but for the last
// micro-batch, DistributedDataParallel's gradients under autocast are fp32, and
// the options of its launcher go before its file.
func TestAccelerateRunsAsPriced(t *testing.T) {
	for _, c := range []priced{
		{"sums", "fsdp", "8b", "", "zero=3", nil, nil, []string{"GradientAccumulationPlugin(num_steps=8, sync_each_batch=True)", "AdamW(fused=True)", "--machine_rank NODE"}},
		{"one micro-batch", "fsdp", "8b", "", "zero=3,mbs=8", nil, []string{"sync_each_batch", "comm_hook"}, nil},
		{"replicas", "fsdp", "8b", "", "zero=0", nil, []string{"sync_each_batch"}, []string{"comm_hook=DDPCommunicationHookType.BF16"}},
		{"replicas in fp32", "fsdp", "8b", "fp32", "zero=0", nil, []string{"comm_hook"}, nil},
	} {
		c.check(t, "fsdp", "")
	}
}
