package engines_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Idea: a cluster of real processes on this machine: a job manager, task managers with a slot each, and
// Beam's job server, all from one class path that Maven resolves. Heaps are small and the compiler of
// the JVM stops early, for a test starts five of them on two cores.

// opens are the packages of the JDK that Flink reaches into.
var opens = []string{"java.lang", "java.util", "java.lang.reflect", "java.net", "java.nio", "java.time", "sun.nio.ch"}

// A cluster is one of Flink's, with Beam's job server.
type cluster struct {
	t                *testing.T
	dir, classPath   string
	rpc, rest, job   int
	artifact, expand int
	boot             string
	running          []*program
}

// A program is a Java process.
type program struct {
	*exec.Cmd
	ended chan struct{} // closed when it has ended
}

// newCluster starts a job manager, so many task managers and a job server, and waits for them. The test ends them all.
func newCluster(t *testing.T, boot string, managers int) *cluster {
	c := &cluster{t: t, dir: t.TempDir(), boot: boot}
	c.classPath = classPath(t, c.dir)
	for _, port := range []*int{&c.rpc, &c.rest, &c.job, &c.artifact, &c.expand} {
		*port = freePort(t)
	}
	t.Cleanup(c.stop)
	c.flink("job-manager", 192, "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint")
	for n := range managers {
		c.taskManager(n + 1)
	}
	c.java("job-server", 192, "org.apache.beam.runners.flink.FlinkJobServerDriver",
		"--flink-master=localhost:"+strconv.Itoa(c.rest), "--job-host=localhost", "--job-port="+strconv.Itoa(c.job),
		"--artifact-port="+strconv.Itoa(c.artifact), "--expansion-port="+strconv.Itoa(c.expand),
		"--artifacts-dir="+filepath.Join(c.dir, "staged"))
	c.await("a task manager", func() bool { return c.managers() == managers })
	c.await("the job server", func() bool {
		conn, err := net.DialTimeout("tcp", c.endpoint(), time.Second)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	return c
}

// endpoint is where the job server takes jobs.
func (c *cluster) endpoint() string { return "localhost:" + strconv.Itoa(c.job) }

// taskManager starts the task manager of that number, with one slot.
func (c *cluster) taskManager(n int) *program {
	name := "task-manager-" + strconv.Itoa(n)
	return c.flink(name, 192, "org.apache.flink.runtime.taskexecutor.TaskManagerRunner",
		"-D", "taskmanager.resource-id="+name, "-D", "io.tmp.dirs="+filepath.Join(c.dir, name))
}

// flink starts a program of Flink's with the configuration of this folder and with ports of its own.
func (c *cluster) flink(name string, heap int, class string, args ...string) *program {
	conf, err := filepath.Abs("../flink/conf")
	if err != nil {
		c.t.Fatal(err)
	}
	return c.java(name, heap, class, append([]string{
		"--configDir", conf, "-D", "jobmanager.rpc.port=" + strconv.Itoa(c.rpc),
		"-D", "rest.port=" + strconv.Itoa(c.rest), "-D", "blob.storage.directory=" + filepath.Join(c.dir, "blobs-"+name),
	}, args...)...)
}

// java starts a program whose output goes into a file of its name.
func (c *cluster) java(name string, heap int, class string, args ...string) *program {
	c.t.Helper()
	all := []string{
		"-Xmx" + strconv.Itoa(heap) + "m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
		"-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote",
		"-XX:MaxDirectMemorySize=192m", "-Djava.io.tmpdir=" + c.dir, "-Dorg.slf4j.simpleLogger.showDateTime=true",
	}
	for _, name := range opens {
		all = append(all, "--add-opens=java.base/"+name+"=ALL-UNNAMED")
	}
	log, err := os.Create(filepath.Join(c.dir, name+".log"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command("java", append(append(all, "@"+c.classPath, class), args...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.dir, log, log
	cmd.Env = append(os.Environ(), "STOWAGE_SWEEP_BOOT="+c.boot)
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	p := &program{cmd, make(chan struct{})}
	go func() { cmd.Wait(); close(p.ended) }()
	c.running = append(c.running, p)
	return p
}

// managers returns how many task managers have registered; 0 if the job manager does not answer.
func (c *cluster) managers() int {
	ctx, cancel := context.WithTimeout(c.t.Context(), 2*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://localhost:%d/overview", c.rest),
		http.NoBody)
	if err != nil {
		c.t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	var overview struct {
		Managers int `json:"taskmanagers"`
	}
	if json.NewDecoder(answer.Body).Decode(&overview) != nil {
		return 0
	}
	return overview.Managers
}

// patience is for machines that do much else: a cluster that is alone is up in half a minute.
const patience = 5 * time.Minute

// await waits until something is true. If it does not come, the test fails with the logs.
func (c *cluster) await(what string, is func() bool) {
	c.t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(200 * time.Millisecond) {
		for _, p := range c.running {
			select {
			case <-p.ended:
				c.t.Fatalf("%s has ended: %v\n%s", p.Args[len(p.Args)-1], p.ProcessState, c.logs())
			default:
			}
		}
		if time.Now().After(end) {
			c.t.Fatalf("%s did not come within %v\n%s", what, patience, c.logs())
		}
	}
}

// logs returns the ends of what the programs have said.
func (c *cluster) logs() string {
	var all strings.Builder
	files, _ := filepath.Glob(filepath.Join(c.dir, "*.log"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil {
			fmt.Fprintf(&all, "---- %s\n%s\n", filepath.Base(file), text[max(0, len(text)-3000):])
		}
	}
	return all.String()
}

// stop ends the programs in the reverse of their order.
func (c *cluster) stop() {
	for _, p := range slices.Backward(c.running) {
		p.Process.Signal(syscall.SIGTERM)
		select {
		case <-p.ended:
		case <-time.After(10 * time.Second):
			p.Process.Kill()
			<-p.ended
		}
	}
	c.running = nil
}

// left returns the processes of this cluster, workers included: they inherit the path of boot.
func (c *cluster) left() []string {
	var all []string
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(text), "STOWAGE_SWEEP_BOOT="+c.boot+"\x00") {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
			all = append(all, strings.ReplaceAll(string(line[:min(len(line), 300)]), "\x00", " "))
		}
	}
	return all
}

// classPath has Maven resolve the jars of pom.xml, from its own cache if they are there, and returns a
// file with java's arguments for them.
func classPath(t *testing.T, dir string) string {
	t.Helper()
	file := filepath.Join(dir, "classpath")
	var said []byte
	for _, online := range [][]string{{"-o"}, nil} {
		cmd := exec.CommandContext(t.Context(), "mvn", append(online, "-B", "-q", "-f", "../flink/pom.xml",
			"dependency:build-classpath", "-Dmdep.outputFile="+file)...)
		var err error
		if said, err = cmd.CombinedOutput(); err == nil {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, append([]byte("-cp\n"), text...), 0o644); err != nil {
				t.Fatal(err)
			}
			return file
		}
	}
	t.Skipf("Maven cannot get the jars of pom.xml (maven): %s", said[max(0, len(said)-500):])
	return ""
}

// freePort returns a port that nothing listens at.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
