//go:build !linux

package transport

import (
	"runtime"
	"time"
)

var epoch = time.Now()

func now() int64 { return int64(time.Since(epoch)) }

func nap(t int64) { time.Sleep(min(time.Duration(t-now()), slice)) }

func yield() { runtime.Gosched() }
