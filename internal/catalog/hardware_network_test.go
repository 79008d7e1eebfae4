package catalog

import (
	"testing"

	"planner/hardware"
	"planner/hardware/unit"
)

func TestParseNetwork(t *testing.T) {
	for text, want := range map[string]Network{
		"8x HDR InfiniBand 200 Gb/s per node":             {200 * unit.GBps, hardware.InfiniBand, 8},
		"800 Gb/s per node (config inter_node_bandwidth)": {100 * unit.GBps, "", 0},
		"400 Gb/s per GPU":                                {400 * unit.GBps, "", 0},
		"EFA 4x100Gb/s":                                   {50 * unit.GBps, hardware.EFA, 4},
		"RoCE 8x400G (GCP a3-ultra)":                      {400 * unit.GBps, hardware.RoCE, 8},
		"Slingshot 11 (4x200Gb/s) + NVLink4":              {100 * unit.GBps, hardware.Slingshot, 4},
		"NVLink 450 GB/s per GPU; 8 x 400Gbps NDR":        {400 * unit.GBps, hardware.InfiniBand, 8},
		"GCP A3 Mega 8x200Gb/s Ethernet, GPUDirect-TCPXO": {200 * unit.GBps, hardware.TCPXO, 8},
		"3.2 Tb/s per node, EFA":                          {400 * unit.GBps, hardware.EFA, 0},
		"50 GB/s per GPU over InfiniBand":                 {400 * unit.GBps, hardware.InfiniBand, 0},
	} {
		got, err := ParseNetwork(text, 8)
		if err != nil || got != want {
			t.Errorf("%q: got %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "fast", "200 Gb/s InfiniBand", "NVLink 900 GB/s per GPU"} {
		if n, err := ParseNetwork(text, 8); err == nil {
			t.Errorf("%q: got %+v, want an error", text, n)
		}
	}
}

func TestNetworkOptions(t *testing.T) {
	n, err := ParseNetwork("EFA 4x100Gb/s", 8)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ClusterWith("a100", 16, n.Options(8))
	if err != nil {
		t.Fatal(err)
	}
	net := c.Tiers[1]
	if net.Kind != hardware.EFA || net.NICs != 4 || net.Bandwidth != 6.25*unit.GBps || net.PortRate != 12.5*unit.GBps {
		t.Errorf("got %+v", net)
	}
	p4d, _ := Cluster("aws-p4d", 16)
	if net.Fit != p4d.Tiers[1].Fit {
		t.Errorf("fit %+v, want that of EFA, %+v", net.Fit, p4d.Tiers[1].Fit)
	}
}

func FuzzParseNetwork(f *testing.F) {
	f.Add("8x HDR InfiniBand 200 Gb/s per node", 8)
	f.Add("9999999 T per gpu", 1)
	f.Fuzz(func(t *testing.T, text string, perNode int) {
		perNode = 1 + perNode&1023
		n, err := ParseNetwork(text, perNode)
		if err == nil && !(n.Node > 0) {
			t.Errorf("%q: node rate %v", text, n.Node)
		}
	})
}
