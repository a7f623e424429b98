package main

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// A proxy accepts WebSocket connections and joins each to one of its own to the target.
type proxy struct {
	cfg     config
	policy  *policy
	log     *slog.Logger
	metrics *metrics
	tracer  *tracer // nil without -trace
	http    *http.Client

	stopping context.Context // ends when the proxy shuts down
	stop     context.CancelFunc
	mu       sync.Mutex // no handler starts once stopping has ended
	live     sync.WaitGroup
}

func newProxy(cfg config, log *slog.Logger, m *metrics, tr *tracer) *proxy {
	dialer := &net.Dialer{KeepAliveConfig: keepAlive(cfg.grace)}
	stopping, stop := context.WithCancel(context.Background())
	return &proxy{
		cfg:      cfg,
		policy:   newPolicy(cfg),
		log:      log,
		metrics:  m,
		tracer:   tr,
		stopping: stopping,
		stop:     stop,
		http: &http.Client{
			Transport: upgradeTransport{&http.Transport{
				DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
					c, err := dialer.DialContext(ctx, network, addr)
					if err != nil {
						return nil, err
					}
					return &wire{Conn: c, patience: cfg.patience()}, nil
				},
				DisableKeepAlives:  true, // every connection becomes a WebSocket, and only its own
				DisableCompression: true,
			}},
			// A redirect goes back to the client: following it would carry its credentials to another place.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// keepAlive makes TCP notice within the grace time that the host on an idle connection has disappeared.
func keepAlive(grace time.Duration) net.KeepAliveConfig {
	return net.KeepAliveConfig{
		Enable:   true,
		Idle:     max(grace/2, time.Second),
		Interval: max(grace/8, time.Second),
		Count:    4,
	}
}

// serve runs the proxy on ln until ctx ends, then closes every connection with status 1001 and returns when all are
// gone, which takes the grace time at most.
func (p *proxy) serve(ctx context.Context, ln net.Listener) error {
	srv := &http.Server{
		Handler:           p,
		ReadHeaderTimeout: p.cfg.handshake,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(p.log.Handler(), slog.LevelDebug),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, wireKey{}, c)
		},
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(wireListener{ln, p.cfg.patience()}) }()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	p.mu.Lock()
	p.stop()
	p.mu.Unlock()
	grace, cancel := context.WithTimeout(context.Background(), p.cfg.grace)
	defer cancel()
	if srv.Shutdown(grace) != nil {
		_ = srv.Close() // a client that is still sending its handshake
	}
	p.live.Wait()
	return err
}

// wireKey finds the client's wire in the context of its request.
type wireKey struct{}

