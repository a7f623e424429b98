// Package table shows ARCP messages as lines of a table, for the examples
// stdiotap and arcpcat. It shows headers, sizes and names; of payloads only the
// kind of an event, of extensions only their names.
package table

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/event"
	"github.com/arcp-go/arcp/examples/internal/lines"
)

// Problem is one reason why a message is no envelope, or breaks a rule of the
// protocol.
type Problem struct {
	Field  string // "" when it is about no field, or not known
	Offset int    // bytes from the start of the message; -1 when there is no place, as for a missing field
	Reason string
}

// Row is one message.
type Row struct {
	Time      time.Time // when it passed; zero when that is not known
	Direction string    // "in" to an agent, "out" from it, "" when that is not known
	Line      int       // the line of its stream
	Size      int       // bytes, the line ending not counted
	Envelope  *envelope.Envelope
	Event     event.Event // of a job.event that can be read
	Problems  []Problem   // the error of Decode, or else those of Validate and of the event
}

// Read makes a Row of a line from a Splitter with the limit lines.MaxBytes; Time and Direction are the caller's to fill in.
// Envelope is nil when the line is no envelope, and Problems then says why. The
// line's bytes become the Envelope's.
func Read(line lines.Line) Row {
	r := Row{Line: line.Number, Size: len(line.Data)}
	e, err := envelope.Decode(line.Data)
	if err != nil {
		r.Problems = problems(err)
		return r
	}
	r.Envelope = e
	r.Problems = problems(e.Validate())
	if e.Type == event.MessageType && gjson.ParseBytes(e.Payload).IsObject() { // else Validate has said so
		if r.Event, err = event.FromEnvelope(e); err != nil {
			r.Problems = append(r.Problems, eventProblem(line.Data, err))
		}
	}
	return r
}

// eventProblem gives the place within the message of an error that counts from the start of the payload.
func eventProblem(message []byte, err error) Problem {
	var e *event.Error
	if !errors.As(err, &e) {
		return Problem{"payload", -1, err.Error()}
	}
	p := Problem{"payload", -1, e.Reason}
	if e.Field != "" {
		p.Field = "payload." + e.Field
	}
	if start := gjson.GetBytes(message, "payload").Index; start > 0 && e.Offset >= 0 {
		p.Offset = start + e.Offset
	}
	return p
}

// problems takes an error of the codec apart.
func problems(err error) []Problem {
	if err == nil {
		return nil
	}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		var list []Problem
		for _, one := range many.Unwrap() {
			list = append(list, problems(one)...)
		}
		return list
	}
	var e *envelope.Error
	if errors.As(err, &e) {
		return []Problem{{e.Field, e.Offset, e.Reason}}
	}
	return []Problem{{"", -1, err.Error()}}
}

// ExtensionNames lists the names of extensions in order. Libraries that put
// vendor fields inside an object "extensions" have those names listed with
// that object's in front: "extensions/x-vendor.acme.priority".
func ExtensionNames(e *envelope.Envelope) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(e.Extensions)) {
		inside := []string{}
		if name == "extensions" {
			gjson.ParseBytes(e.Extensions[name]).ForEach(func(key, _ gjson.Result) bool {
				if key.Type == gjson.String { // an array has no names
					inside = append(inside, name+"/"+key.String())
				}
				return true
			})
		}
		if len(inside) == 0 {
			inside = append(inside, name)
		}
		names = append(names, inside...)
	}
	return names
}
