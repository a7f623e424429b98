package envelopetest

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/arcp-go/arcp/envelope"
	"github.com/google/go-cmp/cmp"
)

// TestVerdicts checks every expectation of the index against two judges that
// share no code: a wrong one cannot survive.
func TestVerdicts(t *testing.T) {
	judges := []struct {
		name   string
		decode func([]byte) (*envelope.Envelope, error)
	}{
		{"oracle", oracle},
		{"envelope.Decode", envelope.Decode},
	}
	for _, f := range Fixtures() {
		t.Run(f.Name, func(t *testing.T) {
			for _, j := range judges {
				got, err := j.decode(f.Data())
				if (err == nil) != (f.Verdict == Carry) {
					t.Errorf("%s: error %v, the index says %s", j.name, err, f.Verdict)
				}
				if err == nil && f.Want() != nil && !got.Equal(*f.Want()) {
					t.Errorf("%s: -index +judge\n%s", j.name, cmp.Diff(fields(*f.Want()), fields(*got)))
				}
			}
		})
	}
}

// fields shows an Envelope's fields to cmp.Diff, which rightly refuses to look
// into unexported ones.
func fields(e envelope.Envelope) map[string]string {
	m := map[string]string{
		"arcp": e.ARCP, "id": e.ID, "type": e.Type, "session_id": e.SessionID, "trace_id": e.TraceID,
		"job_id": e.JobID, "payload": string(e.Payload),
	}
	if e.EventSeq != nil {
		m["event_seq"] = "present"
	}
	for name, value := range e.Extensions {
		m["extension "+name] = string(value)
	}
	return m
}

func TestIndexIsWhole(t *testing.T) {
	fixtures := Fixtures()
	if len(fixtures) < 150 {
		t.Fatalf("%d cases, want at least 150", len(fixtures))
	}
	names, files := map[string]bool{}, map[string]bool{}
	messages := map[string]string{}
	for _, f := range fixtures {
		if names[f.Name] {
			t.Errorf("%s stands twice", f.Name)
		}
		names[f.Name] = true
		if !regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`).MatchString(f.Name) {
			t.Errorf("%s is no name in lower case with hyphens", f.Name)
		}
		if f.Rule == "" || !utf8.ValidString(f.Rule) {
			t.Errorf("%s has no rule", f.Name)
		}
		if !regexp.MustCompile(`^(ARCP 1\.1 §\d+(\.\d+)*|RFC 8259 §\d(\.\d)?|package envelope: \w+)$`).MatchString(f.Section) {
			t.Errorf("%s: section %q is none we cite", f.Name, f.Section)
		}
		if f.File == "" {
			continue
		}
		files[f.File] = true
		if f.File != "messages/"+f.Name+".json" {
			t.Errorf("%s is in %s", f.Name, f.File)
		}
		data := string(f.Data())
		if twin, ok := messages[data]; ok {
			t.Errorf("%s and %s are the same message", f.Name, twin)
		}
		messages[data] = f.Name
		if len(data) > 110_000 {
			t.Errorf("%s takes %d bytes; build what is larger", f.Name, len(data))
		}
	}
	err := fs.WalkDir(testdata, "testdata/messages", func(p string, d fs.DirEntry, err error) error {
		if name := path.Join("messages", path.Base(p)); err == nil && !d.IsDir() && !files[name] {
			t.Errorf("%s is in no line of the index", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestCoverage pins that the kit has what its documentation says: every message
// type and event kind of ARCP 1.1, §6 to §8.
func TestCoverage(t *testing.T) {
	var types, kinds []string
	for _, f := range Fixtures() {
		if f.Verdict != Carry {
			continue
		}
		e := f.Want()
		types = append(types, e.Type)
		if e.Type == "job.event" {
			kinds = append(kinds, kindOfEvent(e.Payload))
		}
	}
	for _, typ := range strings.Fields(`session.hello session.welcome session.resume session.ping session.pong session.ack
		session.list_jobs session.jobs session.close session.closed session.bye session.error job.submit job.accepted
		job.event job.result job.error job.cancel job.cancelled job.subscribe job.subscribed job.unsubscribe`) {
		if !slices.Contains(types, typ) {
			t.Errorf("no case of type %s", typ)
		}
	}
	for _, kind := range strings.Fields("log thought tool_call tool_result status metric artifact_ref delegate progress result_chunk") {
		if !slices.Contains(kinds, kind) {
			t.Errorf("no case of kind %s", kind)
		}
	}
}

func kindOfEvent(payload []byte) string {
	n, err := parse(payload)
	if err != nil {
		return ""
	}
	for i, name := range n.names {
		if name == "kind" {
			return unquote(n.kids[i].raw)
		}
	}
	return ""
}

// TestTypesAreValid: the cases of the protocol's own messages are messages that
// its rules allow.
func TestTypesAreValid(t *testing.T) {
	for _, f := range Fixtures() {
		group, _, _ := strings.Cut(f.Name, "-")
		if group != "type" && group != "event" && group != "form" || f.Name == "form-both-places" {
			continue
		}
		e, err := envelope.Decode(f.Data())
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		if err := e.Validate(); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}

// TestFixturesAreIndependent: what a codec does to its message, or a test to
// the slice, reaches no later test.
func TestFixturesAreIndependent(t *testing.T) {
	a, b := Fixtures(), Fixtures()
	a[0].Name = "changed"
	if b[0].Name == "changed" || Fixtures()[0].Name == "changed" {
		t.Error("Fixtures returns shared memory")
	}
	for _, f := range b[:5] {
		data := f.Data()
		clear(data)
		if f.Data()[0] != '{' {
			t.Errorf("%s: Data returns shared memory", f.Name)
		}
		f.Want().Payload[0] = 'x'
		if f.Want().Payload[0] == 'x' {
			t.Errorf("%s: Want returns shared memory", f.Name)
		}
	}
}

func TestParseIndexRefuses(t *testing.T) {
	for name, line := range map[string]string{
		"no message":         `{"name":"a","verdict":"refuse"}`,
		"two messages":       `{"name":"a","file":"f","build":"x","verdict":"refuse"}`,
		"no verdict":         `{"name":"a","file":"f"}`,
		"unknown verdict":    `{"name":"a","file":"f","verdict":"maybe"}`,
		"carry without want": `{"name":"a","file":"f","verdict":"carry"}`,
		"refuse with want":   `{"name":"a","file":"f","verdict":"refuse","want":{}}`,
		"unknown field":      `{"name":"a","file":"f","verdict":"refuse","wants":{}}`,
		"build of numbers":   `{"name":"a","build":[1],"verdict":"refuse"}`,
		"build number":       `{"name":"a","build":1,"verdict":"refuse"}`,
	} {
		if f, err := parseIndex([]byte("[" + line + "]")); err == nil {
			t.Errorf("%s: accepted as %+v", name, f)
		}
	}
}
