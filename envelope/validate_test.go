package envelope_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/arcp-go/arcp/envelope"
)

const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

func TestValidateRecordings(t *testing.T) {
	for _, message := range recordings(t) {
		if err := decode(t, message).Validate(); err != nil {
			t.Errorf("%v\nin %s", err, message)
		}
	}
}

func TestValidate(t *testing.T) {
	// Each message is {"arcp":"1.1","id":"i","type":"job.submit","session_id":"s","payload":{}} but for the changes.
	with := func(changes ...string) string {
		names := []string{"arcp", "id", "type", "session_id", "payload"}
		values := map[string]string{"arcp": `"1.1"`, "id": `"i"`, "type": `"job.submit"`, "session_id": `"s"`, "payload": `{}`}
		for _, change := range changes {
			name, value, _ := strings.Cut(change, "=")
			if _, ok := values[name]; !ok {
				names = append(names, name)
			}
			values[name] = value
		}
		var b strings.Builder
		for _, name := range names {
			if values[name] != "" {
				fmt.Fprintf(&b, `,%q:%s`, name, values[name])
			}
		}
		return "{" + strings.TrimPrefix(b.String(), ",") + "}"
	}
	event := func(changes ...string) string {
		return with(append([]string{`type="job.event"`, `job_id="j"`, `event_seq=0`}, changes...)...)
	}
	rows := []struct {
		rule, input string
		want        []string // field and part of the reason of each problem
	}{
		{"nothing wrong", with(), nil},
		{"arcp absent", with("arcp="), []string{"arcp: missing"}},
		{"arcp null", with("arcp=null"), []string{"arcp: missing"}},
		{"another version", with(`arcp="1.2"`), []string{"arcp: 1.1"}},
		{"id absent", with("id="), []string{"id: missing"}},
		{"id empty", with(`id=""`), []string{"id: missing"}},
		{"type absent", with("type="), []string{"type: missing"}},
		{"session_id absent", with("session_id="), []string{"session_id: missing"}},
		{"session_id absent on session.hello", with("session_id=", `type="session.hello"`), nil},
		{"session_id absent on session.welcome", with("session_id=", `type="session.welcome"`), nil},
		{"session_id absent on session.resume", with("session_id=", `type="session.resume"`), nil},
		{"session_id absent on session.error", with("session_id=", `type="session.error"`), nil},
		{"session_id absent on session.close", with("session_id=", `type="session.close"`), []string{"session_id: missing"}},
		{"session_id absent on an unknown type", with("session_id=", `type="x"`), []string{"session_id: missing"}},
		{"session_id on session.hello", with(`type="session.hello"`), nil},
		{"job.event", event(), nil},
		{"job_id absent on job.event", event("job_id="), []string{"job_id: missing"}},
		{"event_seq absent on job.event", event("event_seq="), []string{"event_seq: missing"}},
		{"event_seq null on job.event", event("event_seq=null"), []string{"event_seq: missing"}},
		{"event_seq absent on job.result", with(`type="job.result"`), []string{"event_seq: missing"}},
		{"event_seq absent on job.error", with(`type="job.error"`), []string{"event_seq: missing"}},
		{"job_id absent on job.result", with(`type="job.result"`, "event_seq=1"), nil},
		{"a trace id", with(`trace_id="4bf92f3577b34da6a3ce929d0e0e4736"`), nil},
		{"a trace id of zeros", with(`trace_id="00000000000000000000000000000000"`), []string{"trace_id: 32"}},
		{"a trace id in capitals", with(`trace_id="4BF92F3577B34DA6A3CE929D0E0E4736"`), []string{"trace_id: 32"}},
		{"a short trace id", with(`trace_id="4bf92f3577b34da6a3ce929d0e0e473"`), []string{"trace_id: 32"}},
		{"a trace id with dashes", with(`trace_id="4bf92f35-77b3-4da6-a3ce-929d0e0e4736"`), []string{"trace_id: 32"}},
		{"a whole traceparent", with(`trace_id="` + parent + `"`), nil},
		{"a malformed traceparent", with(`trace_id="` + parent[:54] + `"`), []string{"trace_id: 32"}},
		{"a traceparent of zeros", with(`trace_id="00-00000000000000000000000000000000-00f067aa0ba902b7-01"`), []string{"trace_id: 32"}},
		{"payload absent", with("payload="), []string{"payload: missing"}},
		{"payload null", with("payload=null"), []string{"payload: got null"}},
		{"payload an array", with("payload=[]"), []string{"payload: got an array"}},
		{"payload a string", with(`payload="secret"`), []string{"payload: got a string"}},
		{"payload a number", with(`payload=-1`), []string{"payload: got a number"}},
		{"payload a boolean", with(`payload=true`), []string{"payload: got a boolean"}},
		{"a look-alike", with("TYPE=1"), []string{"TYPE: equals it"}},
		{"a look-alike by folding", with("ſession_id=1"), []string{"ſession_id: equals it"}},
		{"a vendor name", with("x-vendor.acme.k=1"), nil},
		{"a vendor name without a key", with("x-vendor.experimental=1"), []string{"x-vendor.experimental: key"}},
		{"a vendor name without a company", with("x-vendor.=1"), []string{"x-vendor.: company"}},
		{"a vendor name in capitals", with("x-vendor.Acme.k=1"), []string{"x-vendor.Acme.k: company"}},
		{"another prefix", with("X-Vendor.Acme=1", "x-vendor=1", "x-vendors.=2"), nil},
		{"a reserved vendor name", with("x-vendor.arcp.k=1"), nil},
		{"a malformed reserved vendor name", with("x-vendor.arcp.=1"), []string{"x-vendor.arcp.: key"}},
		{"unknown fields", with("timestamp=1", "extensions=1", "=2"), nil},
		{"a vendor name in both places", with("x-vendor.acme.k=1", `extensions={"x-vendor.acme.k":1}`), []string{"x-vendor.acme.k: inside extensions"}},
		{"a vendor name in both places, escaped", with("x-vendor.acme.k=1", `extensions={"a":1,"x-vendor.acme.\u006b":1}`), []string{"x-vendor.acme.k: inside extensions"}},
		{"a vendor name in both places, beside a name that is there twice", with("x-vendor.acme.k=1", `extensions={"a":1,"a":1,"x-vendor.acme.k":1}`), []string{"x-vendor.acme.k: inside extensions"}},
		{"a vendor name in both places, beside a name that is no text", with("x-vendor.acme.k=1", `extensions={"\ud83d":1,"x-vendor.acme.k":1}`), []string{"x-vendor.acme.k: inside extensions"}},
		{"a vendor name in both places, twice in one", with("x-vendor.acme.k=1", `extensions={"x-vendor.acme.k":1,"x-vendor.acme.k":1}`), []string{"x-vendor.acme.k: inside extensions"}},
		{"a reserved name in both places", with("x-vendor.arcp.k=1", `extensions={"x-vendor.arcp.k":1}`), []string{"x-vendor.arcp.k: inside extensions"}},
		{"another name in both places", with("optional=1", `extensions={"optional":true}`), nil},
		{"a vendor name deeper inside", with("x-vendor.acme.k=1", `extensions={"a":{"x-vendor.acme.k":1}}`), nil},
		{"extensions that are no object", with("x-vendor.acme.k=1", `extensions=["x-vendor.acme.k"]`), nil},
		{"every problem, in the order of the fields", `{"payload":[],"x-vendor.":0,"Id":1}`,
			[]string{"arcp: missing", "id: missing", "type: missing", "session_id: missing", "payload: got an array", "Id: equals", "x-vendor.: company"}},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			e := decode(t, row.input)
			checkProblems(t, e, row.want)
			for _, problem := range problems(t, e.Validate()) {
				if want := place(row.input, problem.Field); problem.Offset != want {
					t.Errorf("%s has offset %d, want %d", problem.Field, problem.Offset, want)
				}
			}
			if encode(t, e) != row.input {
				t.Error("Validate has changed the Envelope")
			}
			built := &envelope.Envelope{ARCP: e.ARCP, ID: e.ID, Type: e.Type, SessionID: e.SessionID, TraceID: e.TraceID, JobID: e.JobID,
				EventSeq: e.EventSeq, Payload: e.Payload, Extensions: e.Extensions}
			checkProblems(t, built, row.want)
			for _, problem := range problems(t, built.Validate()) {
				if problem.Offset != -1 {
					t.Errorf("built in memory, %s has offset %d", problem.Field, problem.Offset)
				}
			}
		})
	}
}