// ServeHTTP performs both handshakes, the target's first, so that the client gets the target's answer and
// subprotocol, and stays until the connection has ended.
func (p *proxy) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	if p.stopping.Err() != nil {
		p.mu.Unlock()
		http.Error(rw, errStopping.Error(), http.StatusServiceUnavailable)
		return
	}
	p.live.Add(1)
	p.mu.Unlock()
	defer p.live.Done()

	start := time.Now()
	log := p.log.With("client", r.RemoteAddr, "path", cut(r.URL.Path))
	if !isUpgrade(r) {
		rw.Header().Set("Connection", "Upgrade")
		rw.Header().Set("Upgrade", "websocket")
		http.Error(rw, "this is a WebSocket proxy", http.StatusUpgradeRequired)
		p.metrics.connection("not a websocket")
		log.Warn("connection refused", "cause", "not a websocket", "status", http.StatusUpgradeRequired)
		return
	}
	target, resp, err := p.dial(r)
	if err != nil {
		p.refuseHandshake(rw, r, log, resp, err)
		return
	}
	defer target.wire.abort()
	copyEndToEnd(rw.Header(), resp.Header)
	wire, _ := r.Context().Value(wireKey{}).(*wire)
	client := &side{name: "client", wire: wire, ended: &wire.ended, pongs: wire.pongs}
	accept := &websocket.AcceptOptions{
		// Whether a browser's origin is welcome is the target's decision: it got the Origin header and has agreed.
		InsecureSkipVerify: true,
		OnPingReceived:     client.pong,
	}
	if sub := target.ws.Subprotocol(); sub != "" {
		accept.Subprotocols = []string{sub}
	}
	client.ws, err = websocket.Accept(rw, r, accept)
	if err != nil {
		_ = target.ws.Close(websocket.StatusGoingAway, "the client left before the connection was made")
		p.metrics.connection("client left")
		log.Warn("connection refused", "cause", "client left", "error", err)
		return
	}
	defer client.wire.abort()
	client.wire.keep(target.wire)
	target.wire.keep(client.wire)
	client.ws.SetReadLimit(p.cfg.maxBytes)
	target.ws.SetReadLimit(p.cfg.maxBytes)

	p.metrics.connection("joined")
	p.metrics.live.Inc()
	s := newSession(p, log, client, target)
	last := s.run()
	p.metrics.live.Dec()
	log.LogAttrs(context.Background(), slog.LevelInfo, "connection",
		slog.String("subprotocol", cut(client.ws.Subprotocol())),
		slog.Duration("duration", time.Since(start).Round(time.Millisecond)),
		slog.String("ended_by", last.by),
		slog.String("cause", string(last.cause)),
		slog.Int("code", int(last.code)),
		slog.Group(toTarget, "messages", s.toTarget.messages, "bytes", s.toTarget.bytes),
		slog.Group(toClient, "messages", s.toClient.messages, "bytes", s.toClient.bytes),
	)
}

// dial performs the handshake with the target for r: r's path and query, its end-to-end headers, Authorization and
// Origin among them, and the subprotocols it offers. On an error resp holds the target's refusal if there was one.
func (p *proxy) dial(r *http.Request) (*side, *http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context()) // which net/http ends when the client leaves
	defer cancel(nil)
	defer time.AfterFunc(p.cfg.handshake, func() { cancel(errNoAnswer) }).Stop()
	defer context.AfterFunc(p.stopping, func() { cancel(errStopping) })()

	var made upgraded
	target := &side{name: "target"}
	header := http.Header{}
	copyEndToEnd(header, r.Header)
	ws, resp, err := websocket.Dial(context.WithValue(ctx, upgradedKey{}, &made), targetURL(p.cfg.target, r.URL), &websocket.DialOptions{
		HTTPClient:   p.http,
		HTTPHeader:   header,
		Subprotocols: tokens(r.Header, "Sec-WebSocket-Protocol"),

		OnPingReceived: target.pong,
	})
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return nil, resp, err
	}
	target.ws, target.wire, target.ended, target.pongs = ws, made.wire, &made.body.ended, made.body.pongs
	return target, resp, nil
}

// Why a dial ended before the target had answered.
var (
	errNoAnswer = errors.New("the target did not answer in time")
	errStopping = errors.New("the proxy is shutting down")
)

// refuseHandshake answers a client whose target could not be reached or said no: with the target's own status and
// the start of its text if there is one, else with 502 or 504.
func (p *proxy) refuseHandshake(rw http.ResponseWriter, r *http.Request, log *slog.Logger, resp *http.Response, err error) {
	switch {
	case errors.Is(err, errStopping):
		http.Error(rw, err.Error(), http.StatusServiceUnavailable)
		p.metrics.connection("stopping")
		log.Warn("connection refused", "cause", "stopping", "status", http.StatusServiceUnavailable)
	case resp != nil && resp.StatusCode != http.StatusSwitchingProtocols:
		copyEndToEnd(rw.Header(), resp.Header)
		rw.Header().Del("Content-Length") // the library keeps 1,024 bytes of the body
		rw.WriteHeader(resp.StatusCode)
		if resp.Body != nil {
			_, _ = io.Copy(rw, resp.Body) // the client may be gone
		}
		p.metrics.connection("target refused")
		log.Warn("connection refused", "cause", "target refused", "status", resp.StatusCode)
	case errors.Is(err, errNoAnswer):
		http.Error(rw, err.Error(), http.StatusGatewayTimeout)
		p.metrics.connection("target silent")
		log.Warn("connection refused", "cause", "target silent", "status", http.StatusGatewayTimeout)
	case r.Context().Err() != nil:
		p.metrics.connection("client left")
		log.Warn("connection refused", "cause", "client left")
	default:
		// The text of the error goes to the log without the URL, whose query may hold a token.
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err
		}
		http.Error(rw, "the target cannot be reached", http.StatusBadGateway)
		p.metrics.connection("target unreachable")
		log.Warn("connection refused", "cause", "target unreachable", "status", http.StatusBadGateway, "error", err)
	}
}

