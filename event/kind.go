package event

import (
	"encoding/json"
	"errors"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/internal/scan"
)

// The kinds that the protocol defines (ARCP §8.2), each with its typed body: [Log] for KindLog and so on.
const (
	KindLog         = "log"
	KindThought     = "thought"
	KindToolCall    = "tool_call"
	KindToolResult  = "tool_result"
	KindStatus      = "status"
	KindMetric      = "metric"
	KindArtifactRef = "artifact_ref"
	KindDelegate    = "delegate"
	KindProgress    = "progress"
	KindResultChunk = "result_chunk"
)

// coreBodies gives the reader of each kind's typed body.
var coreBodies = map[string]func(json.RawMessage) (any, error){
	KindLog:         readCore[Log],
	KindThought:     readCore[Thought],
	KindToolCall:    readCore[ToolCall],
	KindToolResult:  readCore[ToolResult],
	KindStatus:      readCore[Status],
	KindMetric:      readCore[Metric],
	KindArtifactRef: readCore[ArtifactRef],
	KindDelegate:    readCore[Delegate],
	KindProgress:    readCore[Progress],
	KindResultChunk: readCore[ResultChunk],
}

// DecodeBody reads the body of one of the protocol's kinds: a [Log], [Thought], [ToolCall], [ToolResult], [Status], [Metric],
// [ArtifactRef], [Delegate], [Progress] or [ResultChunk], not a pointer. Of any other kind it gives the body as it is, a
// [json.RawMessage], and never an error. Either shares memory with the message, which must not be written into.
//
// The error is an [*Error]: the body is missing or not an object, or has a field twice or one of the wrong type. Fields that are
// missing are none; each body's Validate reports them.
func (e Event) DecodeBody() (any, error) {
	read, core := coreBodies[e.Kind]
	if !core {
		return e.Body, nil
	}
	return read(e.Body)
}

func readCore[T coreBody](body json.RawMessage) (any, error) {
	var v T
	if err := readBody(v.coreKind(), body, &v); err != nil {
		return nil, err
	}
	return v, nil
}

// readBody reads the body of an event of some kind into *target, which is zero: a typed body of this package and a RawMessage by
// sharing its memory, any other by encoding/json.
func readBody(kind string, body json.RawMessage, target any) error {
	if p, ok := target.(*json.RawMessage); ok {
		*p = body
		return nil
	}
	if body == nil {
		return invalid(kind, "", "the event has no body")
	}
	if p, ok := target.(interface{ layout() layout }); ok {
		return p.layout().decode(body)
	}
	if err := json.Unmarshal(body, target); err != nil {
		if ours, ok := errors.AsType[*Error](err); ok {
			return ours
		}
		return &Error{Kind: scan.Clip(kind), Offset: -1, Reason: "the handler's type cannot hold it", Err: &mismatch{err}}
	}
	return nil
}

// mismatch is an error of encoding/json that matches the rule as well.
type mismatch struct{ cause error }

func (m *mismatch) Error() string { return m.cause.Error() }

func (m *mismatch) Unwrap() []error { return []error{envelope.ErrType, m.cause} }
