package main

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// stateOf gives the state of a TCP connection, which counts as left when it is closed here. It reports false for
// other connections.
func stateOf(c net.Conn) (tcpState, bool) {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return tcpState{}, false
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return tcpState{}, false
	}
	var info *unix.TCPInfo
	var infoErr error
	if raw.Control(func(fd uintptr) {
		info, infoErr = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
	}) != nil {
		return tcpState{left: true}, true
	}
	if infoErr != nil {
		return tcpState{}, false
	}
	return tcpState{acked: info.Bytes_acked, left: info.State != unix.BPF_TCP_ESTABLISHED}, true
}
