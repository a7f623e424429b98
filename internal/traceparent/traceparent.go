// Package traceparent reads the traceparent of W3C Trace Context, level 1 and 2.
package traceparent

// Lengths in characters.
const (
	traceIDLength = 32
	length        = 55 // of version 00: 2 digits of version, the two ids, 2 digits of flags, 3 dashes
)

// Parts are what every version of a traceparent has. The strings share memory with it.
type Parts struct {
	Version, TraceID, SpanID, Flags string
}

// Parse splits a traceparent and checks it: lowercase hex digits, ids that are not all 0, no version ff. Version 00 has nothing
// after the flags; a higher one may have more after a dash, which is ignored. Where the text is none, the reason says why.
func Parse(s string) (p Parts, reason string) {
	if len(s) < length {
		return Parts{}, "it is too short"
	}
	p = Parts{Version: s[:2], TraceID: s[3:35], SpanID: s[36:52], Flags: s[53:55]}
	switch {
	case s[2] != '-' || s[35] != '-' || s[52] != '-':
		return Parts{}, "want version-traceid-parentid-flags"
	case !isHex(p.Version) || p.Version == "ff":
		return Parts{}, "the version is not two lowercase hex digits, or is ff"
	case !IsTraceID(p.TraceID):
		return Parts{}, "the trace id is not 32 lowercase hex digits, or is all 0"
	case !isHex(p.SpanID) || isZero(p.SpanID):
		return Parts{}, "the parent id is not 16 lowercase hex digits, or is all 0"
	case !isHex(p.Flags):
		return Parts{}, "the flags are not two lowercase hex digits"
	case len(s) > length && (p.Version == "00" || s[length] != '-'):
		return Parts{}, "it goes on after the flags"
	}
	return p, ""
}

// IsTraceID says whether s is a trace id: 32 lowercase hex digits, not all 0.
func IsTraceID(s string) bool {
	return len(s) == traceIDLength && isHex(s) && !isZero(s)
}

func isHex(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c-'0' > 9 && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func isZero(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] != '0' {
			return false
		}
	}
	return true
}
