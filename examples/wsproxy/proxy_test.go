package main

import (
	"crypto/sha1"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

// acceptKey is the server's answer to a handshake key (RFC 6455 section 4.2.2).
func acceptKey(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// Every recorded message passes through byte for byte, whichever side sends it, and both directions at once.
func TestRecordings(t *testing.T) {
	noGoroutineLeft(t)
	for name, lines := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			got := make(chan []string, 1)
			exchange := func(c *websocket.Conn) ([]string, error) {
				var sendErr error
				sent := make(chan struct{})
				go func() {
					defer close(sent)
					for _, line := range lines {
						if sendErr = c.Write(t.Context(), websocket.MessageText, []byte(line)); sendErr != nil {
							return
						}
					}
				}()
				var read []string
				for range lines {
					_, data, err := c.Read(t.Context())
					if err != nil {
						return read, err
					}
					read = append(read, string(data))
				}
				<-sent
				return read, sendErr
			}
			target := startTarget(t, nil, func(c *websocket.Conn) {
				read, err := exchange(c)
				if err != nil {
					t.Errorf("target: %v", err)
				}
				got <- read
				_, _ = receiveClose(t.Context(), c)
			})
			p := startProxy(t, target.url("/arcp"))
			c := dial(t, p.url("/arcp"), nil)
			read, err := exchange(c)
			if err != nil {
				t.Fatalf("client: %v", err)
			}
			atTarget := <-got
			for i, line := range lines {
				if read[i] != line {
					t.Errorf("line %d reached the client as %q, want %q", i+1, read[i], line)
				}
				if atTarget[i] != line {
					t.Errorf("line %d reached the target as %q, want %q", i+1, atTarget[i], line)
				}
			}
			if err := c.Close(websocket.StatusNormalClosure, ""); err != nil {
				t.Errorf("close: %v", err)
			}
		})
	}
}

// White space, fragments and escapes are the sender's affair.
func TestForwardsOddFormsUnchanged(t *testing.T) {
	noGoroutineLeft(t)
	for name, message := range map[string]string{
		"white space around":     " \r\n\t" + `{"type":"job.submit"}` + "\n \n",
		"white space inside":     "{ \"type\" :\n\"job.submit\" , \"b\" : [ 1 , 2 ] }",
		"escaped core name":      `{"ty\u0070e":"job.submit","id":"\u006d_1"}`,
		"lone surrogate":         `{"payload":"\ud83d","x-vendor.acme.cut":"\ud83d"}`,
		"numbers":                `{"event_seq":18446744073709551615,"payload":{"n":1e400,"m":1.0,"k":12345678901234567890}}`,
		"empty object":           `{}`,
		"unknown type and names": `{"type":"x-vendor.acme.anything","":1,"extensions":{"optional":true}}`,
		"long":                   `{"payload":"` + strings.Repeat("long ", 1<<18) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			target := startTarget(t, nil, echo)
			p := startProxy(t, target.url(""))
			c := dial(t, p.url("/"), nil)
			send(t, c, message)
			if got := receive(t, c); got != message {
				t.Errorf("got %.200q, want %.200q", got, message)
			}
		})
	}
	t.Run("fragments with a ping between", func(t *testing.T) {
		target := startTarget(t, nil, echo)
		p := startProxy(t, target.url(""))
		c := dialRaw(t, p.addr)
		c.write(c.frame(opText, `{"type":`))
		c.write(c.frame(opPing|fin, "are you there"))
		c.write(c.frame(opContinue, ``))
		c.write(c.frame(opContinue|fin, `"job.submit"}`))
		if first, payload, err := c.readFrame(); first != 0x8a || payload != "are you there" {
			t.Errorf("frame %#x %q (%v), want the pong", first, payload, err)
		}
		if _, payload, err := c.readFrame(); payload != `{"type":"job.submit"}` {
			t.Errorf("got %q (%v)", payload, err)
		}
	})
}

