package beam

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec/optimized" // calls without reflection
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/spark"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

// Prism is the runner that needs nothing: it runs in this process.
const Prism = "prism"

// Runners are the names of the runners. All but Prism want the address of a job server.
var Runners = []string{Prism, "flink", "spark", "universal"}

// Flags are the names of Beam's options that the command offers, in its spelling.
var Flags = []string{
	"endpoint", "environment_type", "environment_config", "worker_binary", "parallelism", "job_name", "experiments",
}

// Flag returns an option of Beam.
func Flag(name string) *flag.Flag { return flag.Lookup(name) }

// stageSelf makes this program the one that a cluster's workers run. Beam would compile another one. That needs Go
// and sources, which may be missing, and its workers run on Linux, as this program does.
func stageSelf() error {
	if *jobopts.WorkerBinary != "" || runtime.GOOS != "linux" {
		return nil
	}
	path, err := os.Executable()
	*jobopts.WorkerBinary = path
	return err
}

// IsWorker reports whether the arguments are those that a cluster starts a worker with.
func IsWorker(args []string) bool {
	for _, a := range args {
		if a == "--worker" || a == "--worker=true" || a == "-worker" || a == "-worker=true" {
			return true
		}
	}
	return false
}

// Work is the life of a worker process. It returns only if the arguments are wrong.
func Work(args []string) error {
	if err := flag.CommandLine.Parse(args); err != nil {
		return err
	}
	Init()
	return nil
}

// answerWithin is how long a job server has to answer.
const answerWithin = 5 * time.Second

// Check finds out whether the job server of a runner answers. Beam would wait for minutes, without a word.
func Check(ctx context.Context, runner string) error {
	if runner == Prism && *jobopts.Endpoint == "" {
		return nil
	}
	address := *jobopts.Endpoint
	if address == "" {
		return fmt.Errorf("--runner=%s needs --endpoint=HOST:PORT, the address of its job server", runner)
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("--endpoint %q: nobody answers: %w", address, err)
	}
	c.Close()
	// Somebody listens; it may be another service.
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return fmt.Errorf("--endpoint %q: %w", address, err)
	}
	defer conn.Close()
	_, err = jobpb.NewJobServiceClient(conn).GetJobs(ctx, &jobpb.GetJobsRequest{})
	switch status.Code(err) {
	case codes.Unavailable, codes.DeadlineExceeded:
		return fmt.Errorf("--endpoint %q: is no job server of Beam: %w", address, err)
	}
	return nil // an answer, be it that jobs cannot be listed
}

// Quiet leaves out what Beam logs in the course of things. Errors stay.
func Quiet() { log.SetupLogging("error", "text") }

var runs atomic.Int64

// next numbers the runs of this process.
func next() int64 { return runs.Add(1) }
