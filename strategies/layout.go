package strategies

import (
	"strconv"
	"strings"

	"planner/costmodel"
)

// Recompute says which activations the backward pass computes again.
type Recompute uint8

// The granularities. Selective drops the attention core alone (Korthikanti et
// al. 2022, section 5); Full keeps the input of each layer only.
const (
	RecomputeNone Recompute = iota
	RecomputeSelective
	RecomputeFull
	numRecompute
)

var recomputeNames = []string{"none", "selective", "full"}

// String returns the spelling of the layout string.
func (r Recompute) String() string { return recomputeNames[r] }

// Schedule is the order of forward and backward passes of a pipeline rank.
type Schedule = costmodel.Schedule

// The schedules.
const (
	OneFOneB    = costmodel.OneFOneB
	Interleaved = costmodel.Interleaved
	GPipe       = costmodel.GPipe
	ZBH1        = costmodel.ZBH1
)

var scheduleNames = costmodel.ScheduleNames()

// CPKind is how context parallelism exchanges keys and values.
type CPKind uint8

// The exchanges: a ring of sends, gathers of K and V, or Ulysses' AllToAll.
const (
	CPP2P CPKind = iota
	CPAllGather
	CPA2A
)

var cpKindNames = []string{"p2p", "allgather", "a2a"}

// String returns the spelling of the layout string.
func (k CPKind) String() string { return cpKindNames[k] }

// Dispatcher is how tokens reach their experts.
type Dispatcher uint8

// The dispatchers of Megatron-Core: AllToAll, AllGather, or the fused one
// that sends a token once per destination (DeepEP, HybridEP).
const (
	DispatchAllToAll Dispatcher = iota
	DispatchAllGather
	DispatchFlex
)

var dispatcherNames = []string{"alltoall", "allgather", "flex"}

// String returns the spelling of the layout string.
func (d Dispatcher) String() string { return dispatcherNames[d] }

// Offload says which ZeRO state lives in host memory.
type Offload uint8

// The offload levels of DeepSpeed ZeRO.
const (
	OffloadNone Offload = iota
	OffloadOptimizer
	OffloadAll
)

var offloadNames = []string{"none", "optimizer", "optimizer+param"}

// String returns the spelling of the layout string.
func (o Offload) String() string { return offloadNames[o] }

// Layout is one way to spread a model over a cluster. Degrees are at least 1
// in a complete layout; Complete fills what a layout string leaves out.
type Layout struct {
	TP, PP, VPP, CP, EP, ETP, DP int
	Zero                         int // ZeRO stage 0–3
	// Shard is the number of ranks over which ZeRO state is split; it divides
	// DP·CP and is DP·CP unless smaller (HSDP). Meaningless at Zero 0.
	Shard int
	MBS   int // sequences per micro-batch
	SP    bool

	Recompute Recompute
	// FullLayers limits RecomputeFull to this many layers of each stage; 0: all.
	FullLayers int
	Schedule   Schedule
	// First and Last are the layers of the first and last pipeline rank when
	// uneven; 0: even.
	First, Last int
	CPKind      CPKind
	Dispatcher  Dispatcher
	Offload     Offload
	HPZ         int // secondary shard size of ZeRO++ hpZ; 0: off
}

// World returns the number of ranks, TP·CP·PP·DP.
func (l *Layout) World() int { return l.TP * l.CP * l.PP * l.DP }

// DataRanks returns DP·CP, the ranks that hold equal parameters.
func (l *Layout) DataRanks() int { return l.DP * l.CP }

// EDP returns the data-parallel degree of the experts, from
// ETP·EP·EDP = TP·CP·DP (Megatron's folding).
func (l *Layout) EDP() int { return l.TP * l.CP * l.DP / (l.ETP * l.EP) }

// String returns the canonical spelling: keys in a fixed order, defaults left
// out, dp always given.
func (l Layout) String() string {
	var b strings.Builder
	put := func(key, value string) {
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(key)
		b.WriteByte('=')
		b.WriteString(value)
	}
	num := func(key string, v, def int) {
		if v != def && v != 0 {
			put(key, strconv.Itoa(v))
		}
	}
	num("tp", l.TP, 1)
	num("pp", l.PP, 1)
	num("vpp", l.VPP, 1)
	num("cp", l.CP, 1)
	num("ep", l.EP, 1)
	num("etp", l.ETP, l.TP)
	put("dp", strconv.Itoa(l.DP))
	num("zero", l.Zero, 0)
	if l.Zero > 0 {
		num("shard", l.Shard, l.DataRanks())
	}
	num("mbs", l.MBS, 1)
	if l.TP > 1 && !l.SP {
		put("sp", "false")
	}
	l.putRest(put, num)
	return b.String()
}

func (l *Layout) putRest(put func(string, string), num func(string, int, int)) {
	switch {
	case l.Recompute == RecomputeFull && l.FullLayers > 0:
		put("recompute", "full:"+strconv.Itoa(l.FullLayers))
	case l.Recompute != RecomputeNone:
		put("recompute", l.Recompute.String())
	}
	if l.Schedule != DefaultSchedule(l.VPP) && l.PP > 1 {
		put("schedule", l.Schedule.String())
	}
	num("first", l.First, 0)
	num("last", l.Last, 0)
	if l.CPKind != CPP2P {
		put("cpkind", l.CPKind.String())
	}
	if l.Dispatcher != DispatchAllToAll {
		put("dispatcher", l.Dispatcher.String())
	}
	if l.Offload != OffloadNone {
		put("offload", l.Offload.String())
	}
	num("hpz", l.HPZ, 0)
}

// DefaultSchedule returns the schedule of vpp model chunks a rank where a layout
// names none.
func DefaultSchedule(vpp int) Schedule {
	if vpp > 1 {
		return Interleaved
	}
	return OneFOneB
}

// value returns the spelling of one key, defaults included.
func (l *Layout) value(key string) string {
	n := map[string]int{"tp": l.TP, "pp": l.PP, "vpp": l.VPP, "cp": l.CP, "ep": l.EP, "etp": l.ETP, "dp": l.DP, "zero": l.Zero,
		"shard": l.Shard, "mbs": l.MBS, "first": l.First, "last": l.Last, "hpz": l.HPZ}
	if v, ok := n[key]; ok {
		return strconv.Itoa(v)
	}
	switch key {
	case "sp":
		return strconv.FormatBool(l.SP)
	case "recompute":
		if l.Recompute == RecomputeFull && l.FullLayers > 0 {
			return "full:" + strconv.Itoa(l.FullLayers)
		}
		return l.Recompute.String()
	case "schedule":
		return l.Schedule.String()
	case "cpkind":
		return l.CPKind.String()
	case "dispatcher":
		return l.Dispatcher.String()
	case "offload":
		return l.Offload.String()
	}
	return ""
}
