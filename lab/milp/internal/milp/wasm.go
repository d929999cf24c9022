package milp

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/stowage-go/stowage/lab/milp/third_party/highs"
)

// Idea: HiGHS runs inside this process, as WebAssembly under wazero: no C compiler, no cgo, no program to install,
// and the same answers on every machine. Each process compiles the module once. Each solve has an instance with its
// own memory.
//
// The module was linked by Emscripten with its names minified, so the tables below hold for one version of the package
// alone; TestImports checks them against the module. The names are those that highs.js of the package gives wasmImports
// and wasmExports.
//
// Time is virtual: each look at a clock is one microsecond later than the last, until the context ends. Then the time
// jumps far ahead. HiGHS takes that for its time limit, and returns its best plan and bound. So only the end depends
// on the clock.
//
// There are no files: all of the model, the options and the solution goes
// through memory. Writing to standard output and error is accepted and dropped.
//
// Complexity: compiling takes some 2 s on one core; the result is kept in the
// user's cache folder, from which it loads in 0.06 s.
//
// HiGHS has loops that never look at a clock, so looks are put into them (looks.go). If wazero closed the instance at
// the end of the context, the best plan would be lost, and its checks in every loop make HiGHS 3.3 times as slow.

// imports are the functions of module "a", by their minified names.
const (
	importThrow      = "a" // __cxa_throw
	importExit       = "b" // exit
	importNow        = "c" // emscripten_get_now, milliseconds
	importClose      = "d" // fd_close
	importFcntl      = "e" // __syscall_fcntl64
	importWrite      = "f" // fd_write
	importRead       = "g" // fd_read
	importIoctl      = "h" // __syscall_ioctl
	importOpen       = "i" // __syscall_openat
	importDate       = "j" // emscripten_date_now, milliseconds
	importAbort      = "k" // _abort_js
	importTimer      = "l" // _setitimer_js
	importZone       = "m" // _tzset_js
	importEnviron    = "n" // environ_get
	importEnvSizes   = "o" // environ_sizes_get
	importClock      = "p" // clock_time_get, nanoseconds
	importResize     = "q" // emscripten_resize_heap
	importProcExit   = "r" // proc_exit
	importKeepalive  = "s" // _emscripten_runtime_keepalive_clear
	importSeek       = "t" // fd_seek
	maxPages         = 32768
	pageBits         = 16
	noEntry          = -44 // Emscripten's ENOENT, negated as system calls return it
	badFile          = 8   // WASI's EBADF
	microsPerMilli   = 1e3
	nanosPerMicro    = 1e3
	spareBytesAtMost = 96 << 20
)

// Virtual time, in seconds: forever is HiGHS's time limit, and the end of the context is twice as late.
const (
	forever         = 1e6
	microsPerSecond = 1e6
)

// exports are the functions that this package calls, by their minified names.
const (
	exportInit      = "v" // __wasm_call_ctors
	exportCreate    = "F" // Highs_create
	exportRun       = "N" // Highs_run
	exportPassMip   = "V" // Highs_passMip
	exportSetBool   = "ia"
	exportSetInt    = "ja"
	exportSetDouble = "ka"
	exportGetDouble = "Ba" // Highs_getDoubleInfoValue
	exportGetInt64  = "Ca" // Highs_getInt64InfoValue
	exportGetInt    = "Aa" // Highs_getIntInfoValue
	exportSolution  = "Ea" // Highs_getSolution
	exportStatus    = "Ga" // Highs_getModelStatus
	exportStart     = "Va" // Highs_setSolution
	exportMalloc    = "uc"
)

// A host is the state of one solve that the imports see, through the context of the call.
type host struct {
	limit     context.Context // ends the solve
	micros    float64         // virtual time
	spent     bool            // the limit has ended
	abandoned atomic.Bool     // nobody waits for the answer any more
}

type hostKey struct{}

// tick returns the virtual time in microseconds.
func (h *host) tick() float64 {
	h.micros++
	if h.abandoned.Load() {
		panic(errAborted)
	}
	if !h.spent && h.limit.Err() != nil {
		h.spent = true
		h.micros += 2 * forever * microsPerSecond
	}
	return h.micros
}

func hostOf(ctx context.Context) *host { return ctx.Value(hostKey{}).(*host) }

// errAborted is the error of a call into HiGHS that gives up, mostly because memory has run out.
var errAborted = errors.New("HiGHS aborted")

var (
	loadOnce sync.Once
	loaded   chan struct{} // closed when module and loadErr are set
	engine   wazero.Runtime
	module   wazero.CompiledModule
	loadErr  error
)

