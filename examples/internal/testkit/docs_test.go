package testkit

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const page = "../../../docs/proxies.md"

// sample is a command in the page and the output below it.
var sample = regexp.MustCompile("(?s)```sh\n(.*?)```\n\n```text\n(.*?)```\n")

// changing is what differs from run to run: the time in a row of the table, the speed in a summary.
var changing = regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d\.\d{3} in |^\d\d:\d\d:\d\d\.\d{3} out|^speed .*`)

// TestThePageTellsTheTruth follows docs/proxies.md as a newcomer would, from top to bottom, and compares what
// the commands print. With -update it writes their output into the page.
func TestThePageTellsTheTruth(t *testing.T) {
	bin, dir := t.TempDir(), t.TempDir()
	build := exec.Command("go", "build", "-o", bin+string(filepath.Separator),
		"../../stdiotap", "../../arcpcat", "../../proxy")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	data, err := filepath.Abs("../../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(data, filepath.Join(dir, "testdata")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	samples := 0
	followed := sample.ReplaceAllStringFunc(string(text), func(block string) string {
		samples++
		m := sample.FindStringSubmatch(block)
		command := strings.ReplaceAll(m[1], "go run ./examples/", bin+string(filepath.Separator))
		shell := exec.Command("/bin/sh", "-c", command)
		shell.Dir = dir
		out, err := shell.CombinedOutput()
		if _, failed := err.(*exec.ExitError); err != nil && !failed {
			t.Fatal(err)
		}
		got := string(out)
		if *update {
			return strings.TrimSuffix(block, m[2]+"```\n") + got + "```\n"
		}
		if want := changing.ReplaceAllString(m[2], "~"); changing.ReplaceAllString(got, "~") != want {
			t.Errorf("%sprints\n%s\nand in the page\n%s", m[1], got, m[2])
		}
		return block
	})
	if samples < 5 {
		t.Fatalf("%d samples found in %s", samples, page)
	}
	if *update {
		if err := os.WriteFile(page, []byte(followed), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWsproxyFlags reads the flags out of the source, since that program is of another module.
func TestWsproxyFlags(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../../wsproxy/flags.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var help strings.Builder
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		define, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || !strings.HasSuffix(define.Sel.Name, "Var") && define.Sel.Name != "Func" {
			return true
		}
		for _, arg := range call.Args {
			if name, ok := arg.(*ast.BasicLit); ok && name.Kind == token.STRING {
				help.WriteString("  -" + strings.Trim(name.Value, `"`) + "\n")
				break
			}
		}
		return true
	})
	FlagDoc(t, page, "wsproxy", help.String())
}

func TestThePagesPictureIsThere(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`\]\(([a-z]+\.svg)\)`).FindStringSubmatch(string(text))
	if m == nil {
		t.Fatal("no picture")
	}
	picture, err := os.ReadFile(filepath.Join(filepath.Dir(page), m[1]))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(picture), "prefers-color-scheme: dark") {
		t.Errorf("%s has no colours for dark pages", m[1])
	}
}
