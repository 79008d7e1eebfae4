package validate

import (
	"strconv"

	"planner/internal/catalog"
	"planner/strategies"
)

// experts: ETP is TP, Megatron's default, unless EP·ETP does not fold over
// TP·CP·DP; then it is 1.
func (c *Case) experts(l *strategies.Layout) error {
	l.ETP = l.TP
	n := c.Model.Experts()
	if n == 0 {
		l.EP = 1
		return nil
	}
	ranks := l.TP * l.CP * l.DP
	if l.TP > 1 && ranks%(l.EP*l.ETP) != 0 {
		l.ETP = 1
	}
	if l.TP > 1 {
		c.assume("etp", strconv.Itoa(l.ETP))
	}
	if c.fusedDispatch() && l.EP > 1 {
		l.Dispatcher = strategies.DispatchFlex
		c.assume("dispatcher", l.Dispatcher.String())
	}
	if ranks%(l.EP*l.ETP) != 0 || n%l.EP != 0 {
		return catalog.Errorf("ep=%d: %d experts do not fold over tp·cp·dp = %d ranks", l.EP, n, ranks)
	}
	return nil
}

// fusedDispatch: where NVLink spans nodes, NVIDIA's recipes exchange tokens by
// the fused dispatcher (Megatron-Bridge scripts/performance/configs, read
// 2026-11-29); elsewhere they leave Megatron's default.
func (c *Case) fusedDispatch() bool {
	cl := c.Cluster
	return c.Run.Framework == "megatron" && cl.Tiers[cl.ScaleUp].Ranks > cl.PerNode
}
