package event

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/arcp-go/arcp/internal/scan"
)

// ToolCall is the body of a tool_call event (ARCP §8.2); see [Log] for what all bodies have in common.
type ToolCall struct {
	Tool   string
	Args   json.RawMessage // any JSON value; nil when absent, "null" when null
	CallID string          // names the call for its [ToolResult]

	Extra  map[string]json.RawMessage
	source *source
}

func (b *ToolCall) layout() layout {
	return layout{KindToolCall, []field{
		{"tool", (*token)(&b.Tool), true},
		{"args", (*raw)(&b.Args), true},
		{"call_id", (*token)(&b.CallID), true},
	}, &b.Extra, &b.source}
}

// UnmarshalJSON implements [json.Unmarshaler]. It copies data.
func (b *ToolCall) UnmarshalJSON(data []byte) error { return unmarshal(b, data) }

// MarshalJSON implements [json.Marshaler]; encoding/json may reformat its bytes, [Event.SetBody] does not.
func (b ToolCall) MarshalJSON() ([]byte, error) { return b.layout().append(nil) }

// Validate reports every missing or invalid field, each as an [*Error] that matches envelope.ErrInvalid.
func (b ToolCall) Validate() error { return b.layout().check().join() }

func (ToolCall) coreKind() string { return KindToolCall }

// ToolResult is the body of a tool_result event (ARCP §8.2): Result or Error, not both; see [Log] for what all bodies have in
// common.
type ToolResult struct {
	CallID string          // of the [ToolCall]
	Result json.RawMessage // any JSON value; nil when absent, "null" when null
	Error  json.RawMessage // usually {"code", "message", "retryable"}; nil when absent, "null" when null

	Extra  map[string]json.RawMessage
	source *source
}

func (b *ToolResult) layout() layout {
	return layout{KindToolResult, []field{
		{"call_id", (*token)(&b.CallID), true},
		{"result", (*raw)(&b.Result), false},
		{"error", (*raw)(&b.Error), false},
	}, &b.Extra, &b.source}
}

// UnmarshalJSON implements [json.Unmarshaler]. It copies data.
func (b *ToolResult) UnmarshalJSON(data []byte) error { return unmarshal(b, data) }

// MarshalJSON implements [json.Marshaler]; encoding/json may reformat its bytes, [Event.SetBody] does not.
func (b ToolResult) MarshalJSON() ([]byte, error) { return b.layout().append(nil) }

// Validate reports every missing or invalid field, each as an [*Error] that matches envelope.ErrInvalid. A null beside the other
// one is no problem, since some libraries write what is absent so; a tool may also have the result null.
func (b ToolResult) Validate() error {
	p := b.layout().check()
	result, fault := (*raw)(&b.Result), (*raw)(&b.Error)
	switch {
	case b.Result == nil && (b.Error == nil || fault.holds('n')):
		p.report("result", "want a result or an error")
	case fault.holdsNo('n') && result.holdsNo('n'):
		p.report("error", "want a result or an error, not both")
	}
	return p.join()
}

func (ToolResult) coreKind() string { return KindToolResult }

// holds says whether the value starts with a byte, which tells its JSON type; 'n' is null.
func (v *raw) holds(first byte) bool {
	i := scan.Space(*v, 0)
	return i < len(*v) && (*v)[i] == first
}

// holdsNo says whether there is a value and it starts with another byte.
func (v *raw) holdsNo(first byte) bool { return *v != nil && !v.holds(first) }

// ArtifactRef is the body of an artifact_ref event (ARCP §8.2); see [Log] for what all bodies have in common.
type ArtifactRef struct {
	URI         string
	ContentType string
	ByteSize    json.Number // optional, a whole number of bytes
	SHA256      string      // optional, 64 hex digits

	Extra  map[string]json.RawMessage
	source *source
}

func (b *ArtifactRef) layout() layout {
	return layout{KindArtifactRef, []field{
		{"uri", (*token)(&b.URI), true},
		{"content_type", (*token)(&b.ContentType), true},
		{"byte_size", (*number)(&b.ByteSize), false},
		{"sha256", (*token)(&b.SHA256), false},
	}, &b.Extra, &b.source}
}

// UnmarshalJSON implements [json.Unmarshaler]. It copies data.
func (b *ArtifactRef) UnmarshalJSON(data []byte) error { return unmarshal(b, data) }

// MarshalJSON implements [json.Marshaler]; encoding/json may reformat its bytes, [Event.SetBody] does not.
func (b ArtifactRef) MarshalJSON() ([]byte, error) { return b.layout().append(nil) }

