package launch

import (
	"context"
	"os/signal"
	"syscall"
	"testing"
)

// Each signal that asks a process to end ends the context.
func TestUntilSignalled(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		ctx, stop := UntilSignalled(context.Background())
		if err := syscall.Kill(syscall.Getpid(), s); err != nil {
			t.Fatal(err)
		}
		<-ctx.Done()
		stop()
	}
}

// A process that is to outlive its terminal (nohup) does; SIGTERM ends it.
func TestHangUpStaysIgnored(t *testing.T) {
	signal.Ignore(syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	ctx, stop := UntilSignalled(context.Background())
	defer stop()
	if !signal.Ignored(syscall.SIGHUP) {
		t.Error("SIGHUP is no longer ignored")
	}
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
}
