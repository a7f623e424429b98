package main

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// A mistake in the flags is told in one line that names the flag, with exit status 2.
func TestBadFlags(t *testing.T) {
	target := []string{"-target", "ws://127.0.0.1:1"}
	for _, row := range []struct {
		rule string
		args []string
		want string
	}{
		{"no target", nil, "-target is required"},
		{"target of another kind", []string{"-target", "tcp://h:1"}, "ws:// or wss://"},
		{"target without a scheme", []string{"-target", "127.0.0.1:1"}, "-target"},
		{"target without a host", []string{"-target", "ws:///arcp"}, "names no host"},
		{"target with a fragment", []string{"-target", "ws://h/a#b"}, "no fragment"},
		{"target that is no URL, whose password is not shown", []string{"-target", "ws://u:hunter2@h:port"}, "-target"},
		{"unknown flag", append(target, "-verbose"), "-verbose"},
		{"argument left over", append(target, "extra"), `"extra"`},
		{"stamp without a value", append(target, "-stamp", "x-vendor.acme.zone"), "name=json"},
		{"stamp with text that is not JSON", append(target, "-stamp", "x-vendor.acme.zone=eu"), "not JSON"},
		{"stamp of a core field", append(target, "-stamp", `type="x"`), "prefix"},
		{"stamp of a malformed name", append(target, "-stamp", `x-vendor.Acme.zone=1`), "company"},
		{"stamp of a reserved name", append(target, "-stamp", `x-vendor.arcp.zone=1`), "reserved"},
		{"the same stamp twice", append(target, "-stamp", "x-vendor.a.b=1", "-stamp", "x-vendor.a.b=2"), "twice"},
		{"require of a malformed name", append(target, "-require", "tenant"), "-require"},
		{"require-on without require", append(target, "-require-on", "job.submit"), "-require-on"},
		{"require-on nothing", append(target, "-require", "x-vendor.a.b", "-require-on", ""), "message type"},
		{"max-bytes 0", append(target, "-max-bytes", "0"), "-max-bytes"},
		{"max-bytes over 31 bits", append(target, "-max-bytes", "2147483648"), "-max-bytes"},
		{"max-bytes that is no number", append(target, "-max-bytes", "16MB"), "-max-bytes"},
		{"grace 0", append(target, "-grace", "0"), "-grace"},
		{"grace without a unit", append(target, "-grace", "10"), "-grace"},
		{"handshake below 0", append(target, "-handshake", "-1s"), "-handshake"},
		{"stall below 0", append(target, "-stall", "-1s"), "-stall"},
		{"reject-lookalikes that is no boolean", append(target, "-reject-lookalikes=perhaps"), "-reject-lookalikes"},
	} {
		var stdout, stderr bytes.Buffer
		status := run(t.Context(), row.args, &stdout, &stderr)
		if status != 2 || !strings.Contains(stderr.String(), row.want) || stdout.Len() > 0 {
			t.Errorf("%s: status %d, output %q, errors %q; want 2 and %q", row.rule, status, &stdout, &stderr, row.want)
		}
		if strings.Contains(stderr.String(), "hunter2") {
			t.Errorf("%s: the password shows: %q", row.rule, &stderr)
		}
	}
}

// -h is no mistake: it goes to standard output with status 0 and shows every flag.
func TestHelp(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if status := run(t.Context(), []string{"-h"}, &stdout, &stderr); status != 0 || stderr.Len() > 0 {
		t.Errorf("status %d, errors %q", status, &stderr)
	}
	for _, name := range []string{
		"listen", "target", "stamp", "require", "require-on", "reject-lookalikes", "max-bytes",
		"handshake", "grace", "stall", "metrics", "trace", "v",
	} {
		if !regexp.MustCompile(`(?m)^  -` + name + `\b`).Match(stdout.Bytes()) {
			t.Errorf("the help lacks -%s:\n%s", name, &stdout)
		}
	}
	for line := range strings.Lines(stdout.String()) {
		if len(line) > 121 {
			t.Errorf("a line of the help is %d wide: %s", len(line), line)
		}
	}
}

