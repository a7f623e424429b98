package envelope

import "math"

// Defaults of [Options].
const (
	defaultMaxBytes   = 16 << 20
	defaultMaxDepth   = 1000
	defaultMaxMembers = 1024
)

// Options are the limits under which messages are read. The zero value has the defaults, and 0 or less in a field means its
// default; exactly the limit is accepted. The functions of this package without Options use the zero value.
//
// Encoding applies no limits, so an edit may make a message that the same Options refuse.
type Options struct {
	MaxBytes   int // longest message, white space around it included, in bytes; 16 MiB by default, less than 4 GiB in any case
	MaxDepth   int // deepest nesting of objects and arrays, the envelope being 1; 1,000 by default
	MaxMembers int // most top-level fields; 1,024 by default

	// RejectLookalikes refuses names that are no core field but equal one under [strings.EqualFold], such as TYPE: a peer that
	// ignores letter case would take them for it. A proxy in front of such peers wants this. [Envelope.Validate] reports them
	// either way.
	RejectLookalikes bool
}

func (o Options) withDefaults() Options {
	o.MaxBytes = int(min(int64(orDefault(o.MaxBytes, defaultMaxBytes)), math.MaxUint32-1))
	o.MaxDepth = orDefault(o.MaxDepth, defaultMaxDepth)
	o.MaxMembers = orDefault(o.MaxMembers, defaultMaxMembers)
	return o
}

func orDefault(n, otherwise int) int {
	if n <= 0 {
		return otherwise
	}
	return n
}
