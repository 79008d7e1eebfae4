package transport

import (
	"fmt"
	"strconv"
	"strings"

	"planner/hardware/unit"
)

const shapeWant = "want NODESxRANKS:nvlink=RATE,ib=RATE,delay=TIME[,nvlink-delay=TIME][,nics=N]"

// ParseShape reads "2x4:nvlink=400MB/s,ib=40MB/s,delay=1ms,nics=1". The links
// inside a node may be called nvlink, pcie or intra, those between nodes ib,
// roce or inter; delay is that of the latter. A shape without any rate or delay
// would emulate nothing and is an error.
func ParseShape(text string) (*Shape, error) {
	s, err := parseShape(text)
	if err == nil && s.Intra == (Link{}) && s.Inter == (Link{}) {
		return nil, fmt.Errorf("shape %q: no rate and no delay: %s", text, shapeWant)
	}
	return s, err
}

// parseShape reads what String writes.
func parseShape(text string) (*Shape, error) {
	bad := func(format string, args ...any) (*Shape, error) {
		return nil, fmt.Errorf("shape %q: %s: %s", text, fmt.Sprintf(format, args...), shapeWant)
	}
	size, rest, _ := strings.Cut(text, ":")
	nodes, per, ok := strings.Cut(size, "x")
	s := &Shape{}
	var err error
	if s.Nodes, err = strconv.Atoi(nodes); err != nil || !ok {
		return bad("%q is not NODESxRANKS", size)
	}
	if s.PerNode, err = strconv.Atoi(per); err != nil {
		return bad("%q is not NODESxRANKS", size)
	}
	const most = 1 << 10 // ranks that one machine can hold as processes
	if s.Nodes < 1 || s.PerNode < 1 || s.Nodes > most || s.PerNode > most {
		return bad("%q is out of range (1 to %d each)", size, most)
	}
	given := map[string]bool{}
	for field := range strings.SplitSeq(rest, ",") {
		if field == "" {
			continue
		}
		key, value, _ := strings.Cut(field, "=")
		if key = shapeKey(key); given[key] {
			return bad("%s: %s is given twice", field, key)
		}
		given[key] = true
		if err := s.set(key, value); err != nil {
			return bad("%s: %v", field, err)
		}
	}
	if err := s.Validate(s.Ranks()); err != nil {
		return nil, err
	}
	return s, nil
}

// shapeKey returns the key that others stand for.
func shapeKey(key string) string {
	switch key {
	case "pcie", "intra":
		return "nvlink"
	case "roce", "inter":
		return "ib"
	case "ib-delay", "roce-delay", "inter-delay":
		return "delay"
	case "pcie-delay", "intra-delay":
		return "nvlink-delay"
	}
	return key
}

// set takes a key of shapeKey.
func (s *Shape) set(key, value string) (err error) {
	switch key {
	case "nvlink":
		s.Intra.Bandwidth, err = rate(value)
	case "ib":
		s.Inter.Bandwidth, err = rate(value)
	case "delay":
		s.Inter.Delay, err = delay(value)
	case "nvlink-delay":
		s.Intra.Delay, err = delay(value)
	case "nics":
		s.NICsPerNode, err = strconv.Atoi(value)
		if err == nil && s.NICsPerNode < 1 {
			err = fmt.Errorf("too small")
		}
	default:
		err = fmt.Errorf("unknown key %q", key)
	}
	return err
}

// rate reads a bandwidth that a port can be shaped to.
func rate(text string) (unit.BytesPerSecond, error) {
	r, err := unit.ParseBandwidth(text)
	switch {
	case err == nil && r < 1e3:
		return 0, fmt.Errorf("below 1 kB/s")
	case err == nil && r > 1e15:
		return 0, fmt.Errorf("above 1 PB/s")
	}
	return r, err
}

// maxDelay bounds a delay: light takes a quarter of a second to the
// geostationary orbit and back, and calls of many steps have a deadline.
const maxDelay unit.Seconds = 2

// delay reads a time that a message may be on its way.
func delay(text string) (unit.Seconds, error) {
	d, err := unit.ParseSeconds(text)
	if err == nil && d > maxDelay {
		return 0, fmt.Errorf("longer than %v", maxDelay)
	}
	return d, err
}

// String writes the form that ParseShape reads.
func (s *Shape) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%dx%d:", s.Nodes, s.PerNode)
	sep := ""
	put := func(key, value string) { b.WriteString(sep + key + "=" + value); sep = "," }
	for _, l := range []struct {
		name, delay string
		Link
	}{{"intra", "intra-delay", s.Intra}, {"inter", "delay", s.Inter}} {
		if l.Bandwidth > 0 {
			put(l.name, exactly(l.Bandwidth, unit.ParseBandwidth, "B/s"))
		}
		if l.Delay > 0 {
			put(l.delay, exactly(l.Delay, unit.ParseSeconds, "s"))
		}
	}
	if s.NICsPerNode > 0 {
		put("nics", strconv.Itoa(s.NICsPerNode))
	}
	return b.String()
}

// exactly writes a quantity as people do if that reads back as the same value,
// and with all digits otherwise.
func exactly[T interface {
	~float64
	fmt.Stringer
}](x T, parse func(string) (T, error), base string) string {
	text := strings.ReplaceAll(x.String(), " ", "")
	if y, err := parse(text); err == nil && y == x {
		return text
	}
	return strconv.FormatFloat(float64(x), 'f', -1, 64) + base
}

// MarshalText writes the form of String.
func (s *Shape) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the form of ParseShape.
func (s *Shape) UnmarshalText(text []byte) error {
	p, err := parseShape(string(text))
	if err == nil {
		*s = *p
	}
	return err
}