// echo sends every message back until the connection closes.
func echo(c *websocket.Conn) {
	for {
		typ, data, err := c.Read(noContext)
		if err != nil {
			return
		}
		if c.Write(noContext, typ, data) != nil {
			return
		}
	}
}

func TestHandshakePassesThrough(t *testing.T) {
	noGoroutineLeft(t)
	target := startTarget(t, &websocket.AcceptOptions{
		Subprotocols:       []string{"arcp.v1", "arcp.v1.1"},
		InsecureSkipVerify: true, // it is the origin header that the test looks at
	}, echo)
	p := startProxy(t, target.url("/arcp?zone=eu"))
	header := http.Header{
		"Authorization": {"Bearer secret-token"},
		"Origin":        {"https://app.example"},
		"Cookie":        {"session=1"},
		"X-Request-Id":  {"req-7", "req-8"},
		"Keep-Alive":    {"timeout=5"},
	}
	c, resp, err := websocket.Dial(withPatience(t), p.url("/some%2Fpath/x?a=1&b=%20"), withoutPool(t, &websocket.DialOptions{
		HTTPHeader:   header,
		Subprotocols: []string{"other", "arcp.v1.1"},
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseNow()
	if got := c.Subprotocol(); got != "arcp.v1.1" {
		t.Errorf("subprotocol %q, want the one the target chose", got)
	}
	if got := resp.Header.Get("Sec-WebSocket-Protocol"); got != "arcp.v1.1" {
		t.Errorf("subprotocol in the answer: %q", got)
	}
	r := <-target.requests
	if got, want := r.RequestURI, "/some%2Fpath/x?zone=eu&a=1&b=%20"; got != want {
		t.Errorf("the target was asked for %q, want %q", got, want)
	}
	if got, want := r.Host, target.addr; got != want {
		t.Errorf("host %q, want %q", got, want)
	}
	for name, want := range header {
		if name == "Keep-Alive" {
			want = nil
		}
		if got := r.Header[name]; strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("header %s: %q, want %q", name, got, want)
		}
	}
	if got := r.Header.Get("Sec-WebSocket-Extensions"); got != "" {
		t.Errorf("the proxy offers %q; it reads messages, so it negotiates no compression", got)
	}
	if err := c.Close(websocket.StatusNormalClosure, ""); err != nil {
		t.Error(err)
	}
	log := p.log.wait(t, "msg=connection")
	for _, secret := range []string{"secret-token", "b=%20", "zone=eu"} {
		if strings.Contains(log, secret) {
			t.Errorf("the log shows %q:\n%s", secret, log)
		}
	}
}

func TestTargetURL(t *testing.T) {
	for _, row := range []struct{ rule, target, asked, want string }{
		{"the client's path", "ws://h:1", "/a/b", "ws://h:1/a/b"},
		{"the target's path when the client asks for none", "ws://h:1/arcp", "/", "ws://h:1/arcp"},
		{"the client's path over the target's", "ws://h:1/arcp", "/other", "ws://h:1/other"},
		{"the same path once", "ws://h:1/arcp", "/arcp", "ws://h:1/arcp"},
		{"the client's query", "ws://h:1/arcp", "/?q=1", "ws://h:1/arcp?q=1"},
		{"the target's query first", "wss://h/arcp?k=v", "/x?q=1", "wss://h/x?k=v&q=1"},
		{"escapes as they are", "ws://h", "/a%2Fb%20c", "ws://h/a%2Fb%20c"},
	} {
		target, err := url.Parse(row.target)
		if err != nil {
			t.Fatal(err)
		}
		asked, err := url.ParseRequestURI(row.asked)
		if err != nil {
			t.Fatal(err)
		}
		if got := targetURL(target, asked); got != row.want {
			t.Errorf("%s: %s, want %s", row.rule, got, row.want)
		}
	}
}

// A target's refusal reaches the client as it is, but is not followed elsewhere.
func TestTargetRefuses(t *testing.T) {
	noGoroutineLeft(t)
	for _, row := range []struct {
		status       int
		header, text string
	}{
		{http.StatusUnauthorized, "Www-Authenticate", "Bearer"},
		{http.StatusNotFound, "X-Reason", "no such agent"},
		{http.StatusFound, "Location", "http://127.0.0.1:1/elsewhere"},
		{http.StatusOK, "X-Reason", "not a WebSocket at all"},
	} {
		t.Run(fmt.Sprint(row.status), func(t *testing.T) {
			addr := startServer(t, func(rw http.ResponseWriter, r *http.Request) {
				rw.Header().Set(row.header, row.text)
				rw.WriteHeader(row.status)
				fmt.Fprintln(rw, "the target says no")
			})
			p := startProxy(t, "ws://"+addr)
			resp := get(t, p.addr)
			if resp.StatusCode != row.status || resp.Header.Get(row.header) != row.text {
				t.Errorf("got %s, %s: %q", resp.Status, row.header, resp.Header.Get(row.header))
			}
			if body, _ := io.ReadAll(resp.Body); string(body) != "the target says no\n" {
				t.Errorf("body %q", body)
			}
			p.log.wait(t, `cause="target refused"`, fmt.Sprintf("status=%d", row.status))
		})
	}
}

// get asks for a WebSocket and returns the HTTP answer.
func get(t *testing.T, addr string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(withPatience(t), http.MethodGet, "http://"+addr+"/arcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Connection": "keep-alive, Upgrade", "Upgrade": "websocket",
		"Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
	} {
		r.Header.Set(name, value)
	}
	tr := &http.Transport{DisableKeepAlives: true}
	resp, err := tr.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

func TestPlainRequestIsRefused(t *testing.T) {
	noGoroutineLeft(t)
	p := startProxy(t, "ws://127.0.0.1:1")
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(must(http.NewRequest(http.MethodGet, "http://"+p.addr+"/", nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusUpgradeRequired {
		t.Errorf("status %d, want 426", resp.StatusCode)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Close frames pass through both ways, with code and reason, and without a code where there was none.
func TestClosePassesThrough(t *testing.T) {
	noGoroutineLeft(t)
	for _, row := range []struct {
		code   websocket.StatusCode
		reason string
	}{
		{websocket.StatusNormalClosure, ""},
		{websocket.StatusNormalClosure, "done"},
		{websocket.StatusGoingAway, "restart"},
		{websocket.StatusInvalidFramePayloadData, "bad"},
		{websocket.StatusInternalError, strings.Repeat("r", 123)},
		{websocket.StatusTryAgainLater, "busy"},
		{3000, "library"},
		{4999, "näher ☃"},
		{websocket.StatusNoStatusRcvd, ""},
	} {
		for _, closer := range []string{"client", "target"} {
			t.Run(fmt.Sprintf("%d from the %s", row.code, closer), func(t *testing.T) {
				seen := make(chan websocket.CloseError, 1)
				target := startTarget(t, nil, func(c *websocket.Conn) {
					if closer == "target" {
						if err := c.Close(row.code, row.reason); err != nil {
							t.Errorf("close: %v", err)
						}
						return
					}
					frame, err := receiveClose(noContext, c)
					if err != nil {
						t.Errorf("target: %v", err)
					}
					seen <- frame
				})
				p := startProxy(t, target.url(""))
				c := dial(t, p.url("/"), nil)
				var got websocket.CloseError
				if closer == "client" {
					if err := c.Close(row.code, row.reason); err != nil {
						t.Errorf("close: %v", err)
					}
					got = <-seen
				} else {
					got = wantClose(t, c, row.code)
				}
				if got.Code != row.code || got.Reason != row.reason {
					t.Errorf("closed with %d %q, want %d %q", got.Code, got.Reason, row.code, row.reason)
				}
				p.log.wait(t, "ended_by="+closer, "cause=closed", fmt.Sprintf("code=%d", row.code))
			})
		}
	}
}

// What may not stand in a close frame is never sent: a reason is UTF-8 and 123 bytes at most.
func TestCloseReason(t *testing.T) {
	for _, row := range []struct{ rule, in, want string }{
		{"short", "why", "why"},
		{"exactly the limit", strings.Repeat("a", 123), strings.Repeat("a", 123)},
		{"cut to the limit", strings.Repeat("a", 124), strings.Repeat("a", 123)},
		{"cut between characters", strings.Repeat("a", 122) + "é", strings.Repeat("a", 122)},
		{"not UTF-8", "a\xffb", "a\uFFFDb"},
	} {
		if got := closeReason(row.in); got != row.want {
			t.Errorf("%s: %q, want %q", row.rule, got, row.want)
		}
	}
}

// Pings of both sides are answered by the proxy, also while messages pass.
func TestPingsAreAnswered(t *testing.T) {
	noGoroutineLeft(t)
	pinged := make(chan error, 1)
	target := startTarget(t, nil, func(c *websocket.Conn) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			pinged <- c.Ping(noContext)
		}()
		echo(c)
		<-done
	})
	p := startProxy(t, target.url(""))
	c := dial(t, p.url("/"), nil)
	ctx := c.CloseRead(withPatience(t))
	if err := c.Ping(ctx); err != nil {
		t.Errorf("the client's ping: %v", err)
	}
	if err := <-pinged; err != nil {
		t.Errorf("the target's ping: %v", err)
	}
}

// A target behind TLS gets the same, and its end in the middle of a message is seen there too, where the end of the
// stream is a message of TLS.
func TestTLSTarget(t *testing.T) {
	noGoroutineLeft(t)
	cut := make(chan struct{})
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/echo" {
			c, err := websocket.Accept(rw, r, nil)
			if err != nil {
				t.Errorf("accept: %v", err)
				return
			}
			defer c.CloseNow()
			c.SetReadLimit(-1)
			echo(c)
			return
		}
		rw.Header().Set("Connection", "Upgrade")
		rw.Header().Set("Upgrade", "websocket")
		rw.Header().Set("Sec-WebSocket-Accept", acceptKey(r.Header.Get("Sec-WebSocket-Key")))
		rw.WriteHeader(http.StatusSwitchingProtocols)
		c, brw, err := rw.(http.Hijacker).Hijack()
		if err != nil {
			t.Errorf("hijack: %v", err)
			return
		}
		defer c.Close()
		peer := &rawPeer{Conn: c, in: brw.Reader}
		peer.write(peer.frame(opText, numbered(0))) // the first fragment looks complete
		<-cut
	}))
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	defer srv.Close()
	p := startProxy(t, "wss"+strings.TrimPrefix(srv.URL, "https"))
	roots := x509.NewCertPool()
	roots.AddCert(srv.Certificate())
	p.http.Transport.(upgradeTransport).TLSClientConfig = &tls.Config{RootCAs: roots}

	c := dial(t, p.url("/echo"), nil)
	message := `{"type":"job.submit","payload":"` + strings.Repeat("x", 1<<20) + `"}`
	for range 3 {
		send(t, c, message)
		if got := receive(t, c); got != message {
			t.Fatalf("got %.80q", got)
		}
	}
	if err := c.Close(4000, "done"); err != nil {
		t.Error(err)
	}
	p.log.wait(t, "ended_by=client", "code=4000")

	c = dial(t, p.url("/cut"), nil)
	close(cut)
	if _, data, err := c.Read(withPatience(t)); websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("got %q (%v), want the close frame 1001 and no message", data, err)
	}
	p.log.wait(t, "ended_by=target", "cause=vanished")
}

// The proxy trusts no certificate that the system does not.
func TestTLSTargetUnknown(t *testing.T) {
	noGoroutineLeft(t)
	srv := httptest.NewUnstartedServer(http.NotFoundHandler())
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	defer srv.Close()
	p := startProxy(t, "wss"+strings.TrimPrefix(srv.URL, "https"))
	if resp := get(t, p.addr); resp.StatusCode != http.StatusBadGateway {
		t.Errorf("status %d, want 502", resp.StatusCode)
	}
	p.log.wait(t, `cause="target unreachable"`, "certificate")
}
