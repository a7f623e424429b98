package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/arcp-go/arcp/envelope"
)

// A refused message reaches nobody; its sender is told why, then both sides see status 1008.
func TestRefusals(t *testing.T) {
	noGoroutineLeft(t)
	const secret = "hunter2"
	for _, row := range []struct {
		rule, message string
		flags         []string
		reason        string // of the metric
		id            string // in the answer; "" for none
		text          string // in the answer
	}{
		{rule: "not JSON", message: `hello`, reason: reasonSyntax, text: "byte 0"},
		{rule: "empty", message: ``, reason: reasonSyntax, text: "byte 0"},
		{rule: "not an object", message: `[]`, reason: reasonSyntax, text: "byte 0"},
		{rule: "two messages at once", message: `{"id":"m1"}{"id":"m2"}`, reason: reasonSyntax, id: "m1", text: "byte 11"},
		{rule: "cut off", message: `{"id":"m1","payload":{"key":"hunter2"`, reason: reasonSyntax, id: "m1", text: "byte"},
		{rule: "same field twice", message: `{"id":"m1","type":"job.submit","ty\u0070e":"job.cancel"}`, reason: reasonDuplicate, id: "m1", text: "type"},
		{rule: "same id twice", message: `{"id":"m1","id":"m2"}`, reason: reasonDuplicate, id: "m1", text: "id"},
		{rule: "type that is no string", message: `{"id":"m1","type":7}`, reason: reasonType, id: "m1", text: "type"},
		{rule: "id that is no string", message: `{"id":7,"type":"job.submit"}`, reason: reasonType, text: "id"},
		{rule: "negative event_seq", message: `{"event_seq":-1}`, reason: reasonType, text: "event_seq"},
		{rule: "too deep", message: `{"id":"m1","payload":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}`, reason: reasonTooDeep, id: "m1", text: "deep"},
		{rule: "too many fields", message: manyFields(1025), reason: reasonTooMany, text: "fields"},
		{rule: "look-alike of a core field", message: `{"id":"m1","TYPE":"job.submit"}`, reason: reasonLookalike, id: "m1", text: "TYPE"},
		{rule: "look-alike by Unicode case folding", message: `{"id":"m1","ſession_id":"s"}`, reason: reasonLookalike, id: "m1", text: "session_id"},
		{rule: "look-alike before the id", message: `{"Payload":"hunter2","id":"m1"}`, reason: reasonLookalike, id: "m1", text: "Payload"},
		{
			rule: "required extension not there", message: `{"id":"m1","type":"job.submit","payload":{"key":"hunter2"}}`,
			flags:  []string{"-require", "x-vendor.acme.tenant", "-require-on", "job.submit"},
			reason: reasonMissing, id: "m1", text: "x-vendor.acme.tenant",
		},
		{
			rule: "required extension null", message: `{"id":"m1","type":"job.submit","x-vendor.acme.tenant":null}`,
			flags:  []string{"-require", "x-vendor.acme.tenant"},
			reason: reasonMissing, id: "m1", text: "x-vendor.acme.tenant",
		},
		{
			rule: "one of two required extensions", message: `{"id":"m1","type":"job.cancel","x-vendor.acme.tenant":1}`,
			flags:  []string{"-require", "x-vendor.acme.tenant", "-require", "x-vendor.acme.zone", "-require-on", "job.submit", "-require-on", "job.cancel"},
			reason: reasonMissing, id: "m1", text: "x-vendor.acme.zone",
		},
		{rule: "id too long to repeat", message: `{"id":"` + strings.Repeat("m", 2000) + `","type":7}`, reason: reasonType, text: "type"},
	} {
		for _, sender := range []string{"client", "target"} {
			t.Run(row.rule+", from the "+sender, func(t *testing.T) {
				conns := make(chan *websocket.Conn, 1)
				release := make(chan struct{})
				defer close(release)
				target := startTarget(t, nil, func(c *websocket.Conn) {
					conns <- c
					<-release
				})
				p := startProxy(t, target.url(""), append([]string{"-v"}, row.flags...)...)
				from, to := dial(t, p.url("/"), nil), <-conns
				direction := toTarget
				if sender == "target" {
					from, to, direction = to, from, toClient
				}
				send(t, from, row.message)
				answer := receive(t, from)
				wantAnswer(t, answer, row.id, row.text)
				wantClose(t, from, websocket.StatusPolicyViolation)
				if _, data, err := to.Read(withPatience(t)); websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
					t.Errorf("the other side got %q (%v), want the close frame 1008 and nothing before it", data, err)
				}
				log := p.log.wait(t, "ended_by="+sender, "cause=refused", "code=1008")
				if strings.Contains(answer+log, secret) {
					t.Errorf("a value of the message shows:\n%s\n%s", answer, log)
				}
				if got := testutil.ToFloat64(p.metrics.refused.WithLabelValues(direction, row.reason)); got != 1 {
					t.Errorf("refused{%s,%s} = %v, want 1", direction, row.reason, got)
				}
			})
		}
	}
}

