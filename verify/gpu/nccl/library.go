// Package nccl runs the collectives of NCCL or RCCL, whichever is installed:
// the library is opened while the program runs. Communicators are
// non-blocking; every wait has a deadline, watches for asynchronous errors
// and ends in an abort instead of a hang.
package nccl

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"planner/verify/gpu/dl"
)

// Kind is whose library it is.
type Kind uint8

// The libraries.
const (
	NCCL Kind = iota // NVIDIA's
	RCCL             // AMD's, with the same functions
)

var kinds = [...]struct{ name, need string }{{"nccl", "NCCL 2.18 or newer, as libnccl2 or nvidia-nccl-cu12 brings it"}, {"rccl", "RCCL, as ROCm brings it"}}

// String returns the lower-case name.
func (k Kind) String() string { return kinds[k].name }

var files = [...][]string{{"libnccl.so.2", "libnccl.so"}, {"librccl.so.1", "librccl.so"}}

// ID names a communicator to the ranks that form it (ncclUniqueId, which
// travels by value).
type ID struct{ B [128]byte }

// config is the first version of ncclConfig_t, of NCCL 2.14, which every later
// one takes for what it is by its size and version.
type config struct {
	size           uint64
	magic, version uint32
	blocking, _    int32
}

func (l *Library) newConfig() *config {
	c := &config{24, 0xcafebeef, 21400, 0, 0}
	if l.Blocking {
		c.blocking = 1
	}
	return c
}

// handle is ncclComm_t.
type handle uintptr

// status is ncclResult_t.
type status int32

const inProgress status = 7

// table holds the library's functions, with the signatures of nccl.h.
type table struct {
	getVersion    func(*int32) status
	errorString   func(status) string
	lastError     func(handle) string
	uniqueID      func(*ID) status
	initRank      func(*handle, int32, ID, int32, *config) status
	split         func(handle, int32, int32, *handle, *config) status
	asyncError    func(handle, *status) status
	count         func(handle, *int32) status
	userRank      func(handle, *int32) status
	finalize      func(handle) status
	destroy       func(handle) status
	abort         func(handle) status
	groupStart    func() status
	groupEnd      func() status
	allReduce     func(in, out uintptr, n uint64, dt, op int32, c handle, s uintptr) status
	reduceScatter func(in, out uintptr, n uint64, dt, op int32, c handle, s uintptr) status
	allGather     func(in, out uintptr, n uint64, dt int32, c handle, s uintptr) status
	broadcast     func(in, out uintptr, n uint64, dt, root int32, c handle, s uintptr) status
	reduce        func(in, out uintptr, n uint64, dt, op, root int32, c handle, s uintptr) status
	send          func(in uintptr, n uint64, dt, peer int32, c handle, s uintptr) status
	recv          func(out uintptr, n uint64, dt, peer int32, c handle, s uintptr) status
}

func (t *table) bindings() []dl.Binding {
	return []dl.Binding{
		{Name: "ncclGetVersion", Func: &t.getVersion}, {Name: "ncclGetErrorString", Func: &t.errorString},
		{Name: "ncclGetLastError", Func: &t.lastError, Optional: true},
		{Name: "ncclGetUniqueId", Func: &t.uniqueID}, {Name: "ncclCommInitRankConfig", Func: &t.initRank},
		{Name: "ncclCommSplit", Func: &t.split}, {Name: "ncclCommGetAsyncError", Func: &t.asyncError},
		{Name: "ncclCommCount", Func: &t.count}, {Name: "ncclCommUserRank", Func: &t.userRank},
		{Name: "ncclCommFinalize", Func: &t.finalize}, {Name: "ncclCommDestroy", Func: &t.destroy},
		{Name: "ncclCommAbort", Func: &t.abort}, {Name: "ncclGroupStart", Func: &t.groupStart},
		{Name: "ncclGroupEnd", Func: &t.groupEnd}, {Name: "ncclAllReduce", Func: &t.allReduce},
		{Name: "ncclReduceScatter", Func: &t.reduceScatter}, {Name: "ncclAllGather", Func: &t.allGather},
		{Name: "ncclBroadcast", Func: &t.broadcast}, {Name: "ncclReduce", Func: &t.reduce},
		{Name: "ncclSend", Func: &t.send}, {Name: "ncclRecv", Func: &t.recv},
	}
}

// Library is NCCL or RCCL, open.
type Library struct {
	Kind    Kind
	Path    string
	Version int // as 22304 for 2.23.4
	// Blocking makes communicators whose calls return when they are enqueued.
	// Some releases after 2.22 start a thread for every call of the others
	// (src/group.cc, ncclGroupEndInternal), which costs tens of microseconds.
	Blocking bool
	table
}

// oldest has ncclCommSplit.
const oldest = 21800

// Open opens the library, from paths where they are given. It fails, in one
// line, where there is none or it is too old.
func Open(k Kind, paths ...string) (*Library, error) {
	if len(paths) == 0 {
		paths = files[k]
	}
	lib, err := dl.Open(kinds[k].need, paths...)
	if err != nil {
		return nil, err
	}
	l := &Library{Kind: k, Path: lib.Name}
	all := l.bindings()
	if err := lib.Bind(all[:2]); err != nil {
		return nil, err
	}
	var v int32
	if s := l.getVersion(&v); s != 0 {
		return nil, fmt.Errorf("%s: ncclGetVersion: %s", lib.Name, l.errorString(s))
	}
	if l.Version = int(v); l.Version < oldest {
		return nil, fmt.Errorf("%s: version %s: too old: want 2.18 or newer, for ncclCommSplit", lib.Name, l.VersionText())
	}
	return l, lib.Bind(all)
}

// VersionText returns the version as NCCL writes it: 2.23.4. Before 2.9 the
// code had one digit for the minor number.
func (l *Library) VersionText() string {
	if v := l.Version; v < 10000 {
		return fmt.Sprintf("%d.%d.%d", v/1000, v/100%10, v%100)
	}
	return fmt.Sprintf("%d.%d.%d", l.Version/10000, l.Version/100%100, l.Version%100)
}

// Title names the library and its version.
func (l *Library) Title() string {
	return strings.ToUpper(l.Kind.String()) + " " + l.VersionText()
}

// SharesGPU reports whether several ranks may be on one GPU: from NCCL 2.30
// with NCCL_MULTI_RANK_GPU_ENABLE=1 (src/init.cc); before, it refuses.
func (l *Library) SharesGPU() bool { return l.Kind == NCCL && l.Version >= 23000 }

// NewID returns the id of a communicator to be; one rank makes it and tells
// the others.
func (l *Library) NewID() (ID, error) {
	id := new(ID)
	s := l.uniqueID(id)
	if s != 0 {
		return ID{}, l.fail(s, "ncclGetUniqueId", 0)
	}
	return *id, nil
}

func (l *Library) fail(s status, call string, c handle) error {
	text := fmt.Sprintf("%s: %s (%d)", call, l.errorString(s), s)
	if l.lastError != nil && c != 0 {
		if more := l.lastError(c); more != "" {
			text += ": " + more
		}
	}
	return errors.New(text)
}

var _ = [1]struct{}{}[unsafe.Sizeof(config{})-24]
