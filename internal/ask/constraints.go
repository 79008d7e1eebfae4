package ask

import (
	"strconv"
	"strings"

	"planner/costmodel"
	"planner/hardware/unit"
	"planner/internal/catalog"
	"planner/strategies"
)

// Constraints is the flags that narrow a search, as given: lists such as
// "1,2,4" and ranges such as "1..16".
type Constraints struct {
	TP         string `toml:"tp,omitempty" json:"tp,omitempty"`
	PP         string `toml:"pp,omitempty" json:"pp,omitempty"`
	VPP        string `toml:"vpp,omitempty" json:"vpp,omitempty"`
	CP         string `toml:"cp,omitempty" json:"cp,omitempty"`
	EP         string `toml:"ep,omitempty" json:"ep,omitempty"`
	ETP        string `toml:"etp,omitempty" json:"etp,omitempty"`
	Zero       string `toml:"zero,omitempty" json:"zero,omitempty"`
	Shard      string `toml:"shard,omitempty" json:"shard,omitempty"`
	MBS        string `toml:"mbs,omitempty" json:"mbs,omitempty"`
	HPZ        string `toml:"hpz,omitempty" json:"hpz,omitempty"`
	SP         string `toml:"sp,omitempty" json:"sp,omitempty"`
	Recompute  string `toml:"recompute,omitempty" json:"recompute,omitempty"`
	Schedule   string `toml:"schedule,omitempty" json:"schedule,omitempty"`
	First      string `toml:"first,omitempty" json:"first,omitempty"`
	Last       string `toml:"last,omitempty" json:"last,omitempty"`
	CPKind     string `toml:"cpkind,omitempty" json:"cpkind,omitempty"`
	Dispatcher string `toml:"dispatcher,omitempty" json:"dispatcher,omitempty"`
	Offload    string `toml:"offload,omitempty" json:"offload,omitempty"`
	MaxMemory  string `toml:"max_memory,omitempty" json:"max_memory,omitempty"`
	MinDP      int    `toml:"min_dp,omitzero" json:"min_dp,omitempty"`
	MaxDP      int    `toml:"max_dp,omitzero" json:"max_dp,omitempty"`
	Exclude    string `toml:"exclude,omitempty" json:"exclude,omitempty"` // patterns, apart by ;
}

// Space reads the constraints. Errors are *catalog.Error.
func (c *Constraints) Space() (strategies.Space, error) {
	s := strategies.Space{MinDP: c.MinDP, MaxDP: c.MaxDP}
	for _, d := range []struct {
		flag, text string
		to         *[]int
		least      int
	}{
		{"--tp", c.TP, &s.TP, 1}, {"--pp", c.PP, &s.PP, 1}, {"--vpp", c.VPP, &s.VPP, 1}, {"--cp", c.CP, &s.CP, 1},
		{"--ep", c.EP, &s.EP, 1}, {"--etp", c.ETP, &s.ETP, 1}, {"--zero", c.Zero, &s.Zero, 0}, {"--shard", c.Shard, &s.Shard, 1},
		{"--mbs", c.MBS, &s.MBS, 1}, {"--hpz", c.HPZ, &s.HPZ, 0},
	} {
		v, err := numbers(d.flag, d.text, d.least)
		if err != nil {
			return s, err
		}
		*d.to = v
	}
	for _, z := range s.Zero {
		if z > 3 {
			return s, catalog.Errorf("--zero %q: no such stage: want 0, 1, 2 or 3", c.Zero)
		}
	}
	return s, c.names(&s)
}

func (c *Constraints) names(s *strategies.Space) error {
	if c.SP != "" {
		for _, v := range strings.Split(c.SP, ",") {
			b, err := strconv.ParseBool(v)
			if err != nil {
				return catalog.Errorf("--sp %q: not true or false", v)
			}
			s.SP = append(s.SP, b)
		}
	}
	if err := c.recompute(s); err != nil {
		return err
	}
	if err := enums("--schedule", c.Schedule, costmodel.ScheduleNames(), &s.Schedules); err != nil {
		return err
	}
	if err := enums("--cpkind", c.CPKind, upTo(strategies.CPA2A), &s.CPKinds); err != nil {
		return err
	}
	if err := enums("--dispatcher", c.Dispatcher, upTo(strategies.DispatchFlex), &s.Dispatchers); err != nil {
		return err
	}
	if err := enums("--offload", c.Offload, upTo(strategies.OffloadAll), &s.Offload); err != nil {
		return err
	}
	return c.rest(s)
}

func (c *Constraints) recompute(s *strategies.Space) error {
	text := c.Recompute
	if before, layers, ok := strings.Cut(text, "full:"); ok {
		n, err := strconv.Atoi(layers)
		if err != nil || n < 1 {
			return catalog.Errorf("--recompute %q: want full:N with N layers of each stage", text)
		}
		s.FullLayers = n
		text = before + "full"
	}
	return enums("--recompute", text, upTo(strategies.RecomputeFull), &s.Recompute)
}

func (c *Constraints) rest(s *strategies.Space) (err error) {
	for _, d := range []struct {
		flag, text string
		to         *int
	}{{"--first", c.First, &s.First}, {"--last", c.Last, &s.Last}} {
		v, err := numbers(d.flag, d.text, 1)
		if err != nil {
			return err
		}
		if len(v) > 1 {
			return catalog.Errorf("%s %q: want one number of layers", d.flag, d.text)
		}
		if len(v) == 1 {
			*d.to = v[0]
		}
	}
	if c.MaxMemory != "" {
		if s.MaxMemory, err = MemoryLimit(c.MaxMemory); err != nil {
			return err
		}
	}
	for _, d := range []struct {
		flag string
		dp   int
	}{{"--min-dp", c.MinDP}, {"--max-dp", c.MaxDP}} {
		if d.dp < 0 {
			return catalog.Errorf("%s %d: negative: want 0 or more", d.flag, d.dp)
		}
	}
	return c.patterns(s)
}

// MemoryLimit reads the value of --max-memory. A limit below 1 MiB is a number
// that lost its unit.
func MemoryLimit(text string) (unit.Bytes, error) {
	b, err := unit.ParseBytes(text)
	switch {
	case err != nil:
		return 0, catalog.Errorf("--max-memory %s", err)
	case b < 1<<20:
		return 0, catalog.Errorf("--max-memory %q: nothing fits in %.0f bytes: want a unit, e.g. 72GiB", text, float64(b))
	}
	return b, nil
}

func (c *Constraints) patterns(s *strategies.Space) error {
	for _, text := range c.Excluded() {
		p := strategies.Pattern{}
		if _, err := strategies.ParseLayout(text); err != nil {
			return catalog.Errorf("--exclude %s", err)
		}
		for _, pair := range strings.Split(text, ",") {
			k, v, _ := strings.Cut(strings.TrimSpace(pair), "=")
			p[k] = v
		}
		s.Exclude = append(s.Exclude, p)
	}
	return nil
}
