package core

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/format/json"
	"github.com/stowage-go/stowage/format/times"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/sweep/spec"
)

// Idea: the process that starts a sweep reads each problem once, for its digest and its load. A problem from a file
// goes into the store under its digest, so workers need neither the file nor the search for an order of operators. A
// generated problem is generated again by the worker.
//
// A file that cannot be read does not stop the others: it joins the dead. Only a pattern without a file, and a
// generator that refuses its options, are faults of the specification.

// Loaded is what the problems of a specification are.
type Loaded struct {
	Problems []Problem // each content once in each order
	Unread   []Dead    // files that cannot be read
	Notes    []string  // for people, a sentence each
}

// A source of one problem, or of one in each order.
type one struct {
	from *spec.Source
	path string      // of a file
	o    gen.Options // of a generator
}

// what came of it.
type read struct {
	instances []comparison.Instance // by order, without their problems: a million of them are too many to keep
	orders    []string              // of the instances
	buffers   []int                 // of the instances
	left      []string              // the orders that a model of this kind has not
	times     times.Read            // how the times of a file were read
	err       error
}

// add notes an instance and drops its problem.
func (r *read) add(in comparison.Instance, order string) {
	r.orders, r.buffers = append(r.orders, order), append(r.buffers, len(in.Problem.Buffers))
	in.Problem = nil
	r.instances = append(r.instances, in)
}

// Load reads the problems of a specification, as many at a time as there are processors, and puts problems of files
// into the store. The error is the specification's, the store's or the context's.
func Load(ctx context.Context, s *spec.Spec, store Store) (*Loaded, error) {
	var all []one
	var issues model.Issues
	for k := range s.Problems {
		from := &s.Problems[k]
		for _, o := range from.Options {
			all = append(all, one{from: from, o: o})
		}
		if from.Kind != "" {
			continue
		}
		files, err := from.Files()
		issues.Join(err)
		for _, path := range files {
			all = append(all, one{from: from, path: path})
		}
	}
	if err := issues.Err(); err != nil {
		return nil, err
	}
	got := make([]read, len(all))
	var faults error
	var mu sync.Mutex
	each(len(all), func(k int) {
		if ctx.Err() != nil {
			return
		}
		err := got[k].fill(ctx, &all[k], s, store)
		mu.Lock()
		defer mu.Unlock()
		faults = errors.Join(faults, err)
	})
	if err := errors.Join(ctx.Err(), faults); err != nil {
		return nil, err
	}
	return collect(all, got), nil
}

// each calls f for 0 <= k < n, on all processors.
func each(n int, f func(k int)) {
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), max(n, 1)) {
		workers.Go(func() {
			for k := range next {
				f(k)
			}
		})
	}
	for k := range n {
		next <- k
	}
	close(next)
	workers.Wait()
}

// fill reads one source. A file's fault is in r.err. The error is the specification's or the store's.
func (r *read) fill(ctx context.Context, from *one, s *spec.Spec, store Store) error {
	if from.path == "" {
		p, err := gen.Generate(from.from.Kind, from.o)
		if err != nil {
			return &model.InputError{
				Issues: []model.Issue{{File: from.from.File, Line: from.from.Line, Field: "problems", Message: err.Error()}},
				Total:  1,
			}
		}
		r.add(comparison.NewInstance(p.Name, p, 0), "")
		return nil
	}
	name := from.path
	if short, err := filepath.Rel(filepath.Dir(s.File), name); err == nil {
		name = short
	}
	problems, orders, read, err := readFile(ctx, from, s.Orders)
	r.times = read
	if err != nil {
		r.err = err
		return ctx.Err()
	}
	for _, order := range s.Orders {
		if orders[0] != "" && !slices.Contains(orders, order) {
			r.left = append(r.left, order)
		}
	}
	for k, p := range problems {
		in := comparison.FromFile(name, p, 0)
		if err := keepProblem(ctx, store, in.Digest, p); err != nil {
			return err
		}
		r.add(in, orders[k])
	}
	return nil
}

// readFile reads a file as a problem. A model is a problem for each requested order that its kind has.
func readFile(ctx context.Context, from *one, orders []string) (problems []*model.Problem, names []string,
	read times.Read, err error,
) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: internal failure: %v", from.path, p)
		}
	}()
	kind, err := kindOf(from.path)
	if err != nil {
		return nil, nil, read, err
	}
	if !kind.Model() {
		orders = []string{""}
	}
	// A pattern may have models and other files.
	options := format.Options{Dims: from.from.Dims, Heap: from.from.Heap}.Of(kind)
	f, err := format.ReadFileWith(from.path, options)
	if err != nil {
		return nil, nil, read, err
	}
	if read = f.Times; f.Shares {
		return nil, nil, read, fmt.Errorf("%s: %w", from.path, errOwnPlan)
	}
	for _, order := range orders {
		p, err := arranged(ctx, from.path, f, options, spec.OrderOf(order))
		if err != nil {
			return nil, nil, read, err
		}
		if p == nil {
			continue
		}
		if p.Ruled() {
			return nil, nil, read, fmt.Errorf("%s: has rules, such as pools or pairs apart, which sweeps do not know yet",
				from.path)
		}
		problems, names = append(problems, p), append(names, order)
	}
	if problems == nil {
		return nil, nil, read, fmt.Errorf("%s: has none of the orders %s: the kernels are TensorFlow Lite Micro's", from.path,
			strings.Join(orders, ", "))
	}
	return problems, names, read, nil
}

