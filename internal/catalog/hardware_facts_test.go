package catalog

import (
	"strconv"
	"strings"
	"testing"

	"planner/hardware"
	"planner/hardware/unit"
)

// figure compares one cell of a published table, where it is filled, with what
// the preset holds.
func figure(t *testing.T, name, column, cell string, got float64) {
	t.Helper()
	if cell == "" {
		return
	}
	want, err := strconv.ParseFloat(cell, 64)
	// The tables round shares of a port to three decimals.
	if err != nil || !alike(got, want) && (got-want > 6e-4 || want-got > 6e-4) {
		t.Errorf("%s: %s: %v, want %s", name, column, got, cell)
	}
}

func TestAcceleratorFacts(t *testing.T) {
	for _, row := range sharedTable(t, "hardware", "accelerators.tsv") {
		a, err := Accelerator(row["name"])
		if err != nil {
			t.Error(err)
			continue
		}
		gbs := func(b unit.BytesPerSecond) float64 { return float64(b / unit.GBps) }
		tf := func(f unit.FLOPS) float64 { return float64(f / unit.TFLOPS) }
		for column, got := range map[string]float64{
			"year": float64(a.Year), "mem_marketed_gb": a.Memory.GiB(), "mem_bw_gbs": gbs(a.MemoryBandwidth),
			"fp32_tflops": tf(a.Peak[hardware.FP32]), "tf32_tflops": tf(a.TF32), "bf16_tflops": tf(a.Peak[hardware.BF16]),
			"fp16_tflops": tf(a.Peak[hardware.FP16]), "fp8_tflops": tf(a.Peak[hardware.FP8]),
			"sm_or_cu": float64(a.SMs), "boost_mhz": float64(a.Clock) / 1e6, "l2_mib": float64(a.L2 / unit.MiB),
			"tdp_w": float64(a.Power), "pcie_uni_gbs": gbs(a.PCIe), "link_count": float64(a.Link.Count),
			"link_uni_gbs_per_link": gbs(a.Link.Each), "link_uni_gbs_total": gbs(a.Link.Bandwidth),
			"meas_bf16_tflops": tf(a.Best.BF16), "meas_fp8_tflops": tf(a.Best.FP8), "meas_copy_gbs": gbs(a.Best.Copy),
		} {
			figure(t, a.Name, column, row[column], got)
		}
		if a.Vendor == "nvidia" {
			figure(t, a.Name, "fp4_tflops", row["fp4_tflops"], tf(a.Peak[hardware.NVFP4]))
		}
		if a.Vendor != row["vendor"] || !strings.HasPrefix(row["arch"], strings.TrimSuffix(a.Arch, "-sm120")) {
			t.Errorf("%s: %s %s, want %s %s", a.Name, a.Vendor, a.Arch, row["vendor"], row["arch"])
		}
		if v, err := strconv.ParseFloat(row["mem_visible_bytes"], 64); err == nil && float64(a.Usable) > v*1.001 {
			t.Errorf("%s: usable %v: more than the visible %v", a.Name, a.Usable, unit.Bytes(v))
		}
	}
}

func TestClusterFacts(t *testing.T) {
	for _, row := range sharedTable(t, "hardware", "clusters.tsv") {
		c, err := findCluster(row["name"])
		if err != nil {
			t.Error(err)
			continue
		}
		up, net := c.Tiers[c.ScaleUp], c.Tiers[c.ScaleUp+1]
		for column, got := range map[string]float64{
			"gpus_per_node": float64(c.PerNode), "intra_uni_gbs_per_gpu": float64(c.Tiers[0].Bandwidth / unit.GBps),
			"nics_per_node": float64(net.Ports), "gbps_per_nic": net.PortRate.Gbps(),
			"inter_gbps_per_node": net.Bandwidth.Gbps() * float64(c.PerNode), "inter_uni_gbs_per_gpu": float64(net.Bandwidth / unit.GBps),
			"pod_gpus": float64(c.Pod), "total_gpus": float64(c.Total), "price_usd_per_gpu_hour": c.PricePerGPUHour,
		} {
			figure(t, c.Name, column, row[column], got)
		}
		if row["scale_up_domain_gpus"] != "1" { // boxes without NVLink: PCIe joins the node
			figure(t, c.Name, "scale_up_domain_gpus", row["scale_up_domain_gpus"], float64(up.Ranks))
		}
		if c.GPU.Name != row["gpu"] || c.Provider != row["provider"] {
			t.Errorf("%s: %s by %s, want %s by %s", c.Name, c.GPU.Name, c.Provider, row["gpu"], row["provider"])
		}
		if strings.HasPrefix(row["rail_optimised"], "yes") != net.Rails {
			t.Errorf("%s: rails %v, want %q", c.Name, net.Rails, row["rail_optimised"])
		}
	}
}

func TestRunNetworks(t *testing.T) {
	for _, file := range []string{"hagemann2023.tsv", "vtrain_multi.tsv", "korthikanti2022.tsv"} {
		for _, row := range sharedTable(t, "runs", file) {
			if row["inter_node"] == "" {
				continue
			}
			if _, err := ParseNetwork(row["inter_node"], 8); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
}