// An address that cannot be had ends the program with status 1.
func TestCannotListen(t *testing.T) {
	noGoroutineLeft(t)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	for _, row := range []struct {
		flag string
		args []string
	}{
		{"-listen", []string{"-listen", ln.Addr().String()}},
		{"-metrics", []string{"-listen", "127.0.0.1:0", "-metrics", ln.Addr().String()}},
	} {
		var stderr bytes.Buffer
		status := run(t.Context(), append(row.args, "-target", "ws://127.0.0.1:1"), io.Discard, &stderr)
		if status != 1 || !strings.Contains(stderr.String(), row.flag) {
			t.Errorf("%s: status %d, %q", row.flag, status, &stderr)
		}
	}
}

// The real program, from its flags to the signal that ends it: the message in hand arrives, both sides see 1001, and
// the exit status is 0.
func TestSignals(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // which has no such signals
	}
	noGoroutineLeft(t)
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			atTarget := make(chan error, 1)
			target := startTarget(t, nil, func(c *websocket.Conn) {
				for {
					typ, data, err := c.Read(noContext)
					if err != nil {
						atTarget <- err
						return
					}
					_ = c.Write(noContext, typ, data)
				}
			})
			log := new(logBuffer)
			cmd := exec.CommandContext(withPatience(t), os.Args[0],
				"-listen", "127.0.0.1:0", "-target", target.url("/arcp"), "-metrics", "127.0.0.1:0", "-trace", "-v", "-grace", "2s")
			cmd.Env = append(os.Environ(), asProgram+"=1", "OTEL_EXPORTER_OTLP_ENDPOINT=", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=")
			cmd.Stderr = log
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			text := log.wait(t, "msg=listening")
			c := dial(t, regexp.MustCompile(`url=(ws://\S+)`).FindStringSubmatch(text)[1]+"/arcp", nil)
			send(t, c, `{"id":"m1","type":"job.submit","payload":{"secret":"hunter2"}}`)
			receive(t, c)
			metricsURL := regexp.MustCompile(`url=(http://\S+)`).FindStringSubmatch(text)[1]
			const counted = `arcp_wsproxy_messages_total{direction="to_client",type="job.submit"} 1`
			log.wait(t, "direction=to_client") // after which the message is counted
			if got := scrape(t, metricsURL); !strings.Contains(got, counted) {
				t.Errorf("metrics:\n%s", got)
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			wantClose(t, c, websocket.StatusGoingAway)
			if err := <-atTarget; websocket.CloseStatus(err) != websocket.StatusGoingAway {
				t.Errorf("the target saw %v, want 1001", err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("exit: %v", err)
			}
			text = log.wait(t, "msg=connection", "cause=stopping", "msg=stopped", "msg=span", "msg=forwarded")
			if strings.Contains(text, "hunter2") {
				t.Errorf("the log shows the payload:\n%s", text)
			}
		})
	}
}

// scrape reads a metrics page.
func scrape(t *testing.T, url string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(withPatience(t), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %v", resp.Status, err)
	}
	return string(body)
}

// A shutdown takes the grace time at most, whatever the peers do, and lets nobody in meanwhile.
func TestShutdownIsBounded(t *testing.T) {
	noGoroutineLeft(t)
	url, targets := startRawTarget(t)
	p := startProxy(t, url)
	client := dialRaw(t, p.addr) // neither side answers a close frame, and one stands in the middle of a message
	client.write(client.frame(opText, `{"id":`))
	target := <-targets
	half := connect(t, p.addr)
	if _, err := io.WriteString(half, "GET / HT"); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	p.stop()
	if took := time.Since(start); took > withinGrace {
		t.Errorf("the shutdown took %v", took)
	}
	wantFrame(t, client, opClose|fin, "\x03\xe9")
	wantFrame(t, target, opClose|fin, "\x03\xe9")
	if c, err := net.Dial("tcp", p.addr); err == nil {
		c.Close()
		t.Error("the proxy still listens")
	}
}
