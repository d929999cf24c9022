package tflm

import (
	"context"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/tflite"
)

func TestProbe(t *testing.T) {
	path := os.Getenv("MODEL")
	if path == "" {
		t.Skip()
	}
	data, _ := os.ReadFile(path)
	m, err := tflite.Parse(data, path)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Named: true, Kernels: Kernels(os.Getenv("KERNELS")), Solve: stowage.Options{Timeout: 20 * time.Second}}
	o.Scratch = o.Set.Scratch(m)
	began := time.Now()
	p, err := Make(t.Context(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Log("plain", p.Sizes()[0].Before.Smallest, p.Sizes()[0].After.Smallest, time.Since(began))
	began = time.Now()
	macs := 0.1
	if s := os.Getenv("MACS"); s != "" {
		macs, _ = strconv.ParseFloat(s, 64)
	}
	ctx := t.Context()
	if n, err := strconv.Atoi(os.Getenv("SECS")); err == nil {
		c, cancel := context.WithTimeout(ctx, time.Duration(n)*time.Second)
		defer cancel()
		ctx = c
	}
	s, err := p.Split(ctx, o, SplitOptions{Target: &Firmware32, MaxMACs: macs})
	if err != nil {
		t.Fatal(err)
	}
	t.Log("took", time.Since(began), "considered", s.Considered, "planned", s.Planned, "bound", s.Bound, s.Why)
	if s.Plan == nil {
		return
	}
	t.Log("arena", s.Choice.Arena, "head", s.Choice.Head, "tail", s.Choice.Tail, "macs", float64(s.Choice.MACs)/float64(s.MACs), "ops", s.Choice.Operators, s.Plan.Result.Status, s.Plan.Result.LowerBound)
	for _, c := range s.Choice.Chains {
		t.Logf("%+v", c)
	}
	for _, f := range s.Front {
		t.Log("front", f.Arena, f.Head, f.Tail, f.MACs)
	}
	out, err := s.Plan.Written(m)
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile(os.Getenv("OUT"), out, 0o644)
	for _, x := range s.Plan.Sizes() {
		t.Log(x.Target.Name, x.Before.Smallest, x.After.Smallest)
	}
}
