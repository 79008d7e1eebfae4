package transport

import (
	"bytes"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// relay passes one connection on to addr through spoil, which sees what the
// dialer writes after its handshake. It stands between two ranks.
func relay(t *testing.T, addr string, spoil func(to io.Writer, from io.Reader)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		in, err := l.Accept()
		if err != nil {
			return
		}
		defer in.Close()
		out, err := net.Dial("tcp", addr)
		if err != nil {
			return
		}
		defer out.Close()
		wg.Go(func() { _, _ = io.Copy(in, out) })
		_, _ = io.CopyN(out, in, helloSize)
		spoil(out, in)
	})
	t.Cleanup(func() { _ = l.Close(); wg.Wait() })
	return l.Addr().String()
}

func TestConnectionFaults(t *testing.T) {
	const size = 100 << 10
	// A fault that shows by itself is told long before the deadline; silence
	// shows by nothing else. The machine may be busy with other work.
	const long, short = time.Minute, 300 * time.Millisecond
	release := make(chan struct{})
	tests := []struct {
		name    string
		timeout time.Duration
		spoil   func(to io.Writer, from io.Reader)
		want    string // of the receiver's failure; empty for none
	}{
		{"delay", long, func(to io.Writer, from io.Reader) {
			_, _ = io.CopyN(to, from, 5000)
			time.Sleep(50 * time.Millisecond)
			_, _ = io.Copy(to, from)
		}, ""},
		{"truncate", long, func(to io.Writer, from io.Reader) { _, _ = io.CopyN(to, from, 5000) }, "closed the connection"},
		{"drop at once", long, func(io.Writer, io.Reader) {}, "closed the connection"},
		{"silence", short, func(to io.Writer, from io.Reader) { _, _ = io.CopyN(to, from, 5000); <-release }, "nothing came from it for 300ms"},
		{"garble header", long, garble(20), "garbled message header"},
		{"garble data", long, garble(frameSize + 12345), "its checksum does not match"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			errs, took := sendThrough(t, size, tt.timeout, tt.spoil)
			if tt.name == "silence" {
				close(release)
			}
			if tt.want == "" {
				if errs[0] != nil || errs[1] != nil {
					t.Fatalf("got %v", errs)
				}
				return
			}
			if errs[1] == nil || !strings.Contains(errs[1].Error(), tt.want) || !strings.Contains(errs[1].Error(), "rank 1, peer rank 0") {
				t.Errorf("got %v, want %q of rank 1 and peer rank 0", errs[1], tt.want)
			}
			if took > long/2 {
				t.Errorf("noticed after %v", took)
			}
		})
	}
}

// garble flips one byte.
func garble(at int64) func(io.Writer, io.Reader) {
	return func(to io.Writer, from io.Reader) {
		_, _ = io.CopyN(to, from, at)
		var b [1]byte
		_, _ = io.ReadFull(from, b[:])
		_, _ = to.Write([]byte{b[0] ^ 0x10})
		_, _ = io.Copy(to, from)
	}
}

// sendThrough sends a message from rank 0 to rank 1 through spoil.
func sendThrough(t *testing.T, size int, timeout time.Duration, spoil func(io.Writer, io.Reader)) (errs [2]error, took time.Duration) {
	t.Helper()
	var worlds [2]*Process
	var seats [2]*Seat
	for r := range seats {
		s, err := NewSeat(TCP, "127.0.0.1", "")
		if err != nil {
			t.Fatal(err)
		}
		seats[r] = s
	}
	peers := []Peer{seats[0].Peer, seats[1].Peer}
	via := append([]Peer{}, peers...)
	via[1].TCP = relay(t, peers[1].TCP, spoil)
	for r, s := range seats {
		w, err := s.Take(r, [][]Peer{via, peers}[r], []byte("k"), Options{Timeout: timeout})
		if err != nil {
			t.Fatal(err)
		}
		worlds[r] = w
		defer w.Close()
	}
	begin := time.Now()
	out, in := bytes.Repeat([]byte{7}, size), make([]byte, size)
	var wg sync.WaitGroup
	for r, w := range worlds {
		wg.Go(func() {
			p, err := w.Open(20, []int{0, 1})
			if err != nil {
				errs[r] = err
				return
			}
			_ = p.Begin(Signature{Count: uint64(size)}, 1)
			if r == 0 {
				if errs[0] = p.Send(1, out); errs[0] == nil {
					errs[0] = p.Flush()
				}
			} else {
				errs[1] = p.Recv(0, in, nil, nil)
				took = time.Since(begin)
			}
			if r == 1 {
				_ = worlds[0].Abort().Fail(&Failure{Rank: 1, Peer: -1, Cause: "over"})
			}
			_ = p.Close()
		})
	}
	wg.Wait()
	if errs[1] == nil && !bytes.Equal(in, out) {
		t.Error("the data changed on the way")
	}
	return errs, took
}

// TestStrangeConnection offers connections that do not know the job's key.
func TestStrangeConnection(t *testing.T) {
	s, err := listen(TCP, "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	s.unlock([]byte("key"))
	defer s.close()
	c, err := net.Dial("tcp", s.address())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	nonce := make([]byte, nonceSize)
	if _, err := io.ReadFull(c, nonce); err != nil {
		t.Fatal(err)
	}
	hello := make([]byte, 16)
	_, _ = c.Write(append(hello, proof([]byte("other key"), nonce, hello)...))
	if n, err := c.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("a stranger was not dropped: %d, %v", n, err)
	}
}

func FuzzParseFrame(f *testing.F) {
	b := make([]byte, frameSize)
	putFrame(b, &Header{Call: 3, Step: 1, What: Signature{Op: 2, Root: -1, Count: 9}}, 77, 5)
	f.Add(b)
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) != frameSize {
			return
		}
		h, size, ready, err := parseFrame(in)
		if err != nil {
			return
		}
		again := make([]byte, frameSize)
		putFrame(again, h, size, ready)
		h2, size2, ready2, err := parseFrame(again)
		if err != nil || *h2 != *h || size2 != size || ready2 != ready {
			t.Errorf("%v %d %d printed as %v %d %d, %v", h, size, ready, h2, size2, ready2, err)
		}
	})
}

func TestFirstFailureStands(t *testing.T) {
	var a Abort
	heard := 0
	a.OnFail(func(*Failure) { heard++ })
	first := &Failure{Collective: "all_reduce", Call: 12, Step: 3, Steps: 6, Rank: 1, Peer: 0, Cause: "it is gone"}
	_ = a.Fail(first)
	if got := a.Fail(&Failure{Rank: 2, Peer: -1, Cause: "later"}); got != first || a.Err() != first {
		t.Errorf("got %v", got)
	}
	a.OnFail(func(*Failure) { heard++ })
	if heard != 2 {
		t.Errorf("%d hooks ran, want 2", heard)
	}
	if got, want := first.Error(), "all_reduce #12, step 3 of 6: rank 1, peer rank 0: it is gone"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