// targetURL is the target with the client's path and query. A client that asks for no path gets the target's own;
// a query of the target's own comes first.
func targetURL(target, asked *url.URL) string {
	u := *target
	if asked.Path != "" && asked.Path != "/" {
		u.Path, u.RawPath = asked.Path, asked.RawPath
	}
	switch {
	case u.RawQuery == "":
		u.RawQuery = asked.RawQuery
	case asked.RawQuery != "":
		u.RawQuery += "&" + asked.RawQuery
	}
	return u.String()
}

// isUpgrade reports whether r asks for a WebSocket; Accept checks the rest.
func isUpgrade(r *http.Request) bool {
	has := func(name, want string) bool {
		for _, t := range tokens(r.Header, name) {
			if strings.EqualFold(t, want) {
				return true
			}
		}
		return false
	}
	return r.Method == http.MethodGet && has("Connection", "upgrade") && has("Upgrade", "websocket")
}

// tokens lists the comma-separated values of a header, which may be spread over several lines.
func tokens(h http.Header, name string) []string {
	var out []string
	for _, line := range h.Values(name) {
		for t := range strings.SplitSeq(line, ",") {
			if t = textproto.TrimString(t); t != "" {
				out = append(out, t)
			}
		}
	}
	return out
}

// copyEndToEnd adds the fields of src that are meant for the far end: all but those of this one connection
// (RFC 9110 section 7.6.1) and of its WebSocket handshake, which each side makes anew.
func copyEndToEnd(dst, src http.Header) {
	own := map[string]bool{
		"Connection": true, "Keep-Alive": true, "Proxy-Connection": true, "Proxy-Authenticate": true, "Proxy-Authorization": true,
		"Te": true, "Trailer": true, "Transfer-Encoding": true, "Upgrade": true,
	}
	for _, t := range tokens(src, "Connection") {
		own[textproto.CanonicalMIMEHeaderKey(t)] = true
	}
	for name, values := range src {
		if !own[name] && !strings.HasPrefix(name, "Sec-Websocket-") {
			dst[name] = append(dst[name], values...)
		}
	}
}

// An upgradeTransport fills in the upgraded that stands in a request's context.
type upgradeTransport struct{ *http.Transport }

// An upgraded is what lies under the WebSocket of a request that became one.
type upgraded struct {
	wire *wire
	body *watchedBody
}

type upgradedKey struct{}

func (t upgradeTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	made, _ := r.Context().Value(upgradedKey{}).(*upgraded)
	ctx := httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			c := info.Conn
			if secure, ok := c.(*tls.Conn); ok {
				c = secure.NetConn()
			}
			made.wire, _ = c.(*wire)
		},
	})
	resp, err := t.Transport.RoundTrip(r.WithContext(ctx))
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		return resp, err
	}
	stream, ok := resp.Body.(io.ReadWriteCloser)
	if !ok {
		return resp, nil // the WebSocket library says so
	}
	made.body = &watchedBody{ReadWriteCloser: stream, pongs: newPongs(true, stream.Write)}
	resp.Body = made.body
	return resp, nil
}
