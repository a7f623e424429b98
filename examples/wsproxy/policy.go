package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/xvendor"
)

// A policy is what every message must satisfy and what is added to it.
type policy struct {
	options   envelope.Options
	stamps    []stamp
	require   []string        // vendor names
	requireOn map[string]bool // message types
}

// A stamp is a vendor extension set on every message.
type stamp struct {
	key   xvendor.Key[json.RawMessage]
	value json.RawMessage // valid
}

func (s stamp) name() string { return s.key.Name().String() }

func newPolicy(cfg config) *policy {
	p := &policy{
		options:   envelope.Options{MaxBytes: int(cfg.maxBytes), RejectLookalikes: cfg.rejectLookalikes},
		stamps:    cfg.stamps,
		require:   cfg.require,
		requireOn: map[string]bool{},
	}
	for _, typ := range cfg.requireOn {
		p.requireOn[typ] = true
	}
	return p
}

// The reasons of refusals, in the fixed words of the metric arcp_wsproxy_refused_total.
const (
	reasonSyntax    = "syntax"
	reasonDuplicate = "duplicate field"
	reasonType      = "wrong type"
	reasonTooDeep   = "too deep"
	reasonTooMany   = "too many fields"
	reasonLookalike = "lookalike"
	reasonMissing   = "missing extension"
	reasonTooLarge  = "too large"
	reasonBinary    = "binary"
	reasonOther     = "other"
)

// A refusal is why a message is not passed on. Its text names fields and places and holds no value of the message.
type refusal struct {
	reason string
	text   string
	field  string // where known
	offset int    // in the message; -1 where there is none
}

// apply checks the message in data and returns the message to pass on: data itself, or a copy with the stamps, made
// in buffers. The header is that of data; after a refusal, as much of it as could be read.
func (p *policy) apply(buffers *[2][]byte, data []byte) (envelope.Header, []byte, *refusal) {
	header, err := p.options.Peek(data)
	if err != nil {
		if errors.Is(err, envelope.ErrLookalike) {
			// The id may stand behind the look-alike; the message is refused all the same.
			trusting := p.options
			trusting.RejectLookalikes = false
			header, _ = trusting.Peek(data)
		}
		return header, nil, refusalOf(err)
	}
	if len(p.require) > 0 && p.requireOn[string(header.Type)] {
		if r := p.checkRequired(data); r != nil {
			return header, nil, r
		}
	}
	out, err := p.stamp(buffers, data)
	if err != nil {
		return header, nil, refusalOf(err)
	}
	return header, out, nil
}

// stamp returns data with every stamp set.
func (p *policy) stamp(buffers *[2][]byte, data []byte) ([]byte, error) {
	if len(p.stamps) > 0 && mayNest(data) {
		return p.stampBoth(data)
	}
	for i, s := range p.stamps {
		buf := &buffers[i%2]
		stamped, err := p.options.AppendSet((*buf)[:0], data, s.name(), s.value)
		if err != nil {
			return nil, err
		}
		*buf, data = stamped, stamped
	}
	return data, nil
}

// mayNest reports whether a message may have the object "extensions", where half of the ARCP libraries put vendor
// fields. A message could hold another value for a stamped name in there, and its receiver believe that one.
func mayNest(data []byte) bool {
	return bytes.Contains(data, []byte(`"extensions"`)) || bytes.Contains(data, []byte(`\u`)) // the name may be escaped
}

// stampBoth is stamp for messages that mayNest: it takes the names out of "extensions".
func (p *policy) stampBoth(data []byte) ([]byte, error) {
	env, err := p.options.Decode(data)
	if err != nil {
		return nil, err
	}
	for _, s := range p.stamps {
		if err := s.key.Set(&env.Extensions, s.value); err != nil {
			return nil, err
		}
	}
	return env.AppendJSON(nil)
}

// checkRequired finds the first required extension that the message lacks, wherever its peer puts vendor fields. A
// null says that there is no value, so it does not count as one.
func (p *policy) checkRequired(data []byte) *refusal {
	env, err := p.options.Decode(data)
	if err != nil {
		return refusalOf(err)
	}
	for _, name := range p.require {
		value, ok := xvendor.Lookup(env.Extensions, name)
		if !ok || string(value) == "null" {
			return &refusal{
				reason: reasonMissing, field: name, offset: -1,
				text: "the extension " + name + " is required on this type of message",
			}
		}
	}
	return nil
}

func refusalOf(err error) *refusal {
	r := &refusal{reason: reasonOther, text: err.Error(), offset: -1}
	if at, ok := errors.AsType[*envelope.Error](err); ok {
		r.field, r.offset = at.Field, at.Offset
	}
	for _, known := range []struct {
		err    error
		reason string
	}{
		{envelope.ErrSyntax, reasonSyntax},
		{envelope.ErrDuplicate, reasonDuplicate},
		{envelope.ErrType, reasonType},
		{envelope.ErrTooLarge, reasonTooLarge},
		{envelope.ErrTooDeep, reasonTooDeep},
		{envelope.ErrTooManyFields, reasonTooMany},
		{envelope.ErrLookalike, reasonLookalike},
	} {
		if errors.Is(err, known.err) {
			r.reason = known.reason
			break
		}
	}
	return r
}

// longestID is the longest id of a refused message that its answer repeats, in bytes.
const longestID = 1 << 10

// answer is the session.error for the sender of the refused message: the code INVALID_REQUEST (ARCP section 12), the
// reason, and in details the id of the message where one could be read. It carries the message's session_id.
func (r *refusal) answer(refused envelope.Header) []byte {
	type details struct {
		ID     string `json:"id,omitempty"`
		Field  string `json:"field,omitempty"`
		Offset *int   `json:"offset,omitempty"`
	}
	payload := struct {
		Code      string   `json:"code"`
		Message   string   `json:"message"`
		Retryable bool     `json:"retryable"`
		Details   *details `json:"details,omitempty"`
	}{Code: (*envelope.Error)(nil).Code(), Message: r.text}
	d := details{Field: r.field}
	if r.offset >= 0 {
		d.Offset = &r.offset
	}
	if len(refused.ID) <= longestID {
		d.ID = string(refused.ID)
	}
	if d != (details{}) {
		payload.Details = &d
	}
	env, err := envelope.New("session.error", payload)
	if err != nil {
		return nil
	}
	if len(refused.SessionID) <= longestID {
		env.SessionID = string(refused.SessionID)
	}
	out, err := env.AppendJSON(nil)
	if err != nil {
		return nil
	}
	return out
}

// parseStamp reads the value of -stamp: a vendor name that anybody may use, "=", and a JSON value.
func parseStamp(text string) (stamp, error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return stamp{}, errors.New("want name=json, as in x-vendor.acme.zone=\"eu\"")
	}
	key, err := xvendor.NewKey[json.RawMessage](name)
	if err != nil {
		return stamp{}, err
	}
	if !json.Valid([]byte(value)) {
		return stamp{}, fmt.Errorf("the value of %s is not JSON; a text needs its double quotes inside the shell's", name)
	}
	return stamp{key: key, value: json.RawMessage(value)}, nil
}
