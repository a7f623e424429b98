package envelope_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/arcp-go/arcp/envelope"
)

// member is a field as the oracle reads it.
type member struct {
	name       string
	start, end int // of the value
	nameStart  int // of the name as written, with its quote
	value      json.RawMessage
}

var (
	errOracle     = errors.New("refused by the oracle")
	digitsOnly    = regexp.MustCompile(`^[0-9]+$`)
	unicodeEscape = regexp.MustCompile(`^\\u[0-9a-fA-F]{4}`)
	coreTexts     = []string{"arcp", "id", "type", "session_id", "trace_id", "job_id"}
)

// oracle decides slowly and plainly, by encoding/json and utf8.Valid, whether a message is to be accepted and what it has.
func oracle(data []byte, o envelope.Options) ([]member, error) {
	limit := func(n, otherwise int) int {
		if n <= 0 {
			return otherwise
		}
		return n
	}
	if len(data) > limit(o.MaxBytes, 16<<20) || !utf8.Valid(data) || !json.Valid(data) || depthOf(data) > limit(o.MaxDepth, 1000) {
		return nil, errOracle
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	if token, _ := decoder.Token(); token != json.Delim('{') {
		return nil, errOracle
	}
	var members []member
	seen := map[string]bool{}
	for decoder.More() {
		from := int(decoder.InputOffset())
		token, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		var m member
		m.name = token.(string)
		m.nameStart = from + bytes.IndexByte(data[from:], '"')
		if seen[m.name] || loneSurrogate(data[m.nameStart:decoder.InputOffset()]) {
			return nil, errOracle
		}
		seen[m.name] = true
		if err := decoder.Decode(&m.value); err != nil {
			return nil, err
		}
		m.end = int(decoder.InputOffset())
		m.start = m.end - len(m.value)
		if o.RejectLookalikes && isLookalike(m.name) || !coreAccepts(m.name, m.value) {
			return nil, errOracle
		}
		members = append(members, m)
	}
	if len(members) > limit(o.MaxMembers, 1024) {
		return nil, errOracle
	}
	return members, nil
}

func isLookalike(name string) bool {
	for _, core := range append([]string{"event_seq", "payload"}, coreTexts...) {
		if name != core && strings.EqualFold(name, core) {
			return true
		}
	}
	return false
}

// coreAccepts says whether a value may stand under a name.
func coreAccepts(name string, value []byte) bool {
	if string(value) == "null" {
		return true
	}
	if name == "event_seq" {
		_, err := strconv.ParseUint(string(value), 10, 64)
		return err == nil && digitsOnly.Match(value)
	}
	for _, core := range coreTexts {
		if name == core {
			return value[0] == '"' && !loneSurrogate(value)
		}
	}
	return true
}

// depthOf counts the nesting of a valid text, token by token.
func depthOf(data []byte) int {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	depth, deepest := 0, 0
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return deepest
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
			deepest = max(deepest, depth)
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
}

// loneSurrogate says whether a valid string, as written, has an escape for half of a surrogate pair.
func loneSurrogate(quoted []byte) bool {
	for i := 0; i < len(quoted); i++ {
		if quoted[i] != '\\' {
			continue
		}
		first, ok := escapedUnit(quoted[i:])
		if !ok {
			i++
			continue
		}
		i += 5
		if utf16.IsSurrogate(first) {
			second, ok := escapedUnit(quoted[i+1:])
			if !ok || utf16.DecodeRune(first, second) == utf8.RuneError {
				return true
			}
			i += 6
		}
	}
	return false
}

func escapedUnit(text []byte) (rune, bool) {
	escape := unicodeEscape.Find(text)
	if escape == nil {
		return 0, false
	}
	n, err := strconv.ParseUint(string(escape[2:]), 16, 16)
	return rune(n), err == nil
}

// oracleEnvelope is what the oracle's members make.
func oracleEnvelope(members []member) *envelope.Envelope {
	e := &envelope.Envelope{Extensions: map[string]json.RawMessage{}}
	texts := map[string]*string{"arcp": &e.ARCP, "id": &e.ID, "type": &e.Type, "session_id": &e.SessionID, "trace_id": &e.TraceID, "job_id": &e.JobID}
	for _, m := range members {
		switch text := texts[m.name]; {
		case m.name == "payload":
			e.Payload = m.value
		case m.name == "event_seq":
			_ = json.Unmarshal(m.value, &e.EventSeq)
		case text != nil:
			_ = json.Unmarshal(m.value, text)
		default:
			e.Extensions[m.name] = m.value
		}
	}
	return e
}

// splice is the oracle for one edit on the wire; a nil value deletes.
func splice(data []byte, members []member, name string, value []byte) string {
	text := string(data)
	quoted := func() string {
		var b strings.Builder
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false)
		_ = encoder.Encode(name)
		return strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029").Replace(strings.TrimSuffix(b.String(), "\n"))
	}
	for i, m := range members {
		switch {
		case m.name != name:
		case value != nil:
			return text[:m.start] + string(value) + text[m.end:]
		case i > 0:
			comma := members[i-1].end + strings.IndexByte(text[members[i-1].end:], ',')
			return text[:comma] + text[m.end:]
		default:
			rest := text[m.end:]
			if len(members) > 1 {
				rest = rest[strings.IndexByte(rest, ',')+1:]
			}
			return text[:m.nameStart] + rest
		}
	}
	if value == nil {
		return text
	}
	closing := strings.LastIndexByte(text, '}')
	added := quoted() + ":" + string(value)
	if len(members) > 0 {
		added = "," + added
	}
	return text[:closing] + added + text[closing:]
}

// TestOracleAgreesWithTheTables checks the oracle itself on what people wrote down.
func TestOracleAgreesWithTheTables(t *testing.T) {
	for _, row := range accepted {
		members, err := oracle([]byte(row.input), envelope.Options{})
		if err != nil || !oracleEnvelope(members).Equal(row.want) {
			t.Errorf("%s: %v, %v", row.rule, members, err)
		}
	}
	for _, row := range refused {
		if members, err := oracle([]byte(row.input), envelope.Options{}); err == nil {
			t.Errorf("%s: %v", row.rule, members)
		}
	}
}
