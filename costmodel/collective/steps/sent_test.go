package steps

import "testing"

func checkSent(t *testing.T, s Spec, progs []Program) {}
