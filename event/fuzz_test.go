package event_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/arcp-go/arcp/event"
)

// member is one member of an object, as encoding/json tells it.
type member struct {
	name  string
	value string
}

// members reads an object slowly, by encoding/json. Names must be unique and, like those of this package, text.
func members(data []byte) (list []member, ok bool) {
	if !utf8.Valid(data) || !json.Valid(data) {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		name, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			return nil, false
		}
		if slices.ContainsFunc(list, func(m member) bool { return m.name == name }) {
			return nil, false
		}
		list = append(list, member{name.(string), string(value)})
	}
	return list, true
}

// plain says whether the text holds nothing in which encoding/json and this package differ on purpose: it takes half of a
// surrogate pair for U+FFFD.
func plain(data []byte) bool {
	return !strings.Contains(strings.ToLower(string(data)), `\ud`) && !bytes.ContainsRune(data, utf8.RuneError)
}

func FuzzEvent(f *testing.F) {
	for _, test := range decodeTests {
		f.Add([]byte(test.text))
	}
	for _, test := range badEvents {
		f.Add([]byte(test.text))
	}
	for _, test := range bodyTests {
		f.Add([]byte(`{"kind":"` + test.kind + `","ts":"2026-05-13T19:42:13Z","body":` + test.text + `,"x":1}`))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		before := bytes.Clone(data)
		e, err := event.Decode(data)
		if list, ok := members(data); plain(data) {
			for _, m := range list {
				if m.name == "kind" || m.name == "ts" {
					ok = ok && (m.value[0] == '"' || m.value == "null")
				}
			}
			if ok != (err == nil) {
				t.Fatalf("Decode of %q gave %v, encoding/json says %v", data, err, ok)
			}
		}
		if err != nil {
			var fault *event.Error
			if !errors.As(err, &fault) || fault.Offset < 0 || fault.Offset > len(data) {
				t.Fatalf("Decode of %q gave %#v", data, err)
			}
			return
		}

		got, err := e.AppendJSON(nil)
		if err != nil || !bytes.Equal(got, data) {
			t.Fatalf("untouched, %q became %q, %v", data, got, err)
		}
		edited := e
		edited.Kind += "!"
		edited.Body = json.RawMessage(`{"new":1}`)
		edited.Extra = fields{"only": json.RawMessage("1")}
		got, err = edited.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		again, err := event.Decode(got)
		if err != nil || again.Kind != edited.Kind || again.TS != e.TS || string(again.Body) != `{"new":1}` || len(again.Extra) != 1 {
			t.Fatalf("edited, %q became %q, which reads as %v, %v", data, got, again, err)
		}
		edited.Kind, edited.Body, edited.Extra = e.Kind, e.Body, e.Extra
		if got, err = edited.AppendJSON(nil); err != nil || !bytes.Equal(got, data) {
			t.Fatalf("after undoing, %q became %q, %v", data, got, err)
		}

		body, err := e.DecodeBody()
		if typed, ok := body.(interface {
			json.Marshaler
			Validate() error
		}); ok && err == nil {
			if got, err := typed.MarshalJSON(); err != nil || !bytes.Equal(got, e.Body) {
				t.Fatalf("untouched, the body %q became %q, %v", e.Body, got, err)
			}
			_ = typed.Validate() // must not panic
			if err := edited.SetBody(typed); err != nil || !bytes.Equal(bytes.TrimSpace(edited.Body), e.Body) {
				t.Fatalf("SetBody made %q, %v, of %q", edited.Body, err, e.Body)
			}
		}
		if !bytes.Equal(data, before) {
			t.Fatalf("%q was written into", before)
		}
	})
}

// slowAssembler is an Assembler that keeps all chunks and joins them at the end.
type slowAssembler struct {
	chunks []event.ResultChunk
	size   int
}

func (a *slowAssembler) add(c event.ResultChunk, maxChunk, maxTotal int) (rule error) {
	data := []byte(c.Data)
	if c.Encoding == "base64" {
		var err error
		if data, err = base64.StdEncoding.DecodeString(c.Data); err != nil || base64.StdEncoding.EncodeToString(data) != c.Data {
			data = nil
			rule = event.ErrChunkInvalid
		}
	}
	switch n := len(a.chunks); {
	case c.ResultID == "" || c.Encoding != "utf8" && c.Encoding != "base64" || !utf8.ValidString(c.Data) || !utf8.ValidString(c.ResultID):
		return event.ErrChunkInvalid
	case n > 0 && c.ResultID != a.chunks[0].ResultID:
		return event.ErrOtherResult
	case c.ChunkSeq < uint64(n):
		return event.ErrRepeated
	case n > 0 && !a.chunks[n-1].More:
		return event.ErrAfterLast
	case c.ChunkSeq > uint64(n):
		return event.ErrGap
	case n > 0 && c.Encoding != a.chunks[0].Encoding:
		return event.ErrEncodingChanged
	case rule != nil:
		return rule
	case len(data) > maxChunk:
		return event.ErrChunkTooLarge
	case a.size+len(data) > maxTotal:
		return event.ErrResultTooLarge
	}
	a.chunks = append(a.chunks, c)
	a.size += len(data)
	return nil
}

