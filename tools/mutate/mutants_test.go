package main

import (
	"go/format"
	"slices"
	"strings"
	"testing"
)

const sample = `package p

import "errors"

const limit = 3

func f(a, b int, ok bool) (int, error) {
	if a < b && ok {
		a++
		return a + 1, nil
	}
	for !ok {
		a -= 'x'
		break
	}
	switch {
	case ok:
		g()
	}
	return 0, errors.New("no")
}
`

func TestMutants(t *testing.T) {
	want := []string{
		`5:15: constant: "3" becomes "4"`,
		`5:15: constant: "3" becomes "2"`,
		`8:11: logic: "&&" becomes "||"`,
		`8:10: half of a condition: " && ok"`,
		`8:5: half of a condition: "a < b && "`,
		`8:7: boundary: "<" becomes "<="`,
		`8:7: negation: "<" becomes ">="`,
		`9:4: count: "++" becomes "--"`,
		`9:3: statement removed: "a++"`,
		`10:3: statement removed: "return a + 1, nil"`,
		`10:10: zero result: "a + 1" becomes "*new(int)"`,
		`10:12: arithmetic: "+" becomes "-"`,
		`10:14: constant: "1" becomes "2"`,
		`10:14: constant: "1" becomes "0"`,
		`12:6: negation: "!"`,
		`13:3: statement removed: "a -= 'x'"`,
		`13:5: arithmetic: "-=" becomes "+="`,
		`13:8: constant: "'x'" becomes "'y'"`,
		`13:8: constant: "'x'" becomes "'w'"`,
		`14:3: statement removed: "break"`,
		`17:7: negation: "ok" becomes "!(ok)"`,
		`18:3: statement removed: "g()"`,
		`20:2: statement removed: "return 0, errors.New(\"no\")"`,
		`20:12: zero result: "errors.New(\"no\")" becomes "nil"`,
		`20:9: constant: "0" becomes "1"`,
	}
	list, err := mutants("p.go", []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range list {
		got = append(got, strings.TrimPrefix(m.String(), "p.go:"))
		changed := m.apply([]byte(sample))
		if string(changed) == sample {
			t.Errorf("%s changes nothing", m)
		}
		if _, err := format.Source(changed); err != nil {
			t.Errorf("%s: %v", m, err)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestMutantsOfNoGo(t *testing.T) {
	if _, err := mutants("p.go", []byte("package")); err == nil {
		t.Error("no error")
	}
}

// TestPick: a sample is the same every time and is spread over the files.
func TestPick(t *testing.T) {
	all, err := mutants("p.go", []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	text := func(list []mutant) (s string) {
		for _, m := range list {
			s += m.String() + "\n"
		}
		return s
	}
	first := pick(all, 7, 1)
	if len(first) != 7 || text(first) != text(pick(all, 7, 1)) {
		t.Errorf("two samples differ, or are not of 7:\n%s", text(first))
	}
	if text(first) == text(pick(all, 7, 2)) {
		t.Error("another seed gives the same sample")
	}
	if text(pick(all, 0, 1)) != text(all) || text(pick(all, 100, 1)) != text(all) {
		t.Error("no limit, or a large one, does not give all of them")
	}
}
