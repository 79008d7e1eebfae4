package kernel_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"planner/costmodel/kernel"
	"planner/hardware"
	"planner/hardware/unit"
)

// table reads a tab-separated file of the research folder beside the module,
// and skips the test when the folder is absent.
func table(t testing.TB, name string) []map[string]string {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", "hardware", name))
	if err != nil {
		t.Skip("measured tables are not here: ", err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = '\t', true, -1
	all, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, rec := range all[1:] {
		row := make(map[string]string, len(rec))
		for i, v := range rec {
			row[all[0][i]] = v
		}
		rows = append(rows, row)
	}
	return rows
}

func number(s string) float64 {
	v, _ := strconv.ParseFloat(s, 64)
	return v
}

// accelerators returns the parts of accelerators.tsv by name.
func accelerators(t testing.TB) map[string]*hardware.Accelerator {
	parts := make(map[string]*hardware.Accelerator)
	for _, r := range table(t, "accelerators.tsv") {
		a := &hardware.Accelerator{
			Name: r["name"], Arch: r["arch"], SMs: int(number(r["sm_or_cu"])),
			L2:              unit.Bytes(number(r["l2_mib"])) * unit.MiB,
			MemoryBandwidth: unit.BytesPerSecond(number(r["mem_bw_gbs"])) * unit.GBps,
		}
		for p, column := range map[hardware.Precision]string{
			hardware.BF16: "bf16_tflops", hardware.FP16: "fp16_tflops", hardware.FP8: "fp8_tflops",
			hardware.NVFP4: "fp4_tflops", hardware.FP32: "fp32_tflops",
		} {
			a.Peak[p] = unit.FLOPS(number(r[column])) * unit.TFLOPS
		}
		if a.Name == "rtx-pro-6000-server" {
			a.SMs = 188 // NVIDIA RTX PRO 6000 Blackwell data sheet: 24,064 cores
		}
		parts[a.Name] = a
	}
	return parts
}

// measured is a row of measured_gemm.tsv with its source.
type measured struct {
	source string
	row    kernel.ProductRow
}

// blockScaled lists the sources whose 8-bit kernels scale blocks of 128
// elements (DeepGEMM).
const blockScaled = " G3 G5 G7 G10 G12 G22 G30 "

// products returns the rows of measured_gemm.tsv that name a shape and a time.
func products(t testing.TB) []measured {
	parts := accelerators(t)
	var rows []measured
	for _, r := range table(t, "measured_gemm.tsv") {
		a := parts[r["gpu_canonical"]]
		p, ok := precisionOf(r)
		m := kernel.ProductRow{
			On: a, Precision: p, M: number(r["m"]), N: number(r["n"]), K: number(r["k"]),
			Groups: max(1, int(number(r["groups_or_batch"]))),
			Time:   unit.Seconds(number(r["latency_us"])) * unit.Microsecond,
		}
		if a == nil || !ok || m.M*m.N*m.K <= 0 || m.Time <= 0 || strings.HasPrefix(r["op"], "swiglu") {
			continue
		}
		graph := strings.HasPrefix(r["software"], "trtllm")
		if !graph {
			m.Stack = r["source"]
		}
		m.Cast = p != hardware.BF16 && graph
		stage := r["layout_or_stage"]
		m.Accumulate = strings.Contains(stage, "accumulate=True out=fp32") || strings.Contains(stage, "bwd_grad_w")
		orient(&m, stage)
		rows = append(rows, measured{r["source"], m})
	}
	return rows
}

// orient gives the grouped rows of SimuMax, which name the forward shape for
// every stage, the shape of their stage.
func orient(m *kernel.ProductRow, stage string) {
	switch {
	case strings.Contains(stage, "bwd_grad_act"):
		m.N, m.K = m.K, m.N
	case strings.Contains(stage, "bwd_grad_w"):
		m.M, m.N, m.K = m.N, m.K, m.M
	}
}

func precisionOf(r map[string]string) (hardware.Precision, bool) {
	switch {
	case r["dtype"] == "fp8" && strings.Contains(blockScaled, " "+r["source"]+" "):
		return hardware.FP8Block, true
	case r["dtype"] == "fp4":
		return hardware.NVFP4, true
	}
	return hardware.ParsePrecision(r["dtype"])
}

// of returns the rows of the sources named.
func of(all []measured, sources ...string) []kernel.ProductRow {
	var rows []kernel.ProductRow
	for _, m := range all {
		for _, s := range sources {
			if m.source == s {
				rows = append(rows, m.row)
			}
		}
	}
	return rows
}
