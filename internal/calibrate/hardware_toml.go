package calibrate

import (
	"reflect"
	"strconv"
	"strings"

	"planner/hardware"
	"planner/hardware/unit"
	"planner/internal/catalog"
	"planner/internal/tomltext"
)

// HardwareTOML returns the file of a cluster, as catalog.ClusterTOML has it for
// name, with what c has measured of it in place of what that says: rates and
// constants of its links, and the fit of its accelerator. Every other fact of
// the file stays, whatever the size of c. Errors are those of catalog.Cluster.
func HardwareTOML(name string, c *hardware.Cluster, source, asOf string) (string, error) {
	text, err := catalog.ClusterTOML(name)
	if err != nil {
		return "", err
	}
	was, err := catalog.ParseCluster(name, text)
	if err != nil {
		return "", err
	}
	doc, err := tomltext.Parse(string(text))
	if err != nil {
		return "", err
	}
	head(doc.Root(), was.Title, source, asOf)
	writeGPU(doc.Root(), &was.GPU.Fit, &c.GPU.Fit)
	for i, t := range doc.Elements("tier") {
		writeTier(t, &was.Tiers[i], &c.Tiers[i])
	}
	return doc.String(), nil
}

// head says that the file is a calibrated one, and since when and by what.
func head(root *tomltext.Table, title, source, asOf string) {
	root.Prepend("Written by `planner calibrate`. Use it with --hardware.")
	root.Set("title", strings.TrimSuffix(title, ", calibrated")+", calibrated", "")
	root.Append("source", source)
	root.Set("as_of", asOf, "")
}

// remarks say what a measured value is.
var remarks = map[string]string{
	"correction":     "measured over predicted step",
	"spread":         "lowest and highest measured over corrected step",
	"gemm":           "share of the bf16 peak, measured",
	"memory":         "share of the bandwidth, measured",
	"latency_factor": "measured over modelled time of small messages",
}

// writeGPU writes the constants that differ. A gpu key that names a preset
// becomes the table that starts from it.
func writeGPU(root *tomltext.Table, was, is *hardware.Efficiency) {
	if *was == *is {
		return
	}
	name, bare := root.Value("gpu").(string)
	comment := root.Comment("gpu")
	if bare {
		root.Delete("gpu")
	}
	gpu := root.Table("gpu")
	if bare {
		gpu.Set("preset", name, comment)
	}
	writeFit(gpu.Table("fit"), was, is)
}

// writeFit writes the fields of a fit that differ; what is zero leaves the file.
func writeFit[T any](t *tomltext.Table, was, is *T) {
	old, now := reflect.ValueOf(was).Elem(), reflect.ValueOf(is).Elem()
	for i := range now.NumField() {
		key := now.Type().Field(i).Tag.Get("toml")
		switch v := now.Field(i); {
		case key == "-" || v.Equal(old.Field(i)):
		case v.IsZero():
			t.Delete(key)
		default:
			t.Set(key, value(v), remarks[key])
		}
	}
}

// value is a constant as the file spells it, to four digits.
func value(v reflect.Value) any {
	switch x := v.Interface().(type) {
	case unit.Seconds:
		return number(float64(x/unit.Microsecond)) + "us"
	case float64:
		return rounded(x)
	}
	list := make([]float64, v.Len())
	for i := range list {
		list[i] = rounded(v.Index(i).Float())
	}
	return list
}

func rounded(v float64) float64 {
	r, _ := strconv.ParseFloat(number(v), 64)
	return r
}

// writeTier writes the rates of a link that differ, as its file gives them: of a
// port, or of a rank before oversubscription; and what it states of its fit.
func writeTier(t *tomltext.Table, was, is *hardware.Tier) {
	switch {
	case is.Bandwidth == was.Bandwidth:
	case t.Value("nic") != nil:
		t.Set("nic", rate(is.PortRate), "measured")
	default:
		t.Set("bandwidth", rate(is.Bandwidth.Times(is.Oversubscription)), "measured")
	}
	if is.PerPeer != was.PerPeer {
		t.Set("per_peer", rate(is.PerPeer), "measured")
	}
	if was.Fit != is.Fit {
		writeFit(t.Table("fit"), &was.Fit, &is.Fit)
	}
}

func rate(r unit.BytesPerSecond) string { return number(float64(r/unit.GBps)) + "GB/s" }
