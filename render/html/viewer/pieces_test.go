package viewer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stowage-go/stowage/internal/jsbundle"
	"github.com/stowage-go/stowage/internal/testkit/must"
)

// cutter is a module that cuts the buffers of a table at their gaps, as a page does, and
// tells of each that is not as the table has it.
const cutter = `import { Pieces } from "./pieces.js";

const rows = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
for (const row of rows) {
  const gaps = [];
  for (const [lower, upper, ...window] of row.gaps)
    gaps.push(0, lower - row.lower, upper - lower, window.length / 2, ...(window.length ? window : [0, 0]));
  const of = new Pieces({ n: 1, lower: [row.lower], upper: [row.upper], size: [row.size], gaps });
  const got = [];
  for (let k = 0; k < of.count; k++) got.push([of.lower[k], of.upper[k], of.from[k], of.to[k]]);
  if (JSON.stringify(got) !== JSON.stringify(row.pieces))
    console.log(row.what + ": " + JSON.stringify(got) + ", want " + JSON.stringify(row.pieces));
}
console.log(rows.length + " rows");
`

// TestPieces reads the table that the tests of model read, too: the viewer cuts buffers at their gaps by its own code.
func TestPieces(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node on this machine")
	}
	files := fstest.MapFS{"cutter.js": {Data: []byte(cutter)}}
	for _, name := range []string{"pieces.js", "sort.js"} {
		text := must.Get(os.ReadFile(name))(t)
		files[name] = &fstest.MapFile{Data: text}
	}
	script := must.Get(jsbundle.Script(files, "cutter"))(t)
	table := must.Get(os.ReadFile(filepath.Join("..", "..", "..", "model", "testdata", "pieces.json")))(t)
	var rows []any
	if err := json.Unmarshal(table, &rows); err != nil || len(rows) == 0 {
		t.Fatal(len(rows), err)
	}
	c := exec.Command(node, "-e", script)
	c.Stdin = bytes.NewReader(table)
	if out, err := c.CombinedOutput(); err != nil || string(out) != fmt.Sprintf("%d rows\n", len(rows)) {
		t.Errorf("%v: %s", err, out)
	}
}
