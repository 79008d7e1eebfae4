package validate

import (
	"fmt"
	"strings"

	"planner/costmodel/collective"
	"planner/hardware"
)

// Samples turns the rows that carry a time into what Calibrate reads. Rows of
// one machine share a Cluster.
func Samples(rows []Measured) ([]collective.Sample, error) {
	clusters := map[Machine]*hardware.Cluster{}
	var out []collective.Sample
	for i := range rows {
		m := &rows[i]
		if m.Skipped != "" || m.Seconds <= 0 {
			continue
		}
		c := clusters[m.Machine]
		if c == nil {
			var err error
			if c, err = m.Machine.Cluster(); err != nil {
				return nil, err
			}
			clusters[m.Machine] = c
		}
		out = append(out, collective.Sample{
			Op: m.Op, Bytes: m.Bytes, Cluster: c, Span: c.Span(1, m.Machine.GPUs),
			Seconds: m.Seconds, Rounding: m.Rounding, Curve: m.curve(), Source: m.publisher(),
		})
	}
	return out, nil
}

// publisher is the repository, or the site, of the row's source.
func (m *Measured) publisher() string {
	s := strings.TrimPrefix(m.Source, "https://")
	parts := strings.SplitN(s, "/", 4)
	if parts[0] == "github.com" && len(parts) > 2 {
		return parts[1] + "/" + parts[2]
	}
	return parts[0]
}

func (m *Measured) curve() string {
	return fmt.Sprintf("%s %s %v", m.publisher(), m.Collective, m.Machine)
}
