package launch

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// UntilSignalled returns a context that ends with ctx, or when the process is asked
// to end, so that ranks and files are cleared away: by the keyboard, by a job
// scheduler, or by a terminal that closes, unless that is ignored (nohup).
func UntilSignalled(ctx context.Context) (context.Context, context.CancelFunc) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signal.NotifyContext(ctx, signals...)
}
