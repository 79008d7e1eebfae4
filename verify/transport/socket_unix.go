//go:build unix

package transport

import "syscall"

// peek reads what a socket has without taking it, writeSome writes what it
// takes; neither waits.
func peek(fd uintptr, b []byte) (int, error) {
	n, _, err := syscall.Recvfrom(int(fd), b, syscall.MSG_PEEK)
	return n, err
}

func writeSome(fd uintptr, b []byte) (int, error) { return syscall.Write(int(fd), b) }
