package collective

import "slices"

// Fitted is one constant after a fit.
type Fitted struct {
	Name         string
	Value, Prior float64 // seconds for times, shares else
	// Sigma is the standard error of ln(Value), the prior included.
	Sigma float64
	// Moves is the number of samples that the constant moves by more than 1 %
	// when it changes by 10 %.
	Moves int
}

// Evidence says what a link was fitted on.
type Evidence struct {
	Link    string
	Samples int
	Curves  int
	Sources []string // sorted; none: the constants are the prior's
}

// Report says how a fit went.
type Report struct {
	Samples    int
	Iterations int
	Constants  []Fitted
	Links      []Evidence // every link of the constants
}

// evidence counts, for each link of c, the samples that cross it.
func evidence(c *Constants, samples []Sample) []Evidence {
	list := make([]Evidence, len(c.Links))
	curves := make([]map[string]bool, len(c.Links))
	for i := range c.Links {
		list[i].Link, curves[i] = c.Links[i].Name, map[string]bool{}
	}
	for i := range samples {
		s := &samples[i]
		for t := 0; t <= s.Span.Tier; t++ {
			link, _ := c.Link(s.Cluster.Tiers[t].Kind, s.Cluster.GPU.Arch)
			j := slices.IndexFunc(c.Links, func(l Link) bool { return l.Name == link.Name })
			if j < 0 {
				continue
			}
			list[j].Samples++
			curves[j][s.Curve] = true
			if !slices.Contains(list[j].Sources, s.Source) {
				list[j].Sources = append(list[j].Sources, s.Source)
			}
		}
	}
	for i := range list {
		list[i].Curves = len(curves[i])
		slices.Sort(list[i].Sources)
	}
	return list
}
