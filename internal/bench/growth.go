package bench

import (
	"fmt"
	"strings"

	"github.com/arcp-go/arcp/envelope"
)

// MaxGrowth is how many times more time ten times the input may take. Ten
// would be linear; the rest is for caches that no longer hold it.
const MaxGrowth = 15

// Axis is a way in which a message grows. Every point has ten times the
// input of the one before.
type Axis struct {
	Name   string
	Unit   string
	Points []int
	Make   func(n int) []byte
}

// Axes returns the ways of growing, each over four decades. The limits of
// fields and depth are 1,024 and 1,000; the last points raise them.
func Axes() []Axis {
	return []Axis{
		{"size", "bytes", []int{100, 1_000, 10_000, 100_000, 1_000_000}, bySize},
		{"fields", "fields", []int{1, 10, 100, 1_000, 10_000}, byFields},
		{"depth", "levels", []int{1, 10, 100, 1_000, 10_000}, byDepth},
	}
}

// bySize is an envelope of n bytes, or up to twelve less, with a payload of
// small records.
func bySize(n int) []byte {
	const start, record, end = `{"arcp":"1.1","type":"job.event","payload":[`, `{"n":12345},`, `0]}`
	room := (n - len(start) - len(end)) / len(record)
	return []byte(start + strings.Repeat(record, room) + end)
}

// byFields is an envelope of n fields, all extensions.
func byFields(n int) []byte {
	b := []byte{'{'}
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `"x-vendor.acme.field_%d":%d`, i, i)
	}
	return append(b, '}')
}

// byDepth is an envelope nested n deep, the envelope itself being the first.
func byDepth(n int) []byte {
	if n == 1 {
		return []byte(`{}`)
	}
	return []byte(`{"payload":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + `}`)
}

// growthWorks is what is measured at every point.
var growthWorks = []struct {
	name string
	run  func(o envelope.Options, dst, data []byte) ([]byte, error)
}{
	{"Forward", func(o envelope.Options, dst, data []byte) ([]byte, error) {
		e, err := o.Decode(data)
		if err != nil {
			return nil, err
		}
		return e.AppendJSON(dst)
	}},
	{"Change", func(o envelope.Options, dst, data []byte) ([]byte, error) {
		e, err := o.Decode(data)
		if err != nil {
			return nil, err
		}
		if err := e.SetExtension(AddedField, 1); err != nil {
			return nil, err
		}
		return e.AppendJSON(dst)
	}},
	{"Peek", func(o envelope.Options, dst, data []byte) ([]byte, error) {
		_, err := o.Peek(data)
		return dst, err
	}},
	{"Add", func(o envelope.Options, dst, data []byte) ([]byte, error) {
		return o.AppendSet(dst, data, AddedField, []byte(AddedValue))
	}},
}

func growthName(axis, work string, n int) string {
	return fmt.Sprintf("Growth/axis=%s/work=%s/n=%d", axis, work, n)
}

// GrowthCases returns the bodies that are measured for growth.
func GrowthCases() []Case {
	raised := envelope.Options{MaxDepth: 1 << 20, MaxMembers: 1 << 20}
	var cases []Case
	for _, a := range Axes() {
		for i, n := range a.Points {
			data := a.Make(n)
			dst := make([]byte, 0, len(data)+1<<10)
			var o envelope.Options
			if i == len(a.Points)-1 {
				o = raised
			}
			for _, w := range growthWorks {
				cases = append(cases, Case{growthName(a.Name, w.name, n), len(data), func() (err error) {
					sink.bytes, err = w.run(o, dst, data)
					return err
				}})
			}
		}
	}
	return cases
}

// Curve is the best time of one kind of work at every point of an axis.
type Curve struct {
	Axis  Axis
	Work  string
	Ns    []float64
	Worst float64 // the greatest quotient of neighbouring points
}

// Met reports whether the time grows as it should.
func (c Curve) Met() bool { return c.Worst <= MaxGrowth }

// Growth reads the curves out of a run.
func (r *Results) Growth() ([]Curve, error) {
	best := r.Best()
	var curves []Curve
	for _, a := range Axes() {
		for _, w := range growthWorks {
			c := Curve{Axis: a, Work: w.name}
			for i, n := range a.Points {
				s, ok := best[growthName(a.Name, w.name, n)]
				if !ok {
					return nil, fmt.Errorf("no sample of %s", growthName(a.Name, w.name, n))
				}
				c.Ns = append(c.Ns, s.Ns)
				if i > 0 {
					c.Worst = max(c.Worst, c.Ns[i]/c.Ns[i-1])
				}
			}
			curves = append(curves, c)
		}
	}
	return curves, nil
}
