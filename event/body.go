package event

import "encoding/json"

// Log is the body of a log event (ARCP §8.2).
//
// As in all typed bodies, Extra has the fields that the protocol does not name, and encoding gives every byte of what was read
// back where nothing was changed. Copies may have their fields assigned; the map must be replaced, not written into, and so must
// raw values. A required string is written even when it is empty, an optional one is then absent. Texts for people in which an
// escape stands for half of a surrogate pair read as U+FFFD there; in identifiers that is an error.
type Log struct {
	Level   string // such as "info"; the protocol names no levels, and letter case differs between peers
	Message string

	Extra  map[string]json.RawMessage
	source *source
}

func (b *Log) layout() layout {
	return layout{KindLog, []field{
		{"level", (*token)(&b.Level), true},
		{"message", (*prose)(&b.Message), true},
	}, &b.Extra, &b.source}
}

// UnmarshalJSON implements [json.Unmarshaler]. It copies data.
func (b *Log) UnmarshalJSON(data []byte) error { return unmarshal(b, data) }

// MarshalJSON implements [json.Marshaler]; encoding/json may reformat its bytes, [Event.SetBody] does not.
func (b Log) MarshalJSON() ([]byte, error) { return b.layout().append(nil) }

// Validate reports every missing or invalid field, each as an [*Error] that matches envelope.ErrInvalid. An empty Message is
// missing unless it was read as one.
func (b Log) Validate() error { return b.layout().check().join() }

func (Log) coreKind() string { return KindLog }

// Thought is the body of a thought event (ARCP §8.2); see [Log] for what all bodies have in common.
type Thought struct {
	Text string

	Extra  map[string]json.RawMessage
	source *source
}

func (b *Thought) layout() layout {
	return layout{KindThought, []field{
		{"text", (*prose)(&b.Text), true},
	}, &b.Extra, &b.source}
}

// UnmarshalJSON implements [json.Unmarshaler]. It copies data.
func (b *Thought) UnmarshalJSON(data []byte) error { return unmarshal(b, data) }

// MarshalJSON implements [json.Marshaler]; encoding/json may reformat its bytes, [Event.SetBody] does not.
func (b Thought) MarshalJSON() ([]byte, error) { return b.layout().append(nil) }

// Validate reports every missing or invalid field, each as an [*Error] that matches envelope.ErrInvalid. An empty Text is
// missing unless it was read as one.
func (b Thought) Validate() error { return b.layout().check().join() }

func (Thought) coreKind() string { return KindThought }

// Status is the body of a status event (ARCP §8.2); see [Log] for what all bodies have in common.
type Status struct {
	Phase   string
	Message string // optional

	Extra  map[string]json.RawMessage
	source *source
}

func (b *Status) layout() layout {
	return layout{KindStatus, []field{
		{"phase", (*token)(&b.Phase), true},
		{"message", (*prose)(&b.Message), false},
	}, &b.Extra, &b.source}
}

// UnmarshalJSON implements [json.Unmarshaler]. It copies data.
func (b *Status) UnmarshalJSON(data []byte) error { return unmarshal(b, data) }

// MarshalJSON implements [json.Marshaler]; encoding/json may reformat its bytes, [Event.SetBody] does not.
func (b Status) MarshalJSON() ([]byte, error) { return b.layout().append(nil) }

// Validate reports every missing or invalid field, each as an [*Error] that matches envelope.ErrInvalid.
func (b Status) Validate() error { return b.layout().check().join() }

func (Status) coreKind() string { return KindStatus }

// Progress is the body of a progress event (ARCP §8.2.1), for people to look at; see [Log] for what all bodies have in common.
//
// Its numbers are numbers, not integers, and keep their text: they are never rounded.
type Progress struct {
	Current json.Number // at least 0
	Total   json.Number // optional; without it nobody knows how much there is to do
	Units   string      // optional, such as "files"
	Message string      // optional

	Extra  map[string]json.RawMessage
	source *source
}

func (b *Progress) layout() layout {
	return layout{KindProgress, []field{
		{"current", (*number)(&b.Current), true},
		{"total", (*number)(&b.Total), false},
		{"units", (*prose)(&b.Units), false},
		{"message", (*prose)(&b.Message), false},
	}, &b.Extra, &b.source}
}

// UnmarshalJSON implements [json.Unmarshaler]. It copies data.
func (b *Progress) UnmarshalJSON(data []byte) error { return unmarshal(b, data) }

// MarshalJSON implements [json.Marshaler]; encoding/json may reformat its bytes, [Event.SetBody] does not.
func (b Progress) MarshalJSON() ([]byte, error) { return b.layout().append(nil) }

// Validate reports every missing or invalid field, each as an [*Error] that matches envelope.ErrInvalid. A Current beyond Total
// is no problem, since the protocol only advises against it.
func (b Progress) Validate() error {
	p := b.layout().check()
	if isNegative(b.Current) {
		p.report("current", "want a number of at least 0")
	}
	return p.join()
}

func (Progress) coreKind() string { return KindProgress }

// isNegative says whether a JSON number is below 0, which -0.0 is not.
func isNegative(n json.Number) bool {
	if n == "" || n[0] != '-' {
		return false
	}
	for _, c := range []byte(n[1:]) {
		switch {
		case '1' <= c && c <= '9':
			return true
		case c == 'e' || c == 'E':
			return false
		}
	}
	return false
}

// Metric is the body of a metric event (ARCP §8.2); see [Log] for what all bodies have in common.
type Metric struct {
	Name       string          // cost.* are costs, see ARCP §9.6
	Value      json.Number     // any number, with its own text: it is never rounded
	Unit       string          // optional
	Dimensions json.RawMessage // optional, an object; nil when absent

	Extra  map[string]json.RawMessage
	source *source
}

func (b *Metric) layout() layout {
	return layout{KindMetric, []field{
		{"name", (*token)(&b.Name), true},
		{"value", (*number)(&b.Value), true},
		{"unit", (*token)(&b.Unit), false},
		{"dimensions", (*raw)(&b.Dimensions), false},
	}, &b.Extra, &b.source}
}

// UnmarshalJSON implements [json.Unmarshaler]. It copies data.
func (b *Metric) UnmarshalJSON(data []byte) error { return unmarshal(b, data) }

// MarshalJSON implements [json.Marshaler]; encoding/json may reformat its bytes, [Event.SetBody] does not.
func (b Metric) MarshalJSON() ([]byte, error) { return b.layout().append(nil) }

// Validate reports every missing or invalid field, each as an [*Error] that matches envelope.ErrInvalid.
func (b Metric) Validate() error {
	p := b.layout().check()
	if d := (*raw)(&b.Dimensions); d.holdsNo('{') && !d.holds('n') {
		p.report("dimensions", "want an object")
	}
	return p.join()
}

func (Metric) coreKind() string { return KindMetric }
