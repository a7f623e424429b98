package bench

import (
	"bytes"
	"slices"
	"testing"
)

// TestMessages pins the sizes that the contract gives, since ratios mean
// nothing on other messages.
func TestMessages(t *testing.T) {
	limits := map[string][2]int{ // bytes of all frames
		"small":   {500, 560},
		"medium":  {4_300, 4_700},
		"large":   {1 << 20, 1<<20 + 1000},
		"prose":   {1 << 20, 1<<20 + 1000},
		"session": {7_000, 9_000},
		"wide":    {30_000, 40_000},
		"deep":    {2_000, 3_000},
	}
	for _, m := range Messages() {
		want := limits[m.Size]
		if n := m.Bytes(); n < want[0] || n > want[1] {
			t.Errorf("%s: %d bytes, want %d to %d", m.Size, n, want[0], want[1])
		}
		for _, f := range m.Frames {
			if _, err := Members(f); err != nil {
				t.Errorf("%s: %v", m.Size, err)
			}
		}
	}
	extensions := map[string]int{"small": 3, "wide": 1000}
	for _, m := range Messages() {
		want, ok := extensions[m.Size]
		if !ok {
			continue
		}
		members, err := Members(m.Frames[0])
		if err != nil {
			t.Fatal(err)
		}
		if got := len(members) - len(coreNames); got != want {
			t.Errorf("%s: %d extensions, want %d", m.Size, got, want)
		}
	}
}

// eachFrame calls f with every frame of every message in the form that the
// codec reads.
func eachFrame(t *testing.T, c Codec, f func(t *testing.T, m Message, frame []byte)) {
	for _, m := range Messages() {
		frames, err := c.adapt(m.Frames)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(m.Size, func(t *testing.T) {
			for _, frame := range frames {
				f(t, m, frame)
			}
		})
	}
}

// forEach runs f once for every codec that has the work.
func forEach(t *testing.T, has func(Codec) bool, f func(*testing.T, Codec)) {
	for _, c := range Codecs() {
		if has(c) {
			t.Run(c.Name, func(t *testing.T) { f(t, c) })
		}
	}
}

// TestForward checks that every codec hands on the whole message but for
// what it is said to lose, and that it does lose that.
func TestForward(t *testing.T) {
	forEach(t, func(c Codec) bool { return c.Forward != nil }, func(t *testing.T, c Codec) {
		seen := make(map[Loss]bool)
		eachFrame(t, c, func(t *testing.T, _ Message, frame []byte) {
			before := bytes.Clone(frame)
			out, err := c.Forward(nil, frame)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(frame, before) {
				t.Fatal("the input was written to")
			}
			losses, err := Losses(frame, out)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range losses {
				seen[l] = true
			}
			if len(c.Loses) == 0 && !bytes.Equal(out, frame) {
				t.Error("said to lose nothing, but the bytes differ")
			}
		})
		var got []Loss
		for _, l := range []Loss{LosesExtensions, LosesNumbers, LosesOrder, LosesEscapes} {
			if seen[l] {
				got = append(got, l)
			}
		}
		if !slices.Equal(got, c.Loses) {
			t.Errorf("loses %v, said to lose %v", got, c.Loses)
		}
	})
}

