package launch

import (
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"planner/verify/transport"
)

// meet runs the ranks of a job in this process.
func meet(t *testing.T, l net.Listener, ranks ...func(addr string) error) []error {
	t.Helper()
	errs := make([]error, len(ranks))
	var wg sync.WaitGroup
	for i, f := range ranks {
		wg.Go(func() { errs[i] = f(l.Addr().String()) })
	}
	wg.Wait()
	return errs
}

func listener(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestStrangersAreRefused(t *testing.T) {
	join := func(c Config, rank, size int) func(string) error {
		return func(addr string) error {
			c.Patience = 30 * time.Second
			j, err := Join(t.Context(), Place{Rank: rank, Size: size, Address: addr}, c)
			if err == nil {
				err = j.Close()
			}
			return err
		}
	}
	l := listener(t)
	good := Config{Kind: transport.TCP, Secret: "s"}
	zero := good
	zero.Listener = l
	refused := make(chan struct{})
	after := func(f func(string) error) func(string) error {
		return func(a string) error { <-refused; return f(a) }
	}
	strangers := func(addr string) error {
		defer close(refused)
		var errs []error
		errs = append(errs, join(Config{Kind: transport.TCP, Secret: "x"}, 1, 2)(addr))
		errs = append(errs, join(good, 1, 3)(addr))
		c, err := net.Dial("tcp", addr)
		if err == nil {
			_, _ = c.Write([]byte("GET / HTTP/1.1\r\n\r\n"))
			_, _ = c.Read(make([]byte, 1000))
			_ = c.Close()
		}
		return errors.Join(append(errs, err, otherVersion(addr))...)
	}
	errs := meet(t, l, join(zero, 0, 2), after(join(good, 1, 2)), strangers)
	if errs[0] != nil || errs[1] != nil {
		t.Errorf("the job's own ranks: %v, %v", errs[0], errs[1])
	}
	for _, want := range []string{"wrong secret", "a job of 3 ranks: want 2", "version 99 of the protocol: want 2"} {
		if errs[2] == nil || !strings.Contains(errs[2].Error(), want) {
			t.Errorf("strangers got %v, want %q", errs[2], want)
		}
	}
}

// otherVersion introduces itself as a later planner and returns the answer.
func otherVersion(addr string) error {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	defer c.Close()
	w := newWire(c)
	if _, err := w.receive(); err != nil { // the challenge
		return err
	}
	if err := w.send(message{Kind: "hello", Version: 99, Rank: 1, Size: 2, Peer: &transport.Peer{}}); err != nil {
		return err
	}
	m, err := w.receive()
	return errors.Join(err, errors.New(m.Reason))
}

func TestMissingRankIsNamed(t *testing.T) {
	l := listener(t)
	_, err := Join(t.Context(), Place{Size: 2, Address: l.Addr().String()},
		Config{Kind: transport.TCP, Listener: l, Patience: 50 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "ranks [1]: did not come") {
		t.Errorf("got %v", err)
	}
}
