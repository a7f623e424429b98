package event_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/arcp-go/arcp/event"
)

// text and binary make chunks of the result "r".
func text(seq uint64, data string, more bool) event.ResultChunk {
	return event.ResultChunk{ResultID: "r", ChunkSeq: seq, Data: data, Encoding: event.EncodingUTF8, More: more}
}

func binary(seq uint64, data string, more bool) event.ResultChunk {
	c := text(seq, base64.StdEncoding.EncodeToString([]byte(data)), more)
	c.Encoding = event.EncodingBase64
	return c
}

// read makes a chunk of the text of a body.
func read(t *testing.T, body string) event.ResultChunk {
	t.Helper()
	var c event.ResultChunk
	if err := json.Unmarshal([]byte(body), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// step is a chunk and the rule by which it is to be refused, if it is.
type step struct {
	chunk event.ResultChunk
	rule  error
}

func TestAssembler(t *testing.T) {
	other := text(1, "b", false)
	other.ResultID = "other"
	raw64 := func(seq uint64, data string) event.ResultChunk {
		c := binary(seq, "", true)
		c.Data = data
		return c
	}
	for _, test := range []struct {
		rule       string
		chunk, all int // limits
		steps      []step
		want       string
	}{
		{"one chunk", 0, 0, []step{{text(0, "a", false), nil}}, "a"},
		{"text, in order", 0, 0, []step{{text(0, "é", true), nil}, {text(1, "", true), nil}, {text(2, "😀", false), nil}}, "é😀"},
		{"bytes, each chunk with its own padding", 0, 0, []step{{binary(0, "\xff", true), nil}, {binary(1, "\x00\x01", true), nil}, {binary(2, "abc", false), nil}}, "\xff\x00\x01abc"},
		{"an empty last chunk", 0, 0, []step{{binary(0, "a", true), nil}, {binary(1, "", false), nil}}, "a"},
		{"an empty result", 0, 0, []step{{text(0, "", false), nil}}, ""},
		{"a gap at the start, then on as if nothing had been", 0, 0, []step{{text(1, "b", false), event.ErrGap}, {text(0, "a", false), nil}}, "a"},
		{"a gap", 0, 0, []step{{text(0, "a", true), nil}, {text(2, "c", false), event.ErrGap}, {text(1, "b", false), nil}}, "ab"},
		{"a repeat", 0, 0, []step{{text(0, "a", true), nil}, {text(0, "a", true), event.ErrRepeated}, {text(1, "b", false), nil}}, "ab"},
		{"a repeat of the last", 0, 0, []step{{text(0, "a", false), nil}, {text(0, "a", false), event.ErrRepeated}}, "a"},
		{"after the last", 0, 0, []step{{text(0, "a", false), nil}, {text(1, "b", false), event.ErrAfterLast}, {text(7, "b", true), event.ErrAfterLast}}, "a"},
		{"another result", 0, 0, []step{{text(0, "a", true), nil}, {other, event.ErrOtherResult}, {text(1, "b", false), nil}}, "ab"},
		{"another encoding", 0, 0, []step{{text(0, "a", true), nil}, {binary(1, "b", false), event.ErrEncodingChanged}, {text(1, "b", false), nil}}, "ab"},
		{"another encoding, the other way", 0, 0, []step{{binary(0, "a", true), nil}, {text(1, "b", false), event.ErrEncodingChanged}, {binary(1, "b", false), nil}}, "ab"},
		{"an unknown encoding", 0, 0, []step{{event.ResultChunk{ResultID: "r", Encoding: "hex"}, event.ErrChunkInvalid}, {text(0, "a", false), nil}}, "a"},
		{"no result_id", 0, 0, []step{{event.ResultChunk{Encoding: "utf8"}, event.ErrChunkInvalid}, {text(0, "a", false), nil}}, "a"},
		{"no chunk_seq", 0, 0, []step{{read(t, `{"result_id":"r","data":"","encoding":"utf8","more":false}`), event.ErrChunkInvalid}, {text(0, "a", false), nil}}, "a"},
		{"no more", 0, 0, []step{{read(t, `{"result_id":"r","chunk_seq":0,"data":"","encoding":"utf8"}`), event.ErrChunkInvalid}, {text(0, "a", false), nil}}, "a"},
		{"not base64", 0, 0, []step{{raw64(0, "YQ="), event.ErrChunkInvalid}, {raw64(0, "Y!=="), event.ErrChunkInvalid}, {raw64(0, "Y==="), event.ErrChunkInvalid},
			{raw64(0, "YQ==\n\n\n\n"), event.ErrChunkInvalid}, {raw64(0, "YR=="), event.ErrChunkInvalid}, {raw64(0, "YQ==YQ=="), event.ErrChunkInvalid}, {binary(0, "a", false), nil}}, "a"},
		{"not UTF-8", 0, 0, []step{{text(0, "\xff", true), event.ErrChunkInvalid}, {text(0, "a", false), nil}}, "a"},
		{"a chunk of exactly the limit", 3, 0, []step{{text(0, "abc", true), nil}, {text(1, "abc", false), nil}}, "abcabc"},
		{"a chunk over the limit", 3, 0, []step{{text(0, "abcd", true), event.ErrChunkTooLarge}, {text(0, "abc", false), nil}}, "abc"},
		{"bytes are counted after decoding", 3, 0, []step{{binary(0, "abcd", true), event.ErrChunkTooLarge}, {binary(0, "abc", true), nil}, {binary(1, "a", false), nil}}, "abca"},
		{"a result of exactly the limit", 0, 4, []step{{binary(0, "ab", true), nil}, {binary(1, "cd", false), nil}}, "abcd"},
		{"a result over the limit", 0, 4, []step{{text(0, "ab", true), nil}, {text(1, "cde", false), event.ErrResultTooLarge}, {text(1, "cd", false), nil}}, "abcd"},
		{"limits below zero are the defaults", -1, -1, []step{{text(0, strings.Repeat("a", 1<<20+1), true), event.ErrChunkTooLarge}, {text(0, strings.Repeat("a", 1<<20), false), nil}}, strings.Repeat("a", 1<<20)},
	} {
		t.Run(test.rule, func(t *testing.T) {
			a := event.Assembler{MaxChunk: test.chunk, MaxTotal: test.all}
			var wasDone bool
			for i, s := range test.steps {
				if got, ok := a.Result(); ok != wasDone || !ok && got != nil {
					t.Errorf("before step %d there is the result %q, %v", i, got, ok)
				}
				done, err := a.Add(s.chunk)
				if s.rule == nil {
					wasDone = !s.chunk.More
				}
				if done != wasDone || !errors.Is(err, s.rule) || (err == nil) != (s.rule == nil) {
					t.Fatalf("step %d gave %v, %v, want %v, %v", i, done, err, wasDone, s.rule)
				}
				var fault *event.ChunkError
				if err != nil && (!errors.As(err, &fault) || fault.ResultID != s.chunk.ResultID || fault.ChunkSeq != s.chunk.ChunkSeq) {
					t.Errorf("error is %#v, want a *ChunkError for the chunk", err)
				}
			}
			if got, ok := a.Result(); !ok || string(got) != test.want {
				t.Errorf("the result is %.100q, %v, want %.100q", got, ok, test.want)
			} else if cap(got) != len(got) {
				t.Errorf("an append to the result reaches into the Assembler: %d of %d", len(got), cap(got))
			}
		})
	}
}

func TestChunkErrorText(t *testing.T) {
	c := text(3, "secret", true)
	c.ResultID = "r\n" + strings.Repeat("x", 100)
	_, err := new(event.Assembler).Add(c)
	if want := `arcp: result "r\n` + strings.Repeat("x", 62) + `\u2026 (102 bytes)", chunk 3: chunks are missing before this one`; err == nil || err.Error() != want {
		t.Errorf("error is %v\nwant     %s", err, want)
	}
	c = text(0, "secret", true)
	c.Encoding = "base64"
	_, err = new(event.Assembler).Add(c)
	if want := `arcp: result "r", chunk 0: the chunk is not valid: it is not base64 with padding`; err == nil || err.Error() != want {
		t.Errorf("error is %v\nwant     %s", err, want)
	}
}

// The default limits hold: 64 chunks of 1 MiB, and not a byte more; and the memory held is no more than that.
func TestAssemblerDefaults(t *testing.T) {
	var a event.Assembler
	data := strings.Repeat("x", event.DefaultMaxChunk)
	for seq := range uint64(event.DefaultMaxTotal / event.DefaultMaxChunk) {
		if _, err := a.Add(text(seq, data, true)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.Add(text(64, "x", false)); !errors.Is(err, event.ErrResultTooLarge) {
		t.Fatalf("a byte over the limit gave %v", err)
	}
	if _, err := a.Add(text(64, "", false)); err != nil {
		t.Fatal(err)
	}
	if got, ok := a.Result(); !ok || len(got) != event.DefaultMaxTotal || bytes.Count(got, []byte("x")) != len(got) {
		t.Errorf("the result has %d bytes, %v", len(got), ok)
	}
}

// The chunks of the recorded sessions make the results that were streamed.
func TestRecordedResults(t *testing.T) {
	assemblers := make(map[string]*event.Assembler)
	var order []string
	for _, env := range recorded(t) {
		e, err := event.FromEnvelope(env)
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind != event.KindResultChunk {
			continue
		}
		body, err := e.DecodeBody()
		if err != nil {
			t.Fatal(err)
		}
		chunk := body.(event.ResultChunk)
		if assemblers[chunk.ResultID] == nil {
			assemblers[chunk.ResultID] = new(event.Assembler)
			order = append(order, chunk.ResultID)
		}
		if _, err := assemblers[chunk.ResultID].Add(chunk); err != nil {
			t.Error(err)
		}
	}
	if len(order) < 2 {
		t.Fatalf("only %d results are recorded", len(order))
	}
	for _, id := range order {
		got, ok := assemblers[id].Result()
		if !ok || len(got) < 1000 {
			t.Errorf("result %s: %d bytes, %v", id, len(got), ok)
		}
	}
}
