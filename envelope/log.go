package envelope

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/arcp-go/arcp/internal/scan"
)

// loggedNames is how many extension names a log shows.
const loggedNames = 16

// String tells the core fields but the payload, its size, and the names of the extensions. Payload and extension values, which
// may be secrets, never appear; what a peer chose is escaped and cut to a sane length.
func (e Envelope) String() string { return describe(e.attributes()) }

// GoString is [Envelope.String], so that %#v prints no secret either.
func (e Envelope) GoString() string { return e.String() }

// LogValue implements [slog.LogValuer] with what [Envelope.String] tells, as a group.
func (e Envelope) LogValue() slog.Value { return slog.GroupValue(e.attributes()...) }

func (e *Envelope) attributes() []slog.Attr {
	var attrs []slog.Attr
	for field := fieldARCP; field < fieldEventSeq; field++ {
		if text := *e.text(field); text != "" {
			attrs = append(attrs, slog.String(coreNames[field], scan.Clip(text)))
		}
	}
	if e.EventSeq != nil {
		attrs = append(attrs, slog.Uint64(coreNames[fieldEventSeq], *e.EventSeq))
	}
	attrs = appendPayload(attrs, e.Payload)
	if n := len(e.Extensions); n > 0 {
		names := slices.Sorted(maps.Keys(e.Extensions))
		for i, name := range names[:min(n, loggedNames)] {
			names[i] = scan.Clip(name)
		}
		if n > loggedNames {
			names = append(names[:loggedNames], "and "+strconv.Itoa(n-loggedNames)+" more")
		}
		attrs = append(attrs, slog.Any("extensions", names))
	}
	return attrs
}

// String tells the core fields but the payload, and the payload's size, as [Envelope.String] does.
func (h Header) String() string { return describe(h.attributes()) }

// GoString is [Header.String], so that %#v prints no secret either.
func (h Header) GoString() string { return h.String() }

// LogValue implements [slog.LogValuer] with what [Header.String] tells, as a group.
func (h Header) LogValue() slog.Value { return slog.GroupValue(h.attributes()...) }

func (h *Header) attributes() []slog.Attr {
	var attrs []slog.Attr
	for field, text := range [...][]byte{h.ARCP, h.ID, h.Type, h.SessionID, h.TraceID, h.JobID} {
		if text != nil {
			attrs = append(attrs, slog.String(coreNames[field], scan.Clip(text)))
		}
	}
	if h.HasEventSeq {
		attrs = append(attrs, slog.Uint64(coreNames[fieldEventSeq], h.EventSeq))
	}
	return appendPayload(attrs, h.Payload)
}

func appendPayload(attrs []slog.Attr, payload []byte) []slog.Attr {
	if payload == nil {
		return attrs
	}
	return append(attrs, slog.Int("payload_bytes", len(payload)))
}

// describe writes attributes on one line, texts in quotes.
func describe(attrs []slog.Attr) string {
	var b strings.Builder
	b.WriteString("envelope{")
	for i, a := range attrs {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(a.Key)
		b.WriteByte('=')
		switch v := a.Value.Any().(type) {
		case string:
			b.WriteString(strconv.QuoteToGraphic(v))
		case []string:
			fmt.Fprintf(&b, "%+q", v)
		default:
			fmt.Fprint(&b, v)
		}
	}
	b.WriteByte('}')
	return b.String()
}
