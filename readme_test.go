package arcp_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestReadme holds the program in the README, and what it prints, against examples/quickstart.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("examples/quickstart/main.go")
	if err != nil {
		t.Fatal(err)
	}
	code := string(program)
	code = code[strings.Index(code, "package main"):]
	if !strings.Contains(string(readme), "```go\n"+code+"```\n") {
		t.Error("the README does not have the program of examples/quickstart")
	}
	out, err := exec.Command("go", "run", "./examples/quickstart").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), "```text\n"+string(out)+"```\n") {
		t.Errorf("the README does not have what the program prints:\n%s", out)
	}
	if lines := strings.Count(string(readme), "\n"); lines >= 170 {
		t.Errorf("the README has %d lines, want fewer than 170", lines)
	}
}