// Validate reports every missing or invalid field, each as an [*Error] that matches envelope.ErrInvalid.
func (b ArtifactRef) Validate() error {
	p := b.layout().check()
	if strings.Trim(string(b.ByteSize), "0123456789") != "" {
		p.report("byte_size", "want digits only")
	}
	const hex = "0123456789abcdefABCDEF"
	if n := len(b.SHA256); n != 0 && (n != 64 || strings.Trim(b.SHA256, hex) != "") {
		p.report("sha256", "want 64 hex digits")
	}
	return p.join()
}

func (ArtifactRef) coreKind() string { return KindArtifactRef }

// Delegate is the body of a delegate event (ARCP §10); see [Log] for what all bodies have in common.
//
// The protocol does not name its fields. These are the ones that public libraries send, the Go library ChildJobID and Lease, the
// TypeScript library DelegateID and Input, both Agent.
type Delegate struct {
	Agent      string
	DelegateID string          // optional
	ChildJobID string          // optional
	Input      json.RawMessage // optional, any JSON value; nil when absent
	Lease      json.RawMessage // optional, any JSON value; nil when absent

	Extra  map[string]json.RawMessage
	source *source
}

func (b *Delegate) layout() layout {
	return layout{KindDelegate, []field{
		{"delegate_id", (*token)(&b.DelegateID), false},
		{"agent", (*token)(&b.Agent), true},
		{"child_job_id", (*token)(&b.ChildJobID), false},
		{"input", (*raw)(&b.Input), false},
		{"lease", (*raw)(&b.Lease), false},
	}, &b.Extra, &b.source}
}

// UnmarshalJSON implements [json.Unmarshaler]. It copies data.
func (b *Delegate) UnmarshalJSON(data []byte) error { return unmarshal(b, data) }

// MarshalJSON implements [json.Marshaler]; encoding/json may reformat its bytes, [Event.SetBody] does not.
func (b Delegate) MarshalJSON() ([]byte, error) { return b.layout().append(nil) }

// Validate reports a missing Agent and every invalid field, each as an [*Error] that matches envelope.ErrInvalid.
func (b Delegate) Validate() error { return b.layout().check().join() }

func (Delegate) coreKind() string { return KindDelegate }

// The encodings of a [ResultChunk].
const (
	EncodingUTF8   = "utf8"
	EncodingBase64 = "base64" // RFC 4648 §4, with padding
)

// ResultChunk is the body of a result_chunk event (ARCP §8.4); see [Log] for what all bodies have in common, and [Assembler] to
// put the chunks together.
//
// A ChunkSeq or More that the event lacked is zero here, which Validate reports, and stays absent until another value is
// assigned. Half of a surrogate pair in Data is an error, since it would change the result.
type ResultChunk struct {
	ResultID string
	ChunkSeq uint64 // counted from 0
	Data     string // text, or base64
	Encoding string // EncodingUTF8 or EncodingBase64
	More     bool   // false on the last chunk

	Extra  map[string]json.RawMessage
	source *source
}

func (b *ResultChunk) layout() layout {
	return layout{KindResultChunk, []field{
		{"result_id", (*token)(&b.ResultID), true},
		{"chunk_seq", (*index)(&b.ChunkSeq), true},
		{"data", (*content)(&b.Data), true},
		{"encoding", (*token)(&b.Encoding), true},
		{"more", (*flag)(&b.More), true},
	}, &b.Extra, &b.source}
}

// UnmarshalJSON implements [json.Unmarshaler]. It copies data.
func (b *ResultChunk) UnmarshalJSON(data []byte) error { return unmarshal(b, data) }

// MarshalJSON implements [json.Marshaler]; encoding/json may reformat its bytes, [Event.SetBody] does not.
func (b ResultChunk) MarshalJSON() ([]byte, error) { return b.layout().append(nil) }

// Validate reports every missing or invalid field, each as an [*Error] that matches envelope.ErrInvalid.
func (b ResultChunk) Validate() error {
	p := b.problems()
	if b.Encoding == EncodingBase64 {
		_, ok := decodedLen(b.Data)
		if _, err := base64.StdEncoding.Strict().DecodeString(b.Data); err != nil || !ok {
			p.report("data", notBase64)
		}
	}
	return p.join()
}

const notBase64 = "it is not base64 with padding"

// problems finds all but data that is not base64.
func (b *ResultChunk) problems() *problems {
	p := b.layout().check()
	if b.Encoding != "" && b.Encoding != EncodingUTF8 && b.Encoding != EncodingBase64 {
		p.report("encoding", "want utf8 or base64")
	}
	return p
}

func (ResultChunk) coreKind() string { return KindResultChunk }

// decodedLen gives the number of bytes that a base64 text stands for, and false where it cannot be one.
func decodedLen(text string) (n int, ok bool) {
	if len(text)%4 != 0 || strings.ContainsAny(text, "\r\n") { // the decoder would pass over line breaks
		return 0, false
	}
	padding := len(text) - len(strings.TrimRight(text, "="))
	if padding > 2 {
		return 0, false
	}
	return len(text)/4*3 - padding, true
}
