package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Member is one field of a JSON object, with the value's text as it stands
// there.
type Member struct {
	Name  string
	Value json.RawMessage
}

var errNoObject = errors.New("bench: not one JSON object")

// Members splits an object into its fields, in order and duplicates
// included. It is slow and plain, and stands on encoding/json alone: what
// the codecs did is judged by it.
func Members(text []byte) ([]Member, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, errNoObject
	}
	var members []Member
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		members = append(members, Member{name.(string), value})
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errNoObject
	}
	return members, nil
}

// Losses says how out differs from in, which a codec forwarded. It is an
// error if the difference is none of the known losses: then the codec
// did other work than the rest, and its time means nothing.
func Losses(in, out []byte) ([]Loss, error) {
	from, err := Members(in)
	if err != nil {
		return nil, err
	}
	to, err := Members(out)
	if err != nil {
		return nil, err
	}
	return lossesOf(from, to)
}

func lossesOf(from, to []Member) ([]Loss, error) {
	found := make(map[Loss]bool)
	var kept []Member
	at := make(map[string]int, len(to))
	for i, m := range to {
		at[m.Name] = i
	}
	for _, m := range from {
		i, ok := at[m.Name]
		if !ok {
			if slices.Contains(coreNames[:], m.Name) {
				return nil, fmt.Errorf("core field %s is gone", m.Name)
			}
			found[LosesExtensions] = true
			continue
		}
		kept = append(kept, m)
		loss, err := valueLoss(m.Value, to[i].Value)
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", m.Name, err)
		}
		found[loss] = true
	}
	if len(to) != len(kept) {
		return nil, errors.New("fields that were not in the message")
	}
	for i, m := range kept {
		if to[i].Name != m.Name {
			found[LosesOrder] = true
		}
	}
	var losses []Loss
	for _, l := range []Loss{LosesExtensions, LosesNumbers, LosesOrder, LosesEscapes} {
		if found[l] {
			losses = append(losses, l)
		}
	}
	return losses, nil
}

// valueLoss compares two texts of one value token by token; "" means that
// they are the same.
func valueLoss(in, out []byte) (Loss, error) {
	if bytes.Equal(in, out) {
		return "", nil
	}
	a, b := json.NewDecoder(bytes.NewReader(in)), json.NewDecoder(bytes.NewReader(out))
	a.UseNumber()
	b.UseNumber()
	for {
		s, errA := a.Token()
		t, errB := b.Token()
		_, number := s.(json.Number)
		_, stillNumber := t.(json.Number)
		switch {
		case errA == io.EOF && errB == io.EOF:
			return LosesEscapes, nil
		case errA != nil || errB != nil:
			return "", errors.New("the value has another shape")
		case s == t:
		case number && stillNumber:
			return LosesNumbers, nil
		default:
			return "", errors.New("the value is another")
		}
	}
}