func manyFields(n int) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		fmt.Fprintf(&b, `"f%d":0,`, i)
	}
	return strings.TrimSuffix(b.String(), ",") + "}"
}

func wantAnswer(t *testing.T, answer, id, text string) {
	t.Helper()
	env, err := envelope.Decode([]byte(answer))
	if err != nil {
		t.Fatalf("answer %q: %v", answer, err)
	}
	if err := env.Validate(); err != nil {
		t.Errorf("answer %s: %v", answer, err)
	}
	var payload struct {
		Code, Message string
		Retryable     *bool
		Details       struct{ ID string }
	}
	if err := json.Unmarshal(env.Payload, &payload); err != nil {
		t.Fatal(err)
	}
	if env.Type != "session.error" || payload.Code != "INVALID_REQUEST" || payload.Retryable == nil || *payload.Retryable {
		t.Errorf("answer %s", answer)
	}
	if payload.Details.ID != id {
		t.Errorf("the answer names the id %.40q, want %q", payload.Details.ID, id)
	}
	if !strings.Contains(payload.Message, text) {
		t.Errorf("the reason %q does not hold %q", payload.Message, text)
	}
}

// The answer belongs to the session of the refused message.
func TestAnswerNamesSession(t *testing.T) {
	noGoroutineLeft(t)
	target := startTarget(t, nil, echo)
	p := startProxy(t, target.url(""))
	c := dial(t, p.url("/"), nil)
	send(t, c, `{"id":"m1","session_id":"sess_1","type":7}`)
	env, err := envelope.Decode([]byte(receive(t, c)))
	if err != nil || env.SessionID != "sess_1" {
		t.Errorf("session_id %q (%v)", env.SessionID, err)
	}
}

// What the flags allow passes unchanged.
func TestPolicyPasses(t *testing.T) {
	noGoroutineLeft(t)
	for _, row := range []struct {
		rule, message string
		flags         []string
	}{
		{"look-alikes when allowed", `{"TYPE":"job.submit","type":"job.cancel"}`, []string{"-reject-lookalikes=false"}},
		{"required extension at top level", `{"type":"job.submit","x-vendor.acme.tenant":"t"}`, []string{"-require", "x-vendor.acme.tenant"}},
		{"required extension in extensions", `{"type":"job.submit","extensions":{"x-vendor.acme.tenant":false}}`, []string{"-require", "x-vendor.acme.tenant"}},
		{"other types need no extension", `{"type":"job.cancel"}`, []string{"-require", "x-vendor.acme.tenant"}},
		{"extension of a later protocol", `{"type":"job.submit","x-vendor.arcp.next":1}`, []string{"-require", "x-vendor.arcp.next"}},
		{"exactly -max-bytes", `{"id":"123456789"}`, []string{"-max-bytes", "18"}},
	} {
		t.Run(row.rule, func(t *testing.T) {
			target := startTarget(t, nil, echo)
			p := startProxy(t, target.url(""), row.flags...)
			c := dial(t, p.url("/"), nil)
			send(t, c, row.message)
			if got := receive(t, c); got != row.message {
				t.Errorf("got %q, want %q", got, row.message)
			}
		})
	}
}

