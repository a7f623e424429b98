package main

import (
	"crypto/rand"
	"encoding/binary"
	"sync"
)

// Pongs answers the pings of one side, between the frames that the library writes. The library could do it, but it
// answers while it reads: behind a message that the pinging side is slow to take, it reads nothing more for five
// seconds and may then close the connection.
//
// One pong waits at most, for the latest ping, as RFC 6455 section 5.5.3 allows.
type pongs struct {
	masked bool // the proxy is this connection's client
	send   func([]byte) (int, error)

	mu   sync.Mutex
	idle sync.Cond
	busy bool   // someone calls send
	left uint64 // bytes still to come of the library's frame under way; it writes one frame at a time
	over bool   // a close frame was written, after which there may be no other
	owed []byte // frame of the latest pong that waits; nil for none
}

func newPongs(masked bool, send func([]byte) (int, error)) *pongs {
	g := &pongs{masked: masked, send: send}
	g.idle.L = &g.mu
	return g
}

// answer sends a pong as soon as no frame is under way, and does not wait for that.
func (g *pongs) answer(payload []byte) {
	frame := g.pong(payload)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.owed = frame
	if !g.busy && g.left == 0 {
		g.busy = true
		go g.settle()
	}
}

// write writes bytes of the library's frames, none of a second frame in one call.
func (g *pongs) write(p []byte) (int, error) {
	g.mu.Lock()
	for g.busy {
		g.idle.Wait()
	}
	g.busy = true
	if g.left == 0 && len(p) > 0 {
		g.left = frameLength(p)
		g.over = g.over || p[0]&0x0f == opcodeClose
	}
	g.left -= min(g.left, uint64(len(p)))
	between := g.left == 0
	g.mu.Unlock()

	n, err := g.send(p)
	g.mu.Lock()
	defer g.mu.Unlock()
	if between && g.owed != nil {
		go g.settle()
	} else {
		g.busy = false
		g.idle.Signal()
	}
	return n, err
}

// settle sends the pong that waits. Should it fail, so does the next write.
func (g *pongs) settle() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.owed != nil && !g.over {
		frame := g.owed
		g.owed = nil
		g.mu.Unlock()
		_, _ = g.send(frame)
		g.mu.Lock()
	}
	g.busy = false
	g.idle.Signal()
}

// Opcodes of frames (RFC 6455 section 5.2).
const (
	opcodeClose = 0x8
	opcodePong  = 0xa
)

// pong is a whole frame; the payload of a ping is 125 bytes at most.
func (g *pongs) pong(payload []byte) []byte {
	frame := []byte{0x80 | opcodePong, byte(len(payload))}
	if !g.masked {
		return append(frame, payload...)
	}
	var mask [4]byte
	_, _ = rand.Read(mask[:]) // never fails
	frame[1] |= 0x80
	frame = append(frame, mask[:]...)
	for i, b := range payload {
		frame = append(frame, b^mask[i%4])
	}
	return frame
}

// frameLength is the length of the frame that begins with p, its header included (RFC 6455 section 5.2). The library
// writes a header in one piece.
func frameLength(p []byte) uint64 {
	if len(p) < 2 {
		return 0
	}
	header, length := uint64(2), uint64(p[1]&0x7f)
	switch {
	case length == 126 && len(p) >= 4:
		header, length = 4, uint64(binary.BigEndian.Uint16(p[2:]))
	case length == 127 && len(p) >= 10:
		header, length = 10, binary.BigEndian.Uint64(p[2:])
	}
	if p[1]&0x80 != 0 {
		header += 4 // the mask
	}
	return header + length
}
