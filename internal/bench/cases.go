package bench

import (
	"bytes"
	"fmt"
)

// Case is one body that is measured.
type Case struct {
	Name  string // as the testing package and benchstat write it, without "Benchmark"
	Bytes int    // input of one operation

	// Run does the operation once, into a buffer of its own that it uses
	// again the next time. It is not safe for concurrent use.
	Run func() error
}

// Works are the kinds of work, in the order of the report; each is the name
// of a function of [Codec], and Limit is that of [Limits].
var Works = []string{"Forward", "Change", "Peek", "Add", "Route", "Read", "Stream", "Limit"}

// CaseName names one kind of work on one message by one codec or limit.
func CaseName(work, size, codec string) string {
	return fmt.Sprintf("%s/size=%s/codec=%s", work, size, codec)
}

// sink keeps results alive, so that the compiler cannot drop the work.
var sink struct {
	bytes []byte
	text  string
	route Route
}

// Cases returns every body, those that are compared with each other next to
// each other.
func Cases() ([]Case, error) {
	var all []Case
	for _, m := range Messages() {
		for _, work := range Works[:6] {
			if m.Size == "session" && (work == "Change" || work == "Read") {
				continue // no message of the session has the field
			}
			for _, c := range Codecs() {
				frames, err := c.adapt(m.Frames)
				if err != nil {
					return nil, fmt.Errorf("%s for %s: %w", m.Size, c.Name, err)
				}
				if one := c.body(work, m.Bytes()); one != nil {
					all = append(all, Case{CaseName(work, m.Size, c.Name), m.Bytes(), overFrames(frames, one)})
				}
			}
		}
		for _, l := range Limits() {
			dst := make([]byte, m.Bytes())
			all = append(all, Case{CaseName("Limit", m.Size, l.Name), m.Bytes(), overFrames(m.Frames, func(data []byte) error {
				if !l.Run(dst, data) {
					return errInvalid
				}
				return nil
			})})
		}
	}
	for _, c := range Codecs() {
		if c.Stream == nil {
			continue
		}
		lines, err := c.adaptLines(MixedStream())
		if err != nil {
			return nil, fmt.Errorf("the stream for %s: %w", c.Name, err)
		}
		var dst bytes.Buffer
		all = append(all, Case{CaseName("Stream", "mixed", c.Name), len(lines), func() error {
			dst.Reset()
			return c.Stream(&dst, lines)
		}})
	}
	return all, nil
}

func overFrames(frames [][]byte, one func([]byte) error) func() error {
	return func() error {
		for _, f := range frames {
			if err := one(f); err != nil {
				return err
			}
		}
		return nil
	}
}

// body returns one operation on one message of at most size bytes, or nil if
// the codec cannot do it.
func (c Codec) body(work string, size int) func(data []byte) error {
	write := func(f func(dst, data []byte) ([]byte, error)) func([]byte) error {
		if f == nil {
			return nil
		}
		dst := make([]byte, 0, size+1<<10)
		return func(data []byte) (err error) {
			sink.bytes, err = f(dst, data)
			return err
		}
	}
	switch work {
	case "Forward":
		return write(c.Forward)
	case "Change":
		return write(c.Change)
	case "Add":
		return write(c.Add)
	case "Route":
		return write(c.Route)
	case "Peek":
		if c.Peek == nil {
			return nil
		}
		return func(data []byte) (err error) {
			sink.route, err = c.Peek(data)
			return err
		}
	case "Read":
		if c.Read == nil {
			return nil
		}
		return func(data []byte) (err error) {
			sink.text, err = c.Read(data)
			return err
		}
	}
	panic("bench: no such work: " + work)
}

func (c Codec) adapt(frames [][]byte) ([][]byte, error) {
	if c.Adapt == nil {
		return frames, nil
	}
	adapted := make([][]byte, len(frames))
	for i, f := range frames {
		var err error
		if adapted[i], err = c.Adapt(f); err != nil {
			return nil, err
		}
	}
	return adapted, nil
}

func (c Codec) adaptLines(lines []byte) ([]byte, error) {
	frames, err := c.adapt(bytes.Split(bytes.TrimSuffix(lines, []byte("\n")), []byte("\n")))
	if err != nil {
		return nil, err
	}
	return append(bytes.Join(frames, []byte("\n")), '\n'), nil
}
