package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

var load = flag.Bool("load", false, "run the load test in its long form: 500 connections with 200 messages each way")

// asProgram makes the test binary run as wsproxy itself, so that tests can send signals to a real process.
const asProgram = "WSPROXY_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	flag.Parse()
	// Parallel tests here wait far more than they work, so they need not wait for each other.
	if err := flag.Set("test.parallel", "32"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func newLog(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }

var discardLog = newLog(io.Discard)

// noContext is for peers that end with their connection.
var noContext = context.Background()

// patient is how long a test waits for something that takes milliseconds before it fails.
const patient = 30 * time.Second

// testGrace is the grace time of proxies under test.
const testGrace = 600 * time.Millisecond

func withPatience(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patient)
	t.Cleanup(cancel)
	return ctx
}

// noGoroutineLeft fails the test if more goroutines run after it, its cleanups included, than before.
func noGoroutineLeft(t *testing.T) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for end := time.Now().Add(patient); runtime.NumGoroutine() > before; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				stacks := make([]byte, 1<<20)
				t.Errorf("%d goroutines before the test, %d after it:\n%s",
					before, runtime.NumGoroutine(), stacks[:runtime.Stack(stacks, true)])
				return
			}
		}
	})
}

// A logBuffer is a log that tests can read while it is written.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// wait returns the log once it has all of the texts.
func (b *logBuffer) wait(t *testing.T, texts ...string) string {
	t.Helper()
	for end := time.Now().Add(patient); ; time.Sleep(2 * time.Millisecond) {
		log := b.String()
		missing := ""
		for _, text := range texts {
			if !strings.Contains(log, text) {
				missing = text
			}
		}
		if missing == "" {
			return log
		}
		if time.Now().After(end) {
			t.Fatalf("the log lacks %q:\n%s", missing, log)
		}
	}
}

// A testProxy is a proxy under test, listening on loopback.
type testProxy struct {
	*proxy
	addr string
	log  *logBuffer
	stop func() // shuts down and waits
}

func (p *testProxy) url(path string) string { return "ws://" + p.addr + path }

// startProxy runs a proxy in front of target with more flags, and stops it when the test ends.
func startProxy(t *testing.T, target string, flags ...string) *testProxy {
	t.Helper()
	return startTracedProxy(t, nil, target, flags...)
}

func startTracedProxy(t *testing.T, tr *tracer, target string, flags ...string) *testProxy {
	t.Helper()
	args := append([]string{"-target", target, "-grace", testGrace.String()}, flags...)
	cfg, err := parseFlags(args, io.Discard)
	if err != nil {
		t.Fatalf("flags %q: %v", args, err)
	}
	log := new(logBuffer)
	level := slog.LevelInfo
	if cfg.verbose {
		level = slog.LevelDebug
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := newProxy(cfg, slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: level})), newMetrics(), tr)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := p.serve(ctx, ln); err != nil {
			t.Errorf("serve: %v", err)
		}
	}()
	stop := func() {
		cancel()
		select {
		case <-done:
		case <-time.After(patient):
			stacks := make([]byte, 1<<20)
			t.Errorf("the proxy does not stop:\n%s", stacks[:runtime.Stack(stacks, true)])
		}
	}
	t.Cleanup(stop)
	return &testProxy{proxy: p, addr: ln.Addr().String(), log: log, stop: stop}
}

// A testTarget is a WebSocket server on loopback. Each connection is handled by a function, and cut when that returns.
type testTarget struct {
	addr     string
	requests chan *http.Request // the handshakes, as many as fit
}

func (s *testTarget) url(path string) string { return "ws://" + s.addr + path }

func startTarget(t *testing.T, accept *websocket.AcceptOptions, handle func(*websocket.Conn)) *testTarget {
	t.Helper()
	s := &testTarget{requests: make(chan *http.Request, 16)}
	s.addr = startServer(t, func(rw http.ResponseWriter, r *http.Request) {
		select {
		case s.requests <- r:
		default:
		}
		c, err := websocket.Accept(rw, r, accept)
		if err != nil {
			return
		}
		defer c.CloseNow()
		c.SetReadLimit(-1)
		handle(c)
	})
	return s
}

// startServer serves HTTP on loopback until the test ends and all handlers have returned.
func startServer(t *testing.T, handler http.HandlerFunc) (addr string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var handlers sync.WaitGroup
	srv := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		handlers.Add(1)
		defer handlers.Done()
		handler(rw, r)
	})}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = srv.Serve(ln) // ends with Close below
	}()
	t.Cleanup(func() {
		srv.Close()
		<-served
		handlers.Wait()
	})
	return ln.Addr().String()
}

// dial connects a client that is cut when the test ends.
func dial(t *testing.T, url string, opts *websocket.DialOptions) *websocket.Conn {
	t.Helper()
	c, _, err := websocket.Dial(withPatience(t), url, withoutPool(t, opts))
	if err != nil {
		t.Fatalf("dial: %v", err)
	}
	t.Cleanup(func() { c.CloseNow() })
	c.SetReadLimit(-1)
	return c
}

// withoutPool gives opts a client whose connections do not outlive the test.
func withoutPool(t *testing.T, opts *websocket.DialOptions) *websocket.DialOptions {
	var o websocket.DialOptions
	if opts != nil {
		o = *opts
	}
	tr := &http.Transport{DisableKeepAlives: true}
	t.Cleanup(tr.CloseIdleConnections)
	o.HTTPClient = &http.Client{Transport: tr}
	return &o
}

