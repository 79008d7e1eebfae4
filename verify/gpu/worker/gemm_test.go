package worker

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"planner/verify/gpu/blas"
	"planner/verify/gpu/fakes"
	"planner/verify/reduce"
)

func TestGemms(t *testing.T) {
	path, reset := fakes.Driver(t)
	reset(fakes.CUDA{Devices: 1})
	o := GemmOptions{Shapes: []blas.Shape{{M: 16, N: 8, K: 32}, {M: 8, N: 8, K: 8}}, Type: reduce.BF16, Iters: 5, Warmup: 1,
		Timeout: 10 * time.Second, Driver: path, BLAS: path}
	var b bytes.Buffer
	if err := Gemms(context.Background(), o, &b); err != nil {
		t.Fatal(err)
	}
	// The fake's clock says 0.5 ms between any two events: 0.1 ms a product.
	want := "Fake GPU 0\tbf16\t16\t8\t32\t100.00\t0.00\n"
	if !strings.Contains(b.String(), want) || strings.Count(b.String(), "\n") != 3 {
		t.Errorf("%q: want %q in three lines", b.String(), want)
	}
}

func TestParseShape(t *testing.T) {
	if s, err := ParseShape("8192x4096x1024"); err != nil || s != (blas.Shape{M: 8192, N: 4096, K: 1024}) {
		t.Errorf("%+v, %v", s, err)
	}
	if f := (blas.Shape{M: 8192, N: 4096, K: 1024}).FLOPs(); f != 68719476736 {
		t.Errorf("%v FLOPs: want 2·8192·4096·1024", f)
	}
	for _, bad := range []string{"", "8192", "1x2", "0x1x1", "1x2x3x4", "axbxc", "1x2x3 ", "-1x2x3"} {
		if _, err := ParseShape(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func FuzzParseShape(f *testing.F) {
	f.Add("8192x4096x8192")
	f.Fuzz(func(t *testing.T, s string) {
		if g, err := ParseShape(s); err == nil && min(g.M, g.N, g.K) < 1 {
			t.Errorf("%q: %+v", s, g)
		}
	})
}