// place is where a field's name stands in a message, or -1.
func place(input, field string) int { return strings.Index(input, fmt.Sprintf(`%q:`, field)) }

// problems takes the result of Validate apart.
func problems(t testing.TB, err error) []*envelope.Error {
	t.Helper()
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		t.Fatalf("%T has no Unwrap() []error", err)
	}
	var list []*envelope.Error
	for _, err := range joined.Unwrap() {
		f, ok := err.(*envelope.Error)
		if !ok {
			t.Fatalf("a problem is a %T", err)
		}
		list = append(list, f)
	}
	return list
}

func checkProblems(t testing.TB, e *envelope.Envelope, want []string) {
	t.Helper()
	err := e.Validate()
	got := problems(t, err)
	if len(got) != len(want) {
		t.Fatalf("got %v\nwant %q", err, want)
	}
	for i, problem := range got {
		field, reason, _ := strings.Cut(want[i], ": ")
		if problem.Field != field || !strings.Contains(problem.Reason, reason) {
			t.Errorf("problem %d is %v, want %s", i, problem, want[i])
		}
		if !errors.Is(problem, envelope.ErrInvalid) || problem.Code() != "INVALID_REQUEST" {
			t.Errorf("%v is not ErrInvalid", problem)
		}
		if lookalike := strings.Contains(reason, "equals"); errors.Is(problem, envelope.ErrLookalike) != lookalike {
			t.Errorf("%v and ErrLookalike", problem)
		}
		if strings.Contains(err.Error(), "secret") {
			t.Errorf("a value is quoted: %v", err)
		}
	}
}

func TestValidateWhatCannotBeEncoded(t *testing.T) {
	e := *decode(t, `{"arcp":"1.1","id":"i","type":"t","session_id":"s","payload":{}}`)
	e.Payload = raw(`{"secret"`)
	checkProblems(t, &e, []string{"payload: unexpected end"})
	e.Payload = json.RawMessage{}
	checkProblems(t, &e, []string{"payload: empty"})
	e.Payload = raw(" {} ")
	set("type", `1`)(&e)
	checkProblems(t, &e, []string{"type: core field"})
}
