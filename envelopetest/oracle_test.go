package envelopetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/arcp-go/arcp/envelope"
)

// The limits that package envelope documents as its defaults.
const (
	maxBytes   = 16 << 20
	maxDepth   = 1000
	maxMembers = 1024
)

// oracle decodes a message by the documented rules, on encoding/json and
// nothing of package envelope but its struct. It is slow and shares no code with
// the codec, so that a wrong expectation in the index has two judges.
func oracle(data []byte) (*envelope.Envelope, error) {
	if len(data) > maxBytes {
		return nil, errors.New("too large")
	}
	root, err := parse(data)
	if err != nil {
		return nil, err
	}
	if kindOf(root) != "object" {
		return nil, errors.New("not an object")
	}
	if depth(root) > maxDepth {
		return nil, errors.New("too deep")
	}
	if len(root.kids) > maxMembers {
		return nil, errors.New("too many fields")
	}
	e := &envelope.Envelope{}
	seen := map[string]bool{}
	for _, f := range split(data) {
		name, value := f.name, f.value
		if !utf8.ValidString(name) {
			return nil, errors.New("lone surrogate in a name")
		}
		if seen[name] {
			return nil, fmt.Errorf("duplicate %q", name)
		}
		seen[name] = true
		if err := set(e, name, value); err != nil {
			return nil, err
		}
	}
	return e, nil
}

func set(e *envelope.Envelope, name string, value json.RawMessage) error {
	core := map[string]*string{
		"arcp": &e.ARCP, "id": &e.ID, "type": &e.Type,
		"session_id": &e.SessionID, "trace_id": &e.TraceID, "job_id": &e.JobID,
	}
	target, isString := core[name]
	switch {
	case name == "payload":
		e.Payload = value
	case !isString && name != "event_seq":
		if e.Extensions == nil {
			e.Extensions = map[string]json.RawMessage{}
		}
		e.Extensions[name] = value
	case string(value) == "null":
	case isString:
		if value[0] != '"' {
			return fmt.Errorf("%s is no string", name)
		}
		if *target = unquote(string(value)); !utf8.ValidString(*target) {
			return fmt.Errorf("lone surrogate in %s", name)
		}
	default:
		n, ok := new(big.Int).SetString(string(value), 10)
		if !ok || strings.Trim(string(value), "0123456789") != "" || !n.IsUint64() {
			return errors.New("event_seq is no whole number of 64 bits")
		}
		u, _ := strconv.ParseUint(n.String(), 10, 64)
		e.EventSeq = &u
	}
	return nil
}

// field is one top-level field: its name as written and after unquote, and the
// exact text of its value.
type field struct {
	rawName, name string
	value         json.RawMessage
}

// split returns the top-level fields of a valid object.
func split(data []byte) []field {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	token(dec)
	var fields []field
	for dec.More() {
		start := dec.InputOffset()
		token(dec)
		f := field{rawName: strings.TrimLeft(string(data[start:dec.InputOffset()]), " \t\r\n,")}
		f.name = unquote(f.rawName)
		if err := dec.Decode(&f.value); err != nil {
			panic(err)
		}
		fields = append(fields, f)
	}
	return fields
}

func token(dec *json.Decoder) {
	if _, err := dec.Token(); err != nil {
		panic(err)
	}
}

func depth(n *node) int {
	if n.raw != "{" && n.raw != "[" {
		return 0
	}
	deepest := 0
	for _, kid := range n.kids {
		deepest = max(deepest, depth(kid))
	}
	return deepest + 1
}
