package transport

import "fmt"

// Signature is what every rank of a group must agree on in one call.
type Signature struct {
	Op        uint8 // the caller's numbering; Names prints it
	DType     uint8
	RedOp     uint8
	Algorithm uint8
	Root      int32
	Count     uint64 // elements of M
}

// Header says which message a sender posts, or which one a receiver expects.
type Header struct {
	Call uint32 // number of the call in its group, from 1
	Step uint32 // number of the step in the sender's program
	What Signature
}

// Merge computes dst = a op b element by element, as reduce.Func does. All
// three have the same length.
type Merge func(dst, a, b []byte)

// Names spells a signature for messages. The engine sets it; a transport
// alone prints numbers.
var Names = func(s Signature) string {
	return fmt.Sprintf("op %d of %d elements of type %d (reduction %d, algorithm %d, root %d)",
		s.Op, s.Count, s.DType, s.RedOp, s.Algorithm, s.Root)
}

// OpName spells the operation alone.
var OpName = func(s Signature) string { return fmt.Sprintf("op %d", s.Op) }