// checkSet verifies that out is frame with one field set, and otherwise
// what Forward may make of it.
func checkSet(t *testing.T, c Codec, frame, out []byte, name, value string) {
	t.Helper()
	if c.Adapt != nil {
		name = eventName(name)
	}
	// without splits a message into the field's value and the other fields.
	without := func(text []byte) (rest []Member, got string) {
		members, err := Members(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range members {
			if m.Name == name {
				got += string(m.Value)
			} else {
				rest = append(rest, m)
			}
		}
		return rest, got
	}
	before, _ := without(frame)
	after, got := without(out)
	if c.Adapt != nil && value[0] == '{' {
		value = `"` + string(bytes.ReplaceAll([]byte(value), []byte(`"`), []byte(`\"`))) + `"`
	}
	if got != value {
		t.Errorf("%s is %s, want %s", name, got, value)
	}
	losses, err := lossesOf(before, after)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range losses {
		if !slices.Contains(c.Loses, l) {
			t.Errorf("loses %s", l)
		}
	}
}

func TestChange(t *testing.T) {
	forEach(t, func(c Codec) bool { return c.Change != nil }, func(t *testing.T, c Codec) {
		eachFrame(t, c, func(t *testing.T, m Message, frame []byte) {
			if m.Size == "session" {
				return
			}
			out, err := c.Change(nil, frame)
			if err != nil {
				t.Fatal(err)
			}
			checkSet(t, c, frame, out, ExistingField, ChangedValue)
		})
	})
}

func TestAdd(t *testing.T) {
	forEach(t, func(c Codec) bool { return c.Add != nil }, func(t *testing.T, c Codec) {
		eachFrame(t, c, func(t *testing.T, _ Message, frame []byte) {
			out, err := c.Add(nil, frame)
			if err != nil {
				t.Fatal(err)
			}
			checkSet(t, c, frame, out, AddedField, AddedValue)
		})
	})
}

func TestRoute(t *testing.T) {
	forEach(t, func(c Codec) bool { return c.Route != nil }, func(t *testing.T, c Codec) {
		eachFrame(t, c, func(t *testing.T, _ Message, frame []byte) {
			out, err := c.Route(nil, frame)
			if err != nil {
				t.Fatal(err)
			}
			checkSet(t, c, frame, out, AddedField, AddedValue)
		})
	})
}

func TestPeek(t *testing.T) {
	forEach(t, func(c Codec) bool { return c.Peek != nil }, func(t *testing.T, c Codec) {
		eachFrame(t, c, func(t *testing.T, m Message, frame []byte) {
			got, err := c.Peek(frame)
			if err != nil {
				t.Fatal(err)
			}
			// jsonv2 and encoding/json are both measured and trusted here:
			// the wanted digest comes from the slow splitter.
			if want := wantRoute(t, c, frame); got != want {
				t.Errorf("digest %x, want %x", got, want)
			}
		})
	})
}

func wantRoute(t *testing.T, c Codec, frame []byte) Route {
	t.Helper()
	members, err := Members(frame)
	if err != nil {
		t.Fatal(err)
	}
	value := make(map[string]string)
	for _, m := range members {
		value[m.Name] = string(bytes.Trim(m.Value, `"`))
	}
	name := func(field string) string {
		if c.Adapt != nil {
			return eventName(field)
		}
		return field
	}
	var seq uint64
	for _, d := range value[name("event_seq")] {
		seq = seq*10 + uint64(d-'0')
	}
	return routeOf(value[name("type")], value[name("session_id")], value[name("job_id")], seq)
}

func TestRead(t *testing.T) {
	forEach(t, func(c Codec) bool { return c.Read != nil }, func(t *testing.T, c Codec) {
		eachFrame(t, c, func(t *testing.T, m Message, frame []byte) {
			if m.Size == "session" {
				return
			}
			got, err := c.Read(frame)
			if err != nil {
				t.Fatal(err)
			}
			if got != ExistingValue {
				t.Errorf("got %q, want %q", got, ExistingValue)
			}
		})
	})
}

// TestStream checks that a stream gives as many messages as went in, each
// with no other losses than Forward has.
func TestStream(t *testing.T) {
	forEach(t, func(c Codec) bool { return c.Stream != nil }, func(t *testing.T, c Codec) {
		in, err := c.adaptLines(MixedStream())
		if err != nil {
			t.Fatal(err)
		}
		var dst bytes.Buffer
		if err := c.Stream(&dst, in); err != nil {
			t.Fatal(err)
		}
		from, to := bytes.SplitAfter(in, []byte("\n")), bytes.SplitAfter(dst.Bytes(), []byte("\n"))
		if len(from) != len(to) {
			t.Fatalf("%d lines, want %d", len(to)-1, len(from)-1)
		}
		for i := range from[:len(from)-1] {
			losses, err := Losses(from[i], to[i])
			if err != nil {
				t.Fatalf("line %d: %v", i+1, err)
			}
			for _, l := range losses {
				if !slices.Contains(c.Loses, l) {
					t.Errorf("line %d: loses %s", i+1, l)
				}
			}
		}
	})
}

// TestCases runs every measured body twice, so that one that fails on a
// used buffer is found here and not in an hour of measuring.
func TestCases(t *testing.T) {
	cases, err := Cases()
	if err != nil {
		t.Fatal(err)
	}
	names := make(map[string]bool)
	for _, c := range cases {
		if names[c.Name] {
			t.Errorf("%s is there twice", c.Name)
		}
		names[c.Name] = true
		for range 2 {
			if err := c.Run(); err != nil {
				t.Errorf("%s: %v", c.Name, err)
			}
		}
	}
}

// TestLosses pins the judge: each kind of harm is told from the others.
func TestLosses(t *testing.T) {
	const in = `{"id":"a","payload":{"n":1.0,"s":"<"},"x":1}`
	tests := []struct {
		rule, out string
		want      []Loss
	}{
		{"the same bytes are no loss", in, nil},
		{"a missing extension", `{"id":"a","payload":{"n":1.0,"s":"<"}}`, []Loss{LosesExtensions}},
		{"a number of the same value with another text", `{"id":"a","payload":{"n":1,"s":"<"},"x":1}`, []Loss{LosesNumbers}},
		{"another order", `{"id":"a","x":1,"payload":{"n":1.0,"s":"<"}}`, []Loss{LosesOrder}},
		{"another escape of the same text", `{"id":"a","payload":{"n":1.0,"s":"\u003c"},"x":1}`, []Loss{LosesEscapes}},
		{"more than one", `{"payload":{"n":1.0,"s":"\u003c"},"id":"a"}`, []Loss{LosesExtensions, LosesOrder, LosesEscapes}},
	}
	for _, tt := range tests {
		got, err := Losses([]byte(in), []byte(tt.out))
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, %v; want %v", tt.rule, got, err, tt.want)
		}
	}
	for rule, out := range map[string]string{
		"a core field is gone":     `{"payload":{"n":1.0,"s":"<"},"x":1}`,
		"a text is another":        `{"id":"b","payload":{"n":1.0,"s":"<"},"x":1}`,
		"a value has lost a field": `{"id":"a","payload":{"n":1.0},"x":1}`,
		"a field more":             `{"id":"a","payload":{"n":1.0,"s":"<"},"x":1,"y":1}`,
		"no object":                `null`,
		"two objects":              `{"id":"a","payload":{"n":1.0,"s":"<"},"x":1} {}`,
	} {
		if got, err := Losses([]byte(in), []byte(out)); err == nil {
			t.Errorf("%s: no error, losses %v", rule, got)
		}
	}
}
