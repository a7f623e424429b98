package envelope_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/arcp-go/arcp/envelope"
)

// suiteVariable names a folder of files that each hold one JSON text: y_* is to be accepted as the value of an extension, n_* to
// be refused, i_* may be either, as in the public JSON test suites.
const suiteVariable = "ARCP_JSON_SUITE"

// TestJSONSuite checks values against what their names say: a few of its own, and those of the folder if there is one.
func TestJSONSuite(t *testing.T) {
	suite := map[string]string{
		"y_number.json": `123e65`, "y_string_nonchar.json": `"` + "\uffff" + `"`, "y_object_twice.json": `{"a":1,"a":2}`, "y_space.json": " [1] ",
		"n_number_minus.json": `-`, "n_array_comma.json": `[1,]`, "n_string_tab.json": "\"\t\"", "n_nothing.json": "", "n_trailing.json": `1}`,
		"i_lone_surrogate.json": `"\ud800"`, "i_utf8.json": "\"\xff\"",
	}
	if folder := os.Getenv(suiteVariable); folder != "" {
		files, err := filepath.Glob(filepath.Join(folder, "[yni]_*.json"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has no suite: %v", folder, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			suite[filepath.Base(file)] = string(text)
		}
	}
	verdicts := map[byte]map[bool]int{'y': {}, 'n': {}, 'i': {}}
	for name, value := range suite {
		message := `{"arcp":"1.1","id":"1","type":"t","x-vendor.acme.v":` + value + `}`
		e, err := envelope.Decode([]byte(message))
		verdicts[name[0]][err == nil]++
		if name[0] == 'y' && err != nil || name[0] == 'n' && err == nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, refused := oracle([]byte(message), envelope.Options{}); (err == nil) != (refused == nil) {
			t.Errorf("%s: %v, the oracle says %v", name, err, refused)
		}
		if err == nil && encode(t, e) != message {
			t.Errorf("%s comes back changed", name)
		}
	}
	t.Logf("accepted and refused, by kind: y %v, n %v, i %v", verdicts['y'], verdicts['n'], verdicts['i'])
}
