package core

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/parquet-go/parquet-go"
)

// Idea: the result of a sweep is a table with a row for each problem, planner and capacity. The columns are a
// contract: other programs read the files, and others write such files (Spark, Dask).
//
// Invariant: with a limit of nodes, and if no clock cuts the run, all columns but those that Row.Settled clears are a
// function of the question and the version.

// Schema is the number of the columns' meaning. It is in every key, so a new meaning makes all tasks new.
const Schema = 1

// A Row is the outcome of a planner on a problem with a capacity, or what follows from another
// row of the same planner and problem.
type Row struct {
	// Task is the key of the problem, the planner, the limits and the capacities. It has one row for
	// each capacity. Two rows with the same Task and Capacity are the same run.
	Task string `parquet:"task,dict"`
	// Problem is the digest of the problem: its content, without name and capacity.
	Problem string `parquet:"problem,dict"`
	Name    string `parquet:"name,dict"`
	// Order is the order of the operators: "exported" as the model's file has it, "reordered" with the
	// lowest peak that was found; empty for a problem that does not come from operators.
	Order   string `parquet:"order,dict"`
	Buffers int64  `parquet:"buffers"`
	Load    int64  `parquet:"load"` // the most bytes live at once; no plan is lower
	Planner string `parquet:"planner,dict"`
	// Share is Capacity / Load; 0 where Capacity is 0.
	Share    float64 `parquet:"share"`
	Capacity int64   `parquet:"capacity"` // in bytes; 0 for the lowest plan
	// Status is "optimal", "feasible", "infeasible" or "unknown" of the planner; "refused" if it does
	// not take the problem, "invalid" if its plan is wrong, "failed" if it died.
	Status     string  `parquet:"status,dict"`
	Height     int64   `parquet:"height"`      // of the plan in bytes; 0 without a plan
	LowerBound int64   `parquet:"lower_bound"` // no plan is lower, in bytes
	Seconds    float64 `parquet:"seconds"`     // of wall clock; 0 if Implied
	Nodes      int64   `parquet:"nodes"`       // visited by the search; 0 if Implied
	NodeLimit  int64   `parquet:"node_limit"`  // 0 for none
	Timeout    float64 `parquet:"timeout"`     // in seconds, 0 for none
	Seed       int64   `parquet:"seed"`
	// Stopped says what ended the run before it had an answer: "nodes", "timeout" or "effort"; empty
	// if it has one. A row with "timeout" depends on the machine, any other does not.
	Stopped string `parquet:"stopped,dict"`
	// Implied: the planner did not run for this row. A plan of height h answers all capacities >= h,
	// a proof that nothing fits answers all below.
	Implied bool   `parquet:"implied"`
	Message string `parquet:"message,dict"` // why it was refused, is invalid or has failed
	Attempt int64  `parquet:"attempt"`      // 1 for the first; more if workers died with the task
	Host    string `parquet:"host,dict"`
	Version string `parquet:"version,dict"` // of Stowage
}

// Settled returns the row without what differs from run to run: seconds, attempt and host.
func (r Row) Settled() Row {
	r.Seconds, r.Attempt, r.Host = 0, 0, ""
	return r
}

// HasPlan reports whether the row has a plan that fits its capacity.
func (r *Row) HasPlan() bool { return r.Status == "optimal" || r.Status == "feasible" }

// Encode returns rows as a Parquet file.
func Encode(rows []Row) ([]byte, error) {
	var out bytes.Buffer
	w := parquet.NewGenericWriter[Row](&out, parquet.Compression(&parquet.Snappy))
	if _, err := w.Write(rows); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// Decode reads the rows of a Parquet file. name is for messages. The file may come from another
// program, with the columns in another order.
func Decode(data []byte, name string) ([]Row, error) {
	rows, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: is no Parquet file of a sweep: %w", name, err)
	}
	return rows, nil
}

func decode(data []byte) (rows []Row, err error) {
	defer func() {
		if p := recover(); p != nil { // of the library, about damaged files
			rows, err = nil, fmt.Errorf("%v", p)
		}
	}()
	return parquet.Read[Row](bytes.NewReader(data), int64(len(data)))
}

// Sort puts rows in the order of name, problem, order, planner, task and capacity.
func Sort(rows []Row) {
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Problem, b.Problem), cmp.Compare(a.Order, b.Order),
			cmp.Compare(a.Planner, b.Planner), cmp.Compare(a.Task, b.Task), cmp.Compare(a.Capacity, b.Capacity))
	})
}