func (a *slowAssembler) result() (data []byte, ok bool) {
	for _, c := range a.chunks {
		part := []byte(c.Data)
		if c.Encoding == "base64" {
			part, _ = base64.StdEncoding.DecodeString(c.Data)
		}
		data = append(data, part...)
		ok = !c.More
	}
	return data, ok
}

// FuzzAssembler feeds chunks that a script of bytes describes, four bytes a chunk and then its data, in ways that keep or break
// each rule.
func FuzzAssembler(f *testing.F) {
	f.Add([]byte("\x00\x00\x03\x01abc\x01\x00\x02\x00de"))
	f.Add([]byte("\x00\x10\x03\x01abc\x01\x10\x02\x01de\x02\x10\x00\x00"))
	f.Add([]byte("\x00\x10\x09\x01aaaaaaaaa\x01\x00\x01\x01a\x01\x10\x09\x01bbbbbbbbb\x01\x10\x08\x00cccccccc"))
	f.Add([]byte("\x00\x20\x04\x01YQ==\x01\x20\x04\x01YQ=\n\x01\x20\x04\x00YR=="))
	f.Add([]byte("\x01\x00\x00\x01\x00\x01\x00\x01\x00\x40\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, script []byte) {
		const maxChunk, maxTotal = 8, 20
		fast := event.Assembler{MaxChunk: maxChunk, MaxTotal: maxTotal}
		var slow slowAssembler
		for len(script) >= 4 {
			seq, how, size, more := script[0], script[1], int(script[2])%16, script[3]
			script = script[4:]
			size = min(size, len(script))
			data := string(script[:size])
			script = script[size:]
			c := event.ResultChunk{ResultID: []string{"r", "other", ""}[how%16%3], ChunkSeq: uint64(seq), Data: data, Encoding: "utf8", More: more%2 == 1}
			switch how >> 4 % 8 {
			case 1:
				c.Data, c.Encoding = base64.StdEncoding.EncodeToString([]byte(data)), "base64"
			case 2:
				c.Encoding = "base64"
			case 4:
				c.Encoding = "hex"
			}
			want := slow.add(c, maxChunk, maxTotal)
			done, err := fast.Add(c)
			tooLong := errors.Is(err, event.ErrChunkTooLarge) || errors.Is(err, event.ErrResultTooLarge)
			if n := base64.StdEncoding.DecodedLen(len(c.Data)); tooLong && errors.Is(want, event.ErrChunkInvalid) && (n > maxChunk || slow.size+n > maxTotal) {
				// Base64 that is too long as well: its length is looked at first, so that nothing over the limit is decoded.
				want = err
			}
			if !errors.Is(err, want) || (err == nil) != (want == nil) {
				t.Fatalf("chunk %+v gave %v, want %v", c, err, want)
			}
			wantData, ok := slow.result()
			got, gotOK := fast.Result()
			if done != ok || gotOK != ok || ok && !bytes.Equal(got, wantData) {
				t.Fatalf("after chunk %+v: %v, %q, %v, want %q, %v", c, done, got, gotOK, wantData, ok)
			}
		}
	})
}

var number = regexp.MustCompile(`\A-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?\z`)

// FuzzProgress sets fields of a body one by one and back.
func FuzzProgress(f *testing.F) {
	for _, test := range bodyTests {
		f.Add([]byte(test.text), "1.50", "files")
	}
	f.Add([]byte(`{"current":1,"units":null}`), "", "")
	f.Add([]byte(`{"current":1,"units":"\ud83d"}`), "x", "\xff")
	f.Fuzz(func(t *testing.T, data []byte, current, units string) {
		var p event.Progress
		if err := p.UnmarshalJSON(data); err != nil {
			return
		}
		edited := p
		edited.Current, edited.Units = json.Number(current), units
		got, err := edited.MarshalJSON()
		fits := (current == "" || number.MatchString(current)) && (utf8.ValidString(units) || units == p.Units)
		if fits != (err == nil) {
			t.Fatalf("%q with %q and %q gave %v", data, current, units, err)
		}
		if err == nil {
			var again event.Progress
			if err := again.UnmarshalJSON(got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(edited, again, onlyBodyFields); diff != "" {
				t.Fatalf("%q became %q, which reads otherwise (-want +got):\n%s", data, got, diff)
			}
		}
		edited.Current, edited.Units = p.Current, p.Units
		if got, err := edited.MarshalJSON(); err != nil || !bytes.Equal(got, data) {
			t.Fatalf("after undoing, %q became %q, %v", data, got, err)
		}
	})
}