func send(t *testing.T, c *websocket.Conn, message string) {
	t.Helper()
	if err := c.Write(withPatience(t), websocket.MessageText, []byte(message)); err != nil {
		t.Fatalf("write: %v", err)
	}
}

func receive(t *testing.T, c *websocket.Conn) string {
	t.Helper()
	typ, data, err := c.Read(withPatience(t))
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	if typ != websocket.MessageText {
		t.Fatalf("a message of type %v, want text", typ)
	}
	return string(data)
}

// receiveClose reads past messages to the close frame.
func receiveClose(ctx context.Context, c *websocket.Conn) (websocket.CloseError, error) {
	for {
		_, _, err := c.Read(ctx)
		if frame, ok := errors.AsType[websocket.CloseError](err); ok {
			return frame, nil
		}
		if err != nil {
			return websocket.CloseError{}, err
		}
	}
}

func wantClose(t *testing.T, c *websocket.Conn, code websocket.StatusCode) websocket.CloseError {
	t.Helper()
	frame, err := receiveClose(withPatience(t), c)
	if err != nil || frame.Code != code {
		t.Fatalf("closed with %d %q (%v), want %d", frame.Code, frame.Reason, err, code)
	}
	return frame
}

// recordings are the recorded sessions of this repository, by name, a message a line.
func recordings(t *testing.T) map[string][]string {
	t.Helper()
	files, err := filepath.Glob("../../testdata/recordings/*.ndjson")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings (%v)", err)
	}
	all := map[string][]string{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(file)] = strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	}
	return all
}

// A rawPeer speaks WebSocket by hand, for what a library would never do.
type rawPeer struct {
	net.Conn
	in     *bufio.Reader
	client bool // frames are masked
}

// dialRaw performs a client's handshake and leaves the rest to the test.
func dialRaw(t *testing.T, addr string) *rawPeer {
	t.Helper()
	p := &rawPeer{Conn: connect(t, addr), client: true}
	p.in = bufio.NewReader(p.Conn)
	fmt.Fprintf(p, "GET /arcp HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", addr)
	resp, err := http.ReadResponse(p.in, nil)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("handshake: %v %v", resp, err)
	}
	return p
}

// connect opens a TCP connection that is closed when the test ends.
func connect(t *testing.T, addr string) net.Conn {
	t.Helper()
	c, err := net.DialTimeout("tcp", addr, patient)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(patient)); err != nil {
		t.Fatal(err)
	}
	return c
}

// startRawTarget gives the test the other end of the proxy's connection after the handshake.
func startRawTarget(t *testing.T) (url string, peers chan *rawPeer) {
	t.Helper()
	peers = make(chan *rawPeer, 1)
	addr := startServer(t, func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Connection", "Upgrade")
		rw.Header().Set("Upgrade", "websocket")
		rw.Header().Set("Sec-WebSocket-Accept", acceptKey(r.Header.Get("Sec-WebSocket-Key")))
		rw.WriteHeader(http.StatusSwitchingProtocols)
		c, brw, err := rw.(http.Hijacker).Hijack()
		if err != nil {
			t.Errorf("hijack: %v", err)
			return
		}
		t.Cleanup(func() { c.Close() })
		peers <- &rawPeer{Conn: c, in: brw.Reader}
	})
	return "ws://" + addr, peers
}

// Opcodes of frames (RFC 6455 section 5.2), and the bit of the last frame of a message.
const (
	opContinue = 0x0
	opText     = 0x1
	opClose    = 0x8
	opPing     = 0x9
	fin        = 0x80
)

// frame is one frame as it stands on the wire.
func (p *rawPeer) frame(first byte, payload string) []byte {
	out := []byte{first, 0}
	switch n := len(payload); {
	case n < 126:
		out[1] = byte(n)
	case n < 1<<16:
		out[1] = 126
		out = binary.BigEndian.AppendUint16(out, uint16(n))
	default:
		out[1] = 127
		out = binary.BigEndian.AppendUint64(out, uint64(n))
	}
	if p.client {
		out[1] |= 0x80
		out = append(out, 0, 0, 0, 0) // a mask of zeros changes nothing
	}
	return append(out, payload...)
}

// write sends bytes; the peer under test may cut the connection while they are sent.
func (p *rawPeer) write(b []byte) { _, _ = p.Conn.Write(b) }

// readFrame returns the next frame's first byte and payload.
func (p *rawPeer) readFrame() (first byte, payload string, err error) {
	var head [2]byte
	if _, err := io.ReadFull(p.in, head[:]); err != nil {
		return 0, "", err
	}
	n := uint64(head[1] & 0x7f)
	switch n {
	case 126:
		var b [2]byte
		_, err = io.ReadFull(p.in, b[:])
		n = uint64(binary.BigEndian.Uint16(b[:]))
	case 127:
		var b [8]byte
		_, err = io.ReadFull(p.in, b[:])
		n = binary.BigEndian.Uint64(b[:])
	}
	if err != nil {
		return 0, "", err
	}
	var mask [4]byte
	if head[1]&0x80 != 0 {
		if _, err := io.ReadFull(p.in, mask[:]); err != nil {
			return 0, "", err
		}
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(p.in, body); err != nil {
		return 0, "", err
	}
	if mask != [4]byte{} {
		for i := range body {
			body[i] ^= mask[i%4]
		}
	}
	return head[0], string(body), nil
}

// kill ends the connection with a reset, as the system does for a killed process that had bytes to read.
func (p *rawPeer) kill() {
	_ = p.Conn.(*net.TCPConn).SetLinger(0)
	p.Conn.Close()
}
