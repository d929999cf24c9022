package command

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/testkit/must"
)

// TestReportZip: solve and verify read the problem of a report, and the command in the report makes the same plan.
func TestReportZip(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("in.csv", []byte("id,lower,upper,size,gaps\na,0,6,4,2-4\nb,2,4,4,\nc,1,9,3,\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		t.Helper()
		var out, errs strings.Builder
		if code := execute(args, &out, &errs); code != exitOK {
			t.Fatalf("%q: exit code %d\n%s", args, code, &errs)
		}
		return out.String()
	}
	run("report", "--planner", "exact", "--nodes", "100", "-o", "report.zip", "in.csv")
	z := must.Get(zip.OpenReader("report.zip"))(t)
	defer z.Close()
	parts := map[string]string{}
	for _, f := range z.File {
		if age := time.Since(f.Modified); age < -time.Minute || age > time.Hour {
			t.Errorf("%s is of %s", f.Name, f.Modified)
		}
		in := must.Get(f.Open())(t)
		text := must.Get(io.ReadAll(in))(t)
		parts[f.Name] = string(text)
		must.Do(t, os.WriteFile(filepath.Base(f.Name), text, 0o600))
	}
	_, repeat, found := strings.Cut(parts["report.txt"], "\nrepeat    stowage ")
	repeat, _, ended := strings.Cut(repeat, "\n")
	if len(parts) != 2 || !found || !ended || strings.Contains(parts["report.txt"], `"id"`) {
		t.Fatalf("the archive has %q", parts)
	}
	run("verify", "problem.json")
	if got := run(append(strings.Fields(repeat), "--quiet", "--format", "json")...); got != parts["problem.json"] {
		t.Errorf("stowage %s makes\n%s\nthe report has\n%s", repeat, got, parts["problem.json"])
	}
}