// kindOf returns the kind of a file.
func kindOf(path string) (format.Kind, error) {
	in, err := format.OpenUntil(path, time.Time{})
	if err != nil {
		return "", err
	}
	defer in.Close()
	return in.Kind, nil
}

// collect gives the problems distinct names and drops what is there twice.
func collect(all []one, got []read) *Loaded {
	l := &Loaded{}
	var named []comparison.Instance // one for each source, to make the names distinct
	var at []int
	for k := range got {
		switch r := &got[k]; {
		case r.err != nil:
			l.Unread = append(l.Unread, Dead{Name: all[k].path, Reason: r.err.Error()})
		default:
			named, at = append(named, r.instances[0]), append(at, k)
		}
	}
	comparison.DistinctNames(named)
	type content struct{ digest, order string }
	seen := map[content]string{}
	for i, k := range at {
		r := &got[k]
		if len(r.left) > 0 {
			l.Notes = append(l.Notes, fmt.Sprintf("%s is not planned as %s: the kernels are TensorFlow Lite Micro's",
				named[i].Name, strings.Join(r.left, ", ")))
		}
		if !r.times.Sure() {
			l.Notes = append(l.Notes, fmt.Sprintf("in %s %s is read as inclusive, the last time slot of each lifespan; "+
				"if it is the first one after the lifespan, name it upper", named[i].Name, r.times.Name))
		}
		for j := range r.instances {
			in := &r.instances[j]
			p := Problem{
				Digest: in.Digest, Name: strings.ToValidUTF8(named[i].Name, "?"), Order: r.orders[j],
				Buffers: int64(r.buffers[j]), Load: in.Load,
			}
			if all[k].path == "" {
				p.Kind, p.Options = all[k].from.Kind, all[k].o
			}
			if other, twice := seen[content{p.Digest, p.Order}]; twice {
				l.Notes = append(l.Notes, fmt.Sprintf("%s is the same problem as %s, which stands for both", p.Name, other))
				continue
			}
			seen[content{p.Digest, p.Order}] = p.Name
			l.Problems = append(l.Problems, p)
		}
	}
	slices.Sort(l.Notes)
	return l
}

// keepProblem puts a problem into the store, unless it is there.
func keepProblem(ctx context.Context, s Store, digest string, p *model.Problem) error {
	if there, err := s.Has(ctx, problemFile(digest)); err != nil || there {
		return err
	}
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	if err := errors.Join(json.Write(packed, p, nil), packed.Close()); err != nil {
		return err
	}
	return s.Write(ctx, problemFile(digest), out.Bytes())
}

// An unreadableError is a problem that a worker does not get, however often it tries.
type unreadableError struct{ error }

// open returns the problem of a unit.
func (w *Worker) open(ctx context.Context, p *Problem) (*comparison.Instance, error) {
	problem, err := w.content(ctx, p)
	if err != nil {
		return nil, err
	}
	in := comparison.NewInstance(p.Name, problem, 0)
	if in.Digest != p.Digest {
		return nil, &unreadableError{
			fmt.Errorf("the problem has the digest %s, and not %s: it was made by another version", in.Digest, p.Digest),
		}
	}
	return &in, nil
}

func (w *Worker) content(ctx context.Context, p *Problem) (*model.Problem, error) {
	if p.Kind != "" {
		problem, err := gen.Generate(p.Kind, p.Options)
		if err != nil {
			return nil, &unreadableError{err}
		}
		return problem, nil
	}
	name := problemFile(p.Digest)
	data, err := w.Store.Read(ctx, name)
	if err != nil {
		return nil, err
	}
	packed, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, &unreadableError{fmt.Errorf("%s: is damaged: %w; %s", name, err, remedy)}
	}
	problem, _, err := json.ReadAll(packed, name)
	if err != nil {
		return nil, &unreadableError{fmt.Errorf("%w; %s", err, remedy)}
	}
	return problem, nil
}

// remedy is for a damaged problem of the store: the next run of the sweep stores it again.
const remedy = "remove it, and run the sweep again with --retry-dead"
