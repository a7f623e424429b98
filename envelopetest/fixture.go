package envelopetest

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/arcp-go/arcp/envelope"
)

// Verdict says what a codec must do with a message.
type Verdict string

const (
	// Carry: the message is decoded, and passed on unharmed.
	Carry Verdict = "carry"
	// Refuse: the message is an error, and nothing of it is passed on.
	Refuse Verdict = "refuse"
)

// Fixture is one case of the kit: a message, and what must become of it.
type Fixture struct {
	Name    string // unique and stable, in lower case with hyphens
	File    string // below testdata, with slashes; "" for a message too large to be kept as a file
	Verdict Verdict
	Rule    string // the rule that the case pins, as a sentence
	Section string // where the rule comes from: "ARCP 1.1 §5", "RFC 8259 §6", "package envelope: limits"

	message text
	want    *want
}

// Fixtures returns every case, in the order of testdata/index.json. The
// slice is the caller's own. Messages and wanted values are made when asked
// for, by [Fixture.Data] and [Fixture.Want]: the largest take 16 MiB each.
func Fixtures() []Fixture {
	return append([]Fixture(nil), index()...)
}

// Data returns the message, in memory that is the caller's own: a codec may
// take it over, or write into it.
func (f Fixture) Data() []byte {
	if f.File == "" {
		return f.message.build()
	}
	data, err := testdata.ReadFile(path.Join("testdata", f.File))
	if err != nil {
		panic("envelopetest: " + err.Error()) // index and files are compiled in together; a test reads them all
	}
	return data
}

// Want returns what a decoder finds in the message: core fields after
// unescaping, the exact bytes of the payload and of every extension. It is
// nil for a message to be refused. The Envelope is new with every call, and
// compares equal by [envelope.Envelope.Equal] to a faithful decoder's.
func (f Fixture) Want() *envelope.Envelope {
	if f.want == nil {
		return nil
	}
	w := f.want
	e := &envelope.Envelope{
		ARCP: w.ARCP, ID: w.ID, Type: w.Type,
		SessionID: w.SessionID, TraceID: w.TraceID, JobID: w.JobID,
	}
	if w.EventSeq != "" {
		n, err := strconv.ParseUint(w.EventSeq, 10, 64)
		if err != nil {
			panic("envelopetest: " + f.Name + ": " + err.Error())
		}
		e.EventSeq = &n
	}
	if w.Payload != nil {
		e.Payload = w.Payload.build()
	}
	for name, value := range w.Extensions {
		if e.Extensions == nil {
			e.Extensions = make(map[string]json.RawMessage, len(w.Extensions))
		}
		e.Extensions[name] = value.build()
	}
	return e
}

//go:embed testdata/index.json testdata/messages
var testdata embed.FS

// record is one line of the index; testdata/README.md describes it.
type record struct {
	Name    string  `json:"name"`
	File    string  `json:"file"`
	Build   text    `json:"build"`
	Verdict Verdict `json:"verdict"`
	Rule    string  `json:"rule"`
	Section string  `json:"section"`
	Want    *want   `json:"want"`
}

type want struct {
	ARCP       string          `json:"arcp"`
	ID         string          `json:"id"`
	Type       string          `json:"type"`
	SessionID  string          `json:"session_id"`
	TraceID    string          `json:"trace_id"`
	JobID      string          `json:"job_id"`
	EventSeq   string          `json:"event_seq"`
	Payload    text            `json:"payload"`
	Extensions map[string]text `json:"extensions"`
}

// text is a string of the index that may be given in parts, so that 16 MiB
// take one line.
type text []part

type part struct {
	s     string
	count int
}

func (t *text) UnmarshalJSON(data []byte) error {
	if !bytes.HasPrefix(data, []byte("[")) {
		var s string
		err := json.Unmarshal(data, &s)
		*t = text{{s, 1}}
		return err
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	*t = text{}
	for _, raw := range parts {
		p := part{count: 1}
		target := any(&p.s)
		if bytes.HasPrefix(raw, []byte("[")) {
			target = &[]any{&p.s, &p.count}
		}
		if err := json.Unmarshal(raw, target); err != nil {
			return err
		}
		*t = append(*t, p)
	}
	return nil
}

func (t text) build() []byte {
	var b bytes.Buffer
	for _, p := range t {
		b.WriteString(strings.Repeat(p.s, p.count))
	}
	return b.Bytes()
}

var index = sync.OnceValue(func() []Fixture {
	data, err := testdata.ReadFile("testdata/index.json")
	if err != nil {
		panic("envelopetest: " + err.Error())
	}
	fixtures, err := parseIndex(data)
	if err != nil {
		panic("envelopetest: testdata/index.json: " + err.Error())
	}
	return fixtures
})

func parseIndex(data []byte) ([]Fixture, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var records []record
	if err := dec.Decode(&records); err != nil {
		return nil, err
	}
	fixtures := make([]Fixture, 0, len(records))
	for _, r := range records {
		if (r.File == "") == (r.Build == nil) {
			return nil, fmt.Errorf("%s: needs a file or a build, not both", r.Name)
		}
		if (r.Verdict == Carry) != (r.Want != nil) || r.Verdict != Carry && r.Verdict != Refuse {
			return nil, fmt.Errorf("%s: verdict %q does not go with what is wanted", r.Name, r.Verdict)
		}
		fixtures = append(fixtures, Fixture{
			Name: r.Name, File: r.File, Verdict: r.Verdict, Rule: r.Rule, Section: r.Section,
			message: r.Build, want: r.Want,
		})
	}
	return fixtures, nil
}