func TestStamp(t *testing.T) {
	noGoroutineLeft(t)
	const zone = "x-vendor.acme.zone"
	for _, row := range []struct {
		rule, message, want string
		stamps              []string
	}{
		{"added before the closing brace", `{"id":"m1"}`, `{"id":"m1","x-vendor.acme.zone":"eu"}`, []string{zone + `="eu"`}},
		{"existing value replaced in its place", `{"x-vendor.acme.zone":"forged","id":"m1"}`, `{"x-vendor.acme.zone":"eu","id":"m1"}`, []string{zone + `="eu"`}},
		{"several in their order", `{}`, `{"x-vendor.acme.zone":[1, 2],"x-vendor.acme.b":null,"x-vendor.acme.c":{}}`,
			[]string{zone + `= [1, 2] `, "x-vendor.acme.b=null", "x-vendor.acme.c={}"}},
		{"value with =", `{}`, `{"x-vendor.acme.zone":"a=b"}`, []string{zone + `="a=b"`}},
		{"forged value inside extensions goes", `{"extensions":{"x-vendor.acme.zone":"forged","optional":true}}`,
			`{"extensions":{"optional":true},"x-vendor.acme.zone":"eu"}`, []string{zone + `="eu"`}},
		{"forged value inside escaped extensions goes", `{"\u0065xtensions":{"x-vendor.acme.z\u006fne":"forged"}}`,
			`{"\u0065xtensions":{},"x-vendor.acme.zone":"eu"}`, []string{zone + `="eu"`}},
		{"extensions without the name stays", `{"extensions": {"x-vendor.acme.other" : 1.0}}`,
			`{"extensions": {"x-vendor.acme.other" : 1.0},"x-vendor.acme.zone":"eu"}`, []string{zone + `="eu"`}},
	} {
		t.Run(row.rule, func(t *testing.T) {
			atTarget := make(chan string, 1)
			target := startTarget(t, nil, func(c *websocket.Conn) {
				_, data, _ := c.Read(noContext)
				atTarget <- string(data)
				_ = c.Write(noContext, websocket.MessageText, []byte(row.message))
				_, _ = receiveClose(noContext, c)
			})
			var flags []string
			for _, s := range row.stamps {
				flags = append(flags, "-stamp", s)
			}
			p := startProxy(t, target.url(""), flags...)
			c := dial(t, p.url("/"), nil)
			send(t, c, row.message)
			if got := <-atTarget; got != row.want {
				t.Errorf("the target got %s, want %s", got, row.want)
			}
			if got := receive(t, c); got != row.want {
				t.Errorf("the client got %s, want %s", got, row.want)
			}
		})
	}
}

func TestBinaryAndTooLarge(t *testing.T) {
	noGoroutineLeft(t)
	for _, row := range []struct {
		rule   string
		typ    websocket.MessageType
		data   string
		code   websocket.StatusCode
		reason string
	}{
		{"binary", websocket.MessageBinary, `{"id":"m1"}`, websocket.StatusUnsupportedData, reasonBinary},
		{"a byte over -max-bytes", websocket.MessageText, strings.Repeat(" ", 1001), websocket.StatusMessageTooBig, reasonTooLarge},
		{"far over -max-bytes", websocket.MessageText, strings.Repeat(" ", 8<<20), websocket.StatusMessageTooBig, reasonTooLarge},
	} {
		t.Run(row.rule, func(t *testing.T) {
			seen := make(chan error, 1)
			target := startTarget(t, nil, func(c *websocket.Conn) {
				_, _, err := c.Read(noContext)
				seen <- err
			})
			p := startProxy(t, target.url(""), "-max-bytes", "1000")
			c := dial(t, p.url("/"), nil)
			written := make(chan struct{})
			go func() {
				defer close(written)
				_ = c.Write(noContext, row.typ, []byte(row.data)) // the proxy may cut it short
			}()
			if _, data, err := c.Read(withPatience(t)); websocket.CloseStatus(err) != row.code {
				t.Errorf("the sender got %q (%v), want status %d", data, err, row.code)
			}
			if err := <-seen; websocket.CloseStatus(err) != row.code {
				t.Errorf("the other side got %v, want status %d", err, row.code)
			}
			<-written
			if got := testutil.ToFloat64(p.metrics.refused.WithLabelValues(toTarget, row.reason)); got != 1 {
				t.Errorf("refused = %v, want 1", got)
			}
		})
	}
}