// load compiles the module, once a process, and waits for it as long as the context lasts. cache is a folder for the
// compiled code, "" for none; only the first call's counts.
func load(ctx context.Context, cache string) error {
	loadOnce.Do(func() {
		loaded = make(chan struct{})
		go func() {
			defer close(loaded)
			loadErr = compile(cache)
		}()
	})
	select {
	case <-loaded:
		return loadErr
	case <-ctx.Done():
		return ctx.Err()
	}
}

func compile(cache string) error {
	ctx := context.Background()
	config := wazero.NewRuntimeConfig()
	if cache != "" {
		// A folder that cannot be written only costs the time to compile.
		if c, err := wazero.NewCompilationCacheWithDir(cache); err == nil {
			config = config.WithCompilationCache(c)
		}
	}
	engine = wazero.NewRuntimeWithConfig(ctx, config)
	if err := bind(ctx, engine); err != nil {
		return err
	}
	looking, err := withLooks(highs.Wasm)
	if err != nil {
		return err
	}
	module, err = engine.CompileModule(ctx, looking)
	return err
}

// defaultCache returns the folder for compiled code, or "" if the user has no cache folder.
func defaultCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "stowage", "wazero")
}

// bind instantiates module "a".
func bind(ctx context.Context, r wazero.Runtime) error {
	give := func(code int32) func() int32 { return func() int32 { return code } }
	abort := func() { panic(errAborted) }
	b := r.NewHostModuleBuilder("a")
	for name, f := range map[string]any{
		importThrow: func(_, _, _ int32) { abort() },
		importExit:  func(int32) { abort() },
		importAbort: abort,
		importNow: func(ctx context.Context) float64 {
			return hostOf(ctx).tick() / microsPerMilli
		},
		importDate: func(ctx context.Context) float64 {
			return hostOf(ctx).tick() / microsPerMilli
		},
		importClock: func(ctx context.Context, m api.Module, _ int32, _ int64, to uint32) int32 {
			nanos := hostOf(ctx).tick() * nanosPerMicro
			m.Memory().WriteUint64Le(to, uint64(nanos))
			return 0
		},
		importProcExit:  func(int32) { abort() },
		importKeepalive: func() {},
		importResize:    resize,
		importWrite:     write,
		importOpen:      func(_, _, _, _ int32) int32 { return noEntry },
		importFcntl:     func(_, _, _ int32) int32 { return give(0)() },
		importIoctl:     func(_, _, _ int32) int32 { return give(0)() },
		importClose:     func(int32) int32 { return 0 },
		importRead:      func(_, _, _, _ int32) int32 { return badFile },
		importSeek:      func(_ int32, _ int64, _, _ int32) int32 { return badFile },
		importTimer:     func(int32, float64) int32 { return 0 },
		importZone:      func(_, _, _, _ int32) {},
		importEnviron:   func(_, _ int32) int32 { return 0 },
		importEnvSizes: func(_ context.Context, m api.Module, count, size uint32) int32 {
			m.Memory().WriteUint32Le(count, 0)
			m.Memory().WriteUint32Le(size, 0)
			return 0
		},
	} {
		b = b.NewFunctionBuilder().WithFunc(f).Export(name)
	}
	_, err := b.Instantiate(ctx)
	return err
}

// resize grows the memory to at least size bytes, with a fifth to spare, as Emscripten does, and reports success.
func resize(_ context.Context, m api.Module, size uint32) int32 {
	old := uint64(m.Memory().Size())
	if uint64(size) > maxPages<<pageBits {
		return 0
	}
	roomy := min(max(uint64(size), old+old/5), uint64(size)+spareBytesAtMost)
	for _, to := range [...]uint64{roomy, uint64(size)} {
		pages := min((to+1<<pageBits-1)>>pageBits, maxPages)
		if _, ok := m.Memory().Grow(uint32(pages - old>>pageBits)); ok {
			return 1
		}
	}
	return 0
}

// write takes what is written to a file and drops it.
func write(_ context.Context, m api.Module, _ int32, vectors, count, written uint32) int32 {
	var sum uint32
	for k := range count {
		n, ok := m.Memory().ReadUint32Le(vectors + 8*k + 4)
		if !ok {
			return badFile
		}
		sum += n
	}
	m.Memory().WriteUint32Le(written, sum)
	return 0
}

// double encodes a float for a call.
func double(x float64) uint64 { return math.Float64bits(x) }
