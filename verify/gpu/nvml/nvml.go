// Package nvml reads the state of NVIDIA GPUs through libnvidia-ml.so.1,
// opened while the program runs. It only reads: no setting of a GPU is ever
// changed.
package nvml

import (
	"bytes"
	"fmt"

	"planner/verify/gpu/dl"
)

// Library is libnvidia-ml, open.
type Library struct {
	Driver string // version of the driver: 535.261.03
	table
}

// Open opens libnvidia-ml.so.1, or the first of paths.
func Open(paths ...string) (*Library, error) {
	if len(paths) == 0 {
		paths = []string{"libnvidia-ml.so.1"}
	}
	lib, err := dl.Open("the NVIDIA driver, as nvidia-smi needs it too", paths...)
	if err != nil {
		return nil, err
	}
	l := &Library{}
	if err := lib.Bind(l.bindings()); err != nil {
		return nil, err
	}
	if r := l.init(); r != 0 {
		return nil, fmt.Errorf("%s: nvmlInit: %s", lib.Name, l.errorString(r))
	}
	v := make([]byte, 96)
	if r := l.driver(&v[0], uint32(len(v))); r != 0 {
		return nil, l.fail(r, "nvmlSystemGetDriverVersion")
	}
	l.Driver = text(v)
	return l, nil
}

// Close ends the use of the library.
func (l *Library) Close() error { return l.fail(l.shutdown(), "nvmlShutdown") }

func (l *Library) fail(r result, call string) error {
	if r == 0 {
		return nil
	}
	return fmt.Errorf("%s: %s (%d)", call, l.errorString(r), r)
}

// text returns what stands before the NUL.
func text(b []byte) string {
	s, _, _ := bytes.Cut(b, []byte{0})
	return string(s)
}
