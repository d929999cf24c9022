package core

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
)

// full has a value in every field, by its kind.
func full(t *testing.T) Row {
	t.Helper()
	var r Row
	v := reflect.ValueOf(&r).Elem()
	for k := range v.NumField() {
		switch f := v.Field(k); f.Kind() {
		case reflect.String:
			f.SetString(v.Type().Field(k).Name)
		case reflect.Int64:
			f.SetInt(int64(k) + 1)
		case reflect.Float64:
			f.SetFloat(float64(k) + 0.5)
		case reflect.Bool:
			f.SetBool(true)
		default:
			t.Fatalf("a column of kind %s", f.Kind())
		}
	}
	return r
}

// TestRowRoundTrip: rows come back from their file as they were.
func TestRowRoundTrip(t *testing.T) {
	want := []Row{full(t), {}, {Task: "a", Capacity: 1 << 62, Share: 1.1}}
	data := must.Get(Encode(want))(t)
	got, err := Decode(data, "file")
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\ngot  %+v\nwant %+v", err, got, want)
	}
}

// TestRowDamaged: a damaged file is an error with its name.
func TestRowDamaged(t *testing.T) {
	data := must.Get(Encode([]Row{full(t)}))(t)
	for cut := range len(data) {
		if _, err := Decode(data[:cut], "runs/x.parquet"); err == nil || !strings.HasPrefix(err.Error(), "runs/x.parquet: ") {
			t.Fatalf("%d of %d bytes: %v", cut, len(data), err)
		}
	}
}

// columns are the columns that other programs read and write. They must not change without Schema.
const columns = "task problem name order buffers load planner share capacity status height lower_bound seconds nodes " +
	"node_limit timeout seed stopped implied message attempt host version"

func TestRowColumns(t *testing.T) {
	var names []string
	of := reflect.TypeFor[Row]()
	for k := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(k).Tag.Get("parquet"), ",")
		names = append(names, name)
	}
	if got := strings.Join(names, " "); got != columns {
		t.Errorf("the columns are\n%s\nand were\n%s", got, columns)
	}
	r := full(t).Settled()
	if want := full(t); r.Seconds != 0 || r.Attempt != 0 || r.Host != "" || r.Nodes != want.Nodes ||
		r.Version != want.Version {
		t.Errorf("settled: %+v", r)
	}
}
