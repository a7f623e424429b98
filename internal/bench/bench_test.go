package bench

import "testing"

// BenchmarkAll runs the bodies under the testing package, for profiles and
// for a look at one of them. Ratios come from cmd/measure, whose rounds take
// turns.
func BenchmarkAll(b *testing.B) {
	cases, err := Cases()
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range append(cases, GrowthCases()...) {
		b.Run(c.Name, func(b *testing.B) {
			b.SetBytes(int64(c.Bytes))
			b.ReportAllocs()
			for b.Loop() {
				if err := c.Run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
