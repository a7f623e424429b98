package envelope_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/arcp-go/arcp/envelope"
)

// pieces gives a text in pieces whose lengths a fuzzer chose, between them empty reads and deadlines, the last piece with or
// without io.EOF.
type pieces struct {
	text string
	cuts choices
}

func (p *pieces) Read(dst []byte) (int, error) {
	if p.text == "" {
		return 0, io.EOF
	}
	size := 1
	switch kind := p.cuts.n(8); kind {
	case 0:
		size = len(p.text)
	case 1:
		return 0, nil
	case 2:
		return 0, iotest.ErrTimeout
	default:
		size = kind * p.cuts.n(16)
	}
	n := copy(dst, p.text[:min(max(size, 1), len(p.text))])
	p.text = p.text[n:]
	switch end := p.cuts.n(4); {
	case p.text == "" && end == 1:
		return n, io.EOF
	case end == 2:
		return n, iotest.ErrTimeout
	}
	return n, nil
}

// byHand splits a stream into lines and decodes each one.
func byHand(t *testing.T, stream string, o envelope.Options) []outcome {
	var list []outcome
	lines := strings.Split(stream, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	for i, line := range lines {
		if i < strings.Count(stream, "\n") {
			line = strings.TrimSuffix(line, "\r")
		}
		if len(line) <= o.MaxBytes && strings.Trim(line, " \t\r") == "" {
			continue
		}
		e, err := o.Decode([]byte(line))
		result := outcomeOf(t, e, err)
		if err != nil {
			result.line = i + 1
		}
		list = append(list, result)
	}
	return list
}

// FuzzReader: wherever the reads are cut, and whatever deadlines come between them, the outcomes are those of splitting by hand.
func FuzzReader(f *testing.F) {
	for _, text := range seeds(f) {
		f.Add(text+"\n"+plain, "\x03\x04\x00", uint8(0))
	}
	for i, text := range []string{"", "\n", "{}\r\n\r\n{}", "{}\r", "\r\n{\r}\n\n!\n\xff\n{}", strings.Repeat("{}\n", 10), "{} \n{}  \n{}   \r\n{}    \n"} {
		f.Add(text, "\x04\x01\x00\x02\x05\x02\x02\x03\x01\x03", uint8(i))
	}
	f.Add("{}\n{}", "\x03\x00\x00"+strings.Repeat("\x01", 250)+"\x00", uint8(9)) // more empty reads than bufio puts up with
	f.Fuzz(func(t *testing.T, stream, cuts string, limit uint8) {
		o := envelope.Options{MaxBytes: 4 + int(limit)*int(limit)}
		r := o.NewReader(&pieces{text: stream, cuts: choices{cuts}})
		var got []outcome
		for {
			e, err := r.Read()
			if err == io.EOF {
				break
			}
			if err == iotest.ErrTimeout || err == io.ErrNoProgress { // after a hundred empty reads
				continue
			}
			got = append(got, outcomeOf(t, e, err))
		}
		if want := byHand(t, stream, o); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("MaxBytes %d, %q\n got %q\nwant %q", o.MaxBytes, stream, got, want)
		}
	})
}

// FuzzWriter: each message is one line, the bytes of AppendJSON without the line breaks between tokens, and is read back as one
// that encoding/json finds the same.
func FuzzWriter(f *testing.F) {
	for _, text := range seedChoices {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, generate string) {
		c := choices{generate}
		var stream bytes.Buffer
		w := envelope.NewWriter(&stream)
		var want []string
		for range 1 + c.n(4) {
			e, err := envelope.Decode([]byte(c.message()))
			if err != nil {
				e = c.envelope()
			} else {
				c.change(e)
			}
			text, failed := e.AppendJSON(nil)
			before := stream.Len()
			if err := w.Write(e); (err == nil) != (failed == nil) {
				t.Fatalf("Write: %v, AppendJSON: %v", err, failed)
			}
			if failed != nil {
				if stream.Len() != before {
					t.Fatalf("half a message: %q", stream.Bytes()[before:])
				}
				continue
			}
			want = append(want, outsideStrings(string(text)))
		}
		written := stream.String()
		if written != strings.Join(append(want, ""), "\n") {
			t.Fatalf("written %q\nwant %q", written, want)
		}
		got := drain(t, envelope.Options{MaxBytes: 1 << 20}.NewReader(strings.NewReader(written)))
		if len(got) != len(want) {
			t.Fatalf("%d messages of %d are read", len(got), len(want))
		}
		for i, o := range got {
			if o.message != want[i] {
				t.Fatalf("read %v, want %s", o, want[i])
			}
		}
	})
}

// outsideStrings takes out the line breaks that are not in a string.
func outsideStrings(text string) string {
	var b strings.Builder
	inside := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inside && c == '\\':
			b.WriteByte(c)
			i++
		case c == '"':
			inside = !inside
		case !inside && (c == '\n' || c == '\r'):
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
