package envelope

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/arcp-go/arcp/internal/object"
	"github.com/arcp-go/arcp/internal/scan"
	"github.com/arcp-go/arcp/internal/traceparent"
	"github.com/arcp-go/arcp/xvendor"
)

// Types of message for which the protocol's rules differ (ARCP §6, §7, §8).
var (
	withoutSession = []string{"session.hello", "session.welcome", "session.resume", "session.error"}
	withSequence   = []string{"job.event", "job.result", "job.error"}
	withJob        = []string{"job.event"}
)

// Validate checks the protocol's rules, which decoding does not judge. It gives nil, or an error that unwraps, by
// Unwrap() []error, into one [*Error] for each problem, in the order of the fields; each wraps [ErrInvalid], and [ErrLookalike]
// where it is that.
//
// The rules: arcp is [Version] (ARCP §5); id and type are there; so are session_id, but on session.hello, session.welcome,
// session.resume and session.error; job_id on job.event; event_seq on job.event, job.result and job.error. A trace_id is 32
// lowercase hex digits that are not all 0, or a whole traceparent. The payload is an object. No field name equals a core field
// but for letter case. A name with the exact prefix x-vendor. keeps the grammar of package xvendor, where x-vendor.arcp.* is no
// problem: a later version of the protocol may send it. No vendor name is both at top level and inside extensions.
func (e *Envelope) Validate() error {
	v := validation{e: e}
	v.core()
	v.extensions()
	return errors.Join(v.problems...)
}

type validation struct {
	e        *Envelope
	places   map[string]int // of the fields in the message that e came from, from the first problem on
	problems []error
}

func (v *validation) report(field string, rule error, format string, args ...any) {
	v.problems = append(v.problems, &Error{
		Field: scan.Clip(field), Offset: v.offsetOf(field), Reason: fmt.Sprintf(format, args...), Err: rule,
	})
}

// offsetOf gives the place of a field in the message that e came from, or -1.
func (v *validation) offsetOf(field string) int {
	if v.places == nil {
		v.places = map[string]int{}
		if s := v.e.source; s != nil {
			for _, m := range s.appendMembers(nil) {
				v.places[m.Text(s.data)] = m.Name
			}
		}
	}
	if at, ok := v.places[field]; ok {
		return at
	}
	return -1
}

func (v *validation) core() {
	e := v.e
	if e.ARCP == "" {
		v.missing(fieldARCP, "")
	} else if e.ARCP != Version {
		v.report(coreNames[fieldARCP], ErrInvalid, "want version %s, got another", Version)
	}
	if e.ID == "" {
		v.missing(fieldID, "")
	}
	if e.Type == "" {
		v.missing(fieldType, "")
	}
	if e.SessionID == "" && !slices.Contains(withoutSession, e.Type) {
		v.missing(fieldSessionID, e.Type)
	}
	if e.TraceID != "" && !validTraceID(e.TraceID) {
		v.report(coreNames[fieldTraceID], ErrInvalid, "want 32 lowercase hex digits, not all 0, or a traceparent")
	}
	if e.JobID == "" && slices.Contains(withJob, e.Type) {
		v.missing(fieldJobID, e.Type)
	}
	if e.EventSeq == nil && slices.Contains(withSequence, e.Type) {
		v.missing(fieldEventSeq, e.Type)
	}
	if e.Payload == nil {
		v.missing(fieldPayload, "")
	} else if value, err := object.Checked("", e.Payload); err != nil {
		v.report(coreNames[fieldPayload], ErrInvalid, "%s", err.Reason)
	} else if value[0] != '{' {
		v.report(coreNames[fieldPayload], ErrInvalid, "want an object, got %s", scan.Describe(value))
	}
}

// missing reports a core field that is absent; typ is the type of message that needs it, empty where every one does.
func (v *validation) missing(field int, typ string) {
	if typ == "" {
		v.report(coreNames[field], ErrInvalid, "the field is missing")
		return
	}
	v.report(coreNames[field], ErrInvalid, "the field is missing, which a message of type %q needs", scan.Clip(typ))
}

func (v *validation) extensions() {
	names := slices.Sorted(maps.Keys(v.e.Extensions))
	for _, name := range names {
		if core := coreField(name); core != notCore {
			v.report(name, ErrInvalid, "it is a core field and may not stand among the extensions")
		} else if core = lookalike(name); core != notCore {
			v.report(name, errInvalidLookalike, "%s", lookalikeReason(core))
		}
		if bad := malformed(name); bad != nil {
			v.report(name, ErrInvalid, "the %s of the vendor name: %s", bad.Part, bad.Reason)
		}
	}
	both := v.alsoNested()
	for _, name := range names {
		if both[name] {
			v.report(name, ErrInvalid, "the vendor name is at top level and inside %s as well", nestedName)
		}
	}
}

// alsoNested gives the vendor names at top level that are inside extensions as well. What else is there, be it a name twice or
// one that no text can represent, is not judged.
func (v *validation) alsoNested() map[string]bool {
	nested := v.e.Extensions[nestedName]
	both := map[string]bool{}
	object.Each(nested, func(m *object.Member) {
		name := m.Text(nested)
		if !m.Is(nested, name) {
			return // no text can represent it
		}
		if _, top := v.e.Extensions[name]; top && xvendor.IsVendor(name) {
			both[name] = true
		}
	})
	return both
}

// malformed says what is wrong with a vendor name's grammar; nil for a good name, a reserved one, and one that is no vendor's.
func malformed(name string) *xvendor.NameError {
	err, _ := errors.AsType[*xvendor.NameError](xvendor.Validate(name))
	if err == nil || !strings.HasPrefix(name, xvendor.Prefix) || errors.Is(err, xvendor.ErrReserved) {
		return nil
	}
	return err
}

// nestedName is the top-level object in which some libraries put extensions.
const nestedName = "extensions"

// validTraceID says whether a trace_id is a trace id, or a whole traceparent of W3C Trace Context.
func validTraceID(s string) bool {
	if traceparent.IsTraceID(s) {
		return true
	}
	_, reason := traceparent.Parse(s)
	return reason == ""
}
