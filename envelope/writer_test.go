package envelope_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/arcp-go/arcp/envelope"
)

// calls is an io.Writer that notes each call, and fails or falls short from one of them on.
type calls struct {
	texts  []string
	failAt int // number of the call, from 1; 0: never
	short  bool
	err    error
}

func (c *calls) Write(p []byte) (int, error) {
	c.texts = append(c.texts, string(p))
	if c.failAt == 0 || len(c.texts) < c.failAt {
		return len(p), nil
	}
	if c.short {
		return len(p) - 1, nil
	}
	return 1, c.err
}

func TestWriterMakesOneCallAMessage(t *testing.T) {
	var dst calls
	w := envelope.NewWriter(&dst)
	messages := append(recordings(t), plain, "{\"x\":\"\\r\\n\"}", sized(200_000)[:199_999])
	for _, message := range messages {
		if err := w.Write(decode(t, message)); err != nil {
			t.Fatal(err)
		}
	}
	if len(dst.texts) != len(messages) {
		t.Fatalf("%d calls for %d messages", len(dst.texts), len(messages))
	}
	for i, text := range dst.texts {
		if text != messages[i]+"\n" {
			t.Errorf("call %d writes %s", i, text)
		}
	}
	got := drain(t, envelope.NewReader(strings.NewReader(strings.Join(dst.texts, ""))))
	for i, o := range got {
		if o.message != messages[i] {
			t.Errorf("read back: %v", o)
		}
	}
}

func TestWriterTakesLineBreaksOut(t *testing.T) {
	var dst calls
	w := envelope.NewWriter(&dst)
	e := decode(t, "\r\n{\n\"id\" :\r\n \"a\\n\\r\" ,\n\"payload\": [\n1,\r2 ] }\n\n")
	if err := w.Write(e); err != nil {
		t.Fatal(err)
	}
	set("x", "{\n}")(e)
	if err := w.Write(e); err != nil {
		t.Fatal(err)
	}
	want := []string{`{"id" : "a\n\r" ,"payload": [1,2 ] }` + "\n", `{"id" : "a\n\r" ,"payload": [1,2 ] ,"x":{}}` + "\n"}
	if fmt.Sprintf("%q", dst.texts) != fmt.Sprintf("%q", want) {
		t.Errorf("\n got %q\nwant %q", dst.texts, want)
	}
	if encode(t, decode(t, spaced)) != spaced {
		t.Error("the message has changed")
	}
}

func TestWriterStopsAfterAnError(t *testing.T) {
	broken := errors.New("broken pipe")
	rows := []struct {
		rule string
		dst  calls
		want error
	}{
		{"an error", calls{failAt: 2, err: broken}, broken},
		{"a short write", calls{failAt: 2, short: true}, io.ErrShortWrite},
	}
	for _, row := range rows {
		w := envelope.NewWriter(&row.dst)
		e := decode(t, plain)
		if err := w.Write(e); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := w.Write(e); err != row.want {
				t.Errorf("%s: %v, want %v", row.rule, err, row.want)
			}
		}
		if err := w.Write(nil); err != row.want {
			t.Errorf("%s, nil after it: %v", row.rule, err)
		}
		if len(row.dst.texts) != 2 {
			t.Errorf("%s: %d calls", row.rule, len(row.dst.texts))
		}
	}
}

func TestWriterGoesOnAfterABadEnvelope(t *testing.T) {
	var dst calls
	w := envelope.NewWriter(&dst)
	if err := w.Write(nil); !errors.Is(err, envelope.ErrInvalid) {
		t.Errorf("nil: %v", err)
	}
	if err := w.Write(&envelope.Envelope{Payload: raw(`{`)}); !errors.Is(err, envelope.ErrSyntax) {
		t.Errorf("a bad payload: %v", err)
	}
	if err := w.Write(decode(t, `{}`)); err != nil {
		t.Errorf("a good one after it: %v", err)
	}
	if fmt.Sprintf("%q", dst.texts) != `["{}\n"]` {
		t.Errorf("written: %q", dst.texts)
	}
}

func TestWriterIsSafeForConcurrentUse(t *testing.T) {
	const writers, each = 8, 50
	var dst calls
	w := envelope.NewWriter(&dst)
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			e := &envelope.Envelope{ID: fmt.Sprint(i), Payload: raw(`"` + strings.Repeat("a", i*1000) + `"`)}
			for range each {
				if err := w.Write(e); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	counts := map[string]int{}
	for _, o := range drain(t, envelope.NewReader(strings.NewReader(strings.Join(dst.texts, "")))) {
		counts[decode(t, o.message).ID]++
	}
	for i := range writers {
		if counts[fmt.Sprint(i)] != each {
			t.Errorf("writer %d: %d messages", i, counts[fmt.Sprint(i)])
		}
	}
}
