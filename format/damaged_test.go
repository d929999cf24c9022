package format

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/format/json"
	"github.com/stowage-go/stowage/format/trace"
	"github.com/stowage-go/stowage/internal/testkit/mutate"
	"github.com/stowage-go/stowage/model"
)

// TestDamaged reads damaged files of the kinds whose packages have no such test of their own, and damaged packed files.
// Each is read, or refused as bad input, within three times the budget.
func TestDamaged(t *testing.T) {
	table := "id,lower,upper,size,alignment,gaps,hint,offset,note\n# made\na,0,9,4,2,1-2@0:1 3-4,0,,x\n\"b\"\"c\",1,2,1.5MiB,,,,8,\nd,5,7,1E+3,,,,,\n"
	graph := `{"format":"graph","version":1,"values":[{"name":"a","size":4,"constant":true},{"name":"b","size":4,"alignment":8}],"operators":[{"name":"o","operands":["a"],"results":["b"],"scratch":3,"permits":[{"result":"b","operand":"a","distance":0}]}]}`
	session := `{"op":"open","format":"stowage-trace/1","capacity":64}` + "\n" +
		`{"op":"add","id":"a","lower":0,"upper":3,"size":4}` + "\n" +
		`{"op":"mark","id":"m"}` + "\n" + `{"op":"resize","id":"a","size":8}` + "\n" + `{"op":"rollback","id":"m"}` + "\n" +
		`{"op":"remove","id":"a"}` + "\n"
	plain := "id,lower,upper,size\na,0,3,4\nb,1,2,8\n"
	for name, c := range map[string]struct {
		seeds []string
		read  func(data []byte) error
	}{
		"table.csv":    {[]string{table, plain}, nil},
		"table.csv.gz": {[]string{string(zipped(t, []byte(table))), string(zipped(t, []byte(plain)))}, nil},
		"graph.json": {[]string{graph, strings.Repeat(" ", 4000) + graph + strings.Repeat(" ",
			4000)}, func(data []byte) error {
			_, err := json.ReadGraph(bytes.NewReader(data), "graph.json")
			return err
		}},
		"session.jsonl": {[]string{session, strings.Repeat(" \n", 200) + session + strings.Repeat(" \n",
			200)}, func(data []byte) error {
			_, err := trace.Read(bytes.NewReader(data), "session.jsonl")
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var seeds [][]byte
			for _, s := range c.seeds {
				seeds = append(seeds, []byte(s))
			}
			read := c.read
			if read == nil {
				read = func(data []byte) error {
					_, err := ReadFrom(bytes.NewReader(data), name, Options{})
					return err
				}
			}
			for _, seed := range seeds {
				if err := read(seed); err != nil {
					t.Fatal(err)
				}
			}
			most := 3000
			if strings.HasSuffix(name, ".gz") {
				most = 400 // nearly all fail their checksum
			}
			mutate.Read(t, most, seeds, func(data []byte) error {
				err := read(data)
				var input *model.InputError
				if err != nil && !errors.As(err, &input) {
					t.Fatalf("%v is no bad input: %q", err, data)
				}
				return err
			})
		})
	}
}
