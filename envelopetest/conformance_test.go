package envelopetest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/envelopetest"
)

// The kit run on the ways in which this module passes a message on.

func TestDecodeAppendJSON(t *testing.T) {
	envelopetest.TestForward(t, func(message []byte) ([]byte, error) {
		e, err := envelope.Decode(message)
		if err != nil {
			return nil, err
		}
		return e.AppendJSON(nil)
	})
}

func TestUnmarshalJSONAppendJSON(t *testing.T) {
	var e envelope.Envelope // used again: nothing of one message may be left in the next
	envelopetest.TestForward(t, func(message []byte) ([]byte, error) {
		if err := e.UnmarshalJSON(message); err != nil {
			return nil, err
		}
		clear(message)
		return e.AppendJSON(nil)
	})
}

// TestEditAndUndo adds an extension to the decoded message and takes it away.
func TestEditAndUndo(t *testing.T) {
	envelopetest.TestForward(t, func(message []byte) ([]byte, error) {
		e, err := envelope.Decode(message)
		if err != nil {
			return nil, err
		}
		if err := e.SetExtension("x-vendor.kit.probe", 1); err != nil {
			return nil, err
		}
		e.DeleteExtension("x-vendor.kit.probe")
		return e.AppendJSON(nil)
	})
}

// TestPeekSetDelete does the same on the wire. A message at a limit goes over
// it with the field that is added, hence the options.
func TestPeekSetDelete(t *testing.T) {
	roomier := envelope.Options{MaxBytes: 17 << 20, MaxMembers: 1025}
	envelopetest.TestForward(t, func(message []byte) ([]byte, error) {
		if _, err := envelope.Peek(message); err != nil {
			return nil, err
		}
		with, err := roomier.AppendSet(nil, message, "x-vendor.kit.probe", []byte(`{"hop":1}`))
		if err != nil {
			return nil, err
		}
		if bytes.Equal(with, message) {
			return nil, errors.New("AppendSet changed nothing")
		}
		return roomier.AppendDelete(nil, with, "x-vendor.kit.probe")
	})
}

// TestPeekFinds: Peek finds in every message to be carried what its fixture wants.
func TestPeekFinds(t *testing.T) {
	for _, f := range envelopetest.Fixtures() {
		if f.Verdict != envelopetest.Carry {
			continue
		}
		h, err := envelope.Peek(f.Data())
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		got := envelope.Envelope{
			ARCP: string(h.ARCP), ID: string(h.ID), Type: string(h.Type), SessionID: string(h.SessionID),
			TraceID: string(h.TraceID), JobID: string(h.JobID), Payload: h.Payload,
		}
		if h.HasEventSeq {
			got.EventSeq = &h.EventSeq
		}
		want := f.Want()
		want.Extensions = nil
		if !got.Equal(*want) {
			t.Errorf("%s: Peek found %v, want %v", f.Name, got, want)
		}
	}
}

func TestReaderWriter(t *testing.T) {
	envelopetest.TestForward(t, func(message []byte) ([]byte, error) {
		r := envelope.NewReader(bytes.NewReader(append(message, '\n')))
		e, err := r.Read()
		if err != nil {
			return nil, err
		}
		if _, err := r.Read(); err != io.EOF {
			return nil, fmt.Errorf("a second message, or %v", err)
		}
		var line bytes.Buffer
		if err := envelope.NewWriter(&line).Write(e); err != nil {
			return nil, err
		}
		return bytes.TrimSuffix(line.Bytes(), []byte("\n")), nil
	}, envelopetest.Without(manyLines()...))
}

// TestDecodeWriter writes the messages of several lines, too, which a Reader
// can only meet as one: white space is lost, and nothing else.
func TestDecodeWriter(t *testing.T) {
	envelopetest.TestForward(t, func(message []byte) ([]byte, error) {
		e, err := envelope.Decode(message)
		if err != nil {
			return nil, err
		}
		var line bytes.Buffer
		if err := envelope.NewWriter(&line).Write(e); err != nil {
			return nil, err
		}
		if bytes.Count(line.Bytes(), []byte("\n")) != 1 {
			return nil, errors.New("not one line")
		}
		return line.Bytes(), nil
	}, envelopetest.EqualAsJSON())
}

// TestEncodingJSON goes through encoding/json, which reformats what MarshalJSON
// returns: the same JSON value comes back, in other bytes.
func TestEncodingJSON(t *testing.T) {
	envelopetest.TestForward(t, func(message []byte) ([]byte, error) {
		var e envelope.Envelope
		if err := json.Unmarshal(message, &e); err != nil {
			return nil, err
		}
		return json.Marshal(&e)
	}, envelopetest.EqualAsJSON())
}

// manyLines names the cases that do not fit on one line, which is what a line ending
// inside a message, or a carriage return at its end, means to a reader of lines.
func manyLines() (names []string) {
	for _, f := range envelopetest.Fixtures() {
		if data := f.Data(); bytes.Contains(data, []byte("\n")) || bytes.HasSuffix(data, []byte("\r")) {
			names = append(names, f.Name)
		}
	}
	return names
}

// stdio is a transport of lines, as ARCP's stdio transport is (§4).
type stdio struct {
	r      *envelope.Reader
	w      *envelope.Writer
	in, to io.Closer
}

func newStdio(in io.ReadCloser, to io.WriteCloser) *stdio {
	return &stdio{envelope.NewReader(in), envelope.NewWriter(to), in, to}
}

func (s *stdio) Send(message []byte) error {
	var e envelope.Envelope
	if err := e.UnmarshalJSON(message); err != nil { // copies, as Send has to
		return err
	}
	return s.w.Write(&e)
}

func (s *stdio) Receive() ([]byte, error) {
	e, err := s.r.Read()
	if err != nil {
		return nil, err
	}
	return e.AppendJSON(nil)
}

func (s *stdio) Close() error {
	return errors.Join(s.to.Close(), s.in.Close())
}

func TestReaderWriterTransport(t *testing.T) {
	envelopetest.TestTransport(t, func() (a, b envelopetest.Conn) {
		aIn, bOut := io.Pipe()
		bIn, aOut := io.Pipe()
		return newStdio(aIn, aOut), newStdio(bIn, bOut)
	})
}

// TestErrorsQuoteNoValue: what Decode says about a message to be refused holds
// none of the values that a fixture would have it leak.
func TestErrorsQuoteNoValue(t *testing.T) {
	for _, f := range envelopetest.Fixtures() {
		if f.Verdict != envelopetest.Refuse {
			continue
		}
		_, err := envelope.Decode(f.Data())
		for _, secret := range []string{"job.submit", "job.cancel", "msg_01", "echo"} {
			if err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("%s: %v", f.Name, err)
			}
		}
	}
}
