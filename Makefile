# .github/CONTRIBUTING.md lists the targets. make alone is make build; make test needs Go and nothing else.
#
# FUZZTIME is how long each fuzz target runs, DATA the folder of public
# instances, MINIMALLOC the path of google/minimalloc's program. PREFIX is where make install
# puts things, /usr/local if it is not given; DESTDIR goes in front of it to stage a package.
#
# The tests start in the order of MODULES and FORMS, about: what takes long alone is not at the end.

GO          ?= go
BIN         := bin
FUZZTIME    ?= 10s
DATA        ?= $(STOWAGE_DATA)
MODULES     := ./cmd/stowage/... ./lab/... ./sweep/... ./...
FORMS       := ./python ./docs/site ./sweep/engines ./render/html/viewer ./bindings/c ./core/tests ./bindings/js ./sweep/beam ./sweep/command
KERNELS     := ./internal/exact/canonical ./internal/exact/ladder ./internal/exact/pairs ./internal/place
SEARCHES    := ./internal/exact/... ./internal/planners/pairwise ./internal/place ./internal/timeline ./internal/greedy ./internal/merge/... ./internal/climb ./internal/auto ./internal/order ./lab/agree
PROBLEMS    ?= 1000000
MUTANTS     ?= 200
MUTANTS_FOR ?= 1h
VERSION     := $(shell cat internal/version/VERSION)
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOFUMPT     := mvdan.cc/gofumpt@v0.12.0
ACTIONLINT  := github.com/rhysd/actionlint/cmd/actionlint@v1.7.12

# Google's client for its object store can go past HTTP by gRPC, which stowage-sweep does not use: without
# it 141 packages fewer are compiled. A -tags of a recipe takes its place.
export GOFLAGS := $(GOFLAGS) -tags=disable_grpc_modules

.PHONY: site mutants lab sweep sweep-papers sweep-flink sweep-spark sweep-stores build capi install install-core uninstall wheel release test compiled forms invariants nightly agree pace race fuzz bench lint cover npm page man clean ggml torch

# Without cgo the program is not linked to libc, whose loading takes longer than most
# problems.
build:
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w" -o $(BIN)/stowage ./cmd/stowage

# Its dependencies, Apache Beam's above all, take minutes to compile the first time; stowage-lab has them too.
lab:
	$(GO) build -trimpath -ldflags "-s -w" -o $(BIN)/stowage-lab ./lab/cmd/stowage-lab

sweep:
	$(GO) build -trimpath -ldflags "-s -w" -o $(BIN)/stowage-sweep ./sweep/cmd/stowage-sweep

# The shortest first. Those with the clock as their limit want a machine that does nothing else.
SPECS := synthetic-milp extended-milp extended
sweep-papers: lab
	for s in $(SPECS); do \
	  STOWAGE_DATA="$(DATA)" $(BIN)/stowage-lab sweep run sweep/specs/$$s.yaml && \
	  STOWAGE_DATA="$(DATA)" $(BIN)/stowage-lab sweep report sweep/specs/$$s.yaml \
	    --runs lab/bench/results/sweep-$$s-$$(date -u +%F).jsonl.gz || exit 1; \
	done

# Five architectures on ggml, which is downloaded and built: minutes.
ggml:
	lab/bench/ggml/run.sh

# Twelve PyTorch programs beside other allocators: gigabytes are downloaded, and it takes minutes.
torch:
	lab/bench/torch/run.sh $(BIN)/torch

# The header that Go generates is of no use to anyone: stowage.h is the interface. On
# Linux nothing but that is shown to the program, and the library has a name: what is
# linked to one without asks for the path that it was linked by.
SHOWN = $(if $(filter Linux,$(shell uname -s)),-extldflags=-Wl$(comma)-s$(comma)-soname$(comma)libstowage.so$(comma)--version-script=$(CURDIR)/bindings/c/stowage.map)
comma := ,
capi:
	CGO_ENABLED=1 CGO_CFLAGS="-O2 -g0" $(GO) build -trimpath -ldflags "-s -w $(SHOWN)" -buildmode=c-shared -o $(BIN)/capi/libstowage.so ./bindings/c
	CGO_ENABLED=1 CGO_CFLAGS="-O2 -g0" $(GO) build -trimpath -ldflags "-s -w" -buildmode=c-archive -o $(BIN)/capi/libstowage.a ./bindings/c
	rm $(BIN)/capi/libstowage.h
	cp bindings/c/stowage.h bindings/c/stowage.hpp bindings/c/stowage.pc bindings/c/stowageConfig.cmake bindings/c/stowageConfigVersion.cmake $(BIN)/capi/

# If there is no Go on PATH, as is usual under sudo, what has been built before is installed.
# stowage.pc links the library's folder into programs (rpath), unless the system looks in
# that folder anyway.
SYSTEM      = $(filter /lib /usr/lib /usr/local/lib,$(LIBDIR))
PREFIX     = /usr/local
BINDIR     = $(PREFIX)/bin
LIBDIR     = $(PREFIX)/lib
INCLUDEDIR = $(PREFIX)/include
MANDIR     = $(PREFIX)/share/man
DATADIR    = $(PREFIX)/share/stowage
INSTALLED   = $(BINDIR)/stowage $(LIBDIR)/libstowage.so $(LIBDIR)/libstowage.a $(INCLUDEDIR)/stowage.h $(INCLUDEDIR)/stowage.hpp $(LIBDIR)/pkgconfig/stowage.pc $(LIBDIR)/cmake/stowage
CORE        = $(INCLUDEDIR)/stowage_core.h $(INCLUDEDIR)/stowage_core.hpp $(INCLUDEDIR)/stowage_place.h $(DATADIR) $(LIBDIR)/pkgconfig/stowage_core.pc $(LIBDIR)/cmake/stowage_core
install: install-core $(if $(shell command -v $(GO) 2>/dev/null),build capi)
	install -d "$(DESTDIR)$(BINDIR)" "$(DESTDIR)$(INCLUDEDIR)" "$(DESTDIR)$(LIBDIR)/pkgconfig" "$(DESTDIR)$(LIBDIR)/cmake/stowage" "$(DESTDIR)$(MANDIR)/man1"
	install -m 755 $(BIN)/stowage "$(DESTDIR)$(BINDIR)"
	install -m 755 $(BIN)/capi/libstowage.so "$(DESTDIR)$(LIBDIR)"
	install -m 644 $(BIN)/capi/libstowage.a "$(DESTDIR)$(LIBDIR)"
	install -m 644 $(BIN)/capi/stowage.h $(BIN)/capi/stowage.hpp "$(DESTDIR)$(INCLUDEDIR)"
	install -m 644 $(BIN)/capi/stowageConfig.cmake $(BIN)/capi/stowageConfigVersion.cmake "$(DESTDIR)$(LIBDIR)/cmake/stowage"
	sed -e 's|^libdir=.*|libdir=$(abspath $(LIBDIR))|' -e 's|^includedir=.*|includedir=$(abspath $(INCLUDEDIR))|' $(if $(SYSTEM),-e 's|^rpath=.*|rpath=|') \
		$(BIN)/capi/stowage.pc > "$(DESTDIR)$(LIBDIR)/pkgconfig/stowage.pc"
	chmod 644 "$(DESTDIR)$(LIBDIR)/pkgconfig/stowage.pc"
	$(BIN)/stowage man "$(DESTDIR)$(MANDIR)/man1"
	$(if $(SYSTEM),$(if $(DESTDIR),,-ldconfig 2>/dev/null))

# The core, for which neither Go nor a compiler is needed: programs compile its source.
install-core:
	install -d "$(DESTDIR)$(INCLUDEDIR)" "$(DESTDIR)$(DATADIR)" "$(DESTDIR)$(LIBDIR)/pkgconfig" "$(DESTDIR)$(LIBDIR)/cmake/stowage_core"
	install -m 644 core/stowage_core.h core/stowage_core.hpp core/stowage_place.h "$(DESTDIR)$(INCLUDEDIR)"
	install -m 644 core/stowage_core.c core/stowage_place.c "$(DESTDIR)$(DATADIR)"
	install -m 644 core/cmake/stowage_coreConfig.cmake core/cmake/stowage_coreConfigVersion.cmake "$(DESTDIR)$(LIBDIR)/cmake/stowage_core"
	sed -e 's|^includedir=.*|includedir=$(abspath $(INCLUDEDIR))|' -e 's|^source=.*|source=$(abspath $(DATADIR))/stowage_core.c|' \
		core/cmake/stowage_core.pc > "$(DESTDIR)$(LIBDIR)/pkgconfig/stowage_core.pc"
	chmod 644 "$(DESTDIR)$(LIBDIR)/pkgconfig/stowage_core.pc"

uninstall:
	rm -rf $(foreach file,$(INSTALLED) $(CORE),"$(DESTDIR)$(file)")
	rm -f "$(DESTDIR)$(MANDIR)"/man1/stowage.1 "$(DESTDIR)$(MANDIR)"/man1/stowage-*.1

wheel:
	python3 python/stowage_build.py bin/dist

# Zig, the C compiler of a release, comes from PyPI.
bin/zig/bin/pip:
	python3 -m venv bin/zig
	bin/zig/bin/pip install --quiet ziglang==0.17.1

release: bin/zig/bin/pip
	bin/zig/bin/python python/stowage_release.py $(VERSION) bin/release

test:
	@$(GO) run ./lab/testall $$($(GO) list $(MODULES) | grep -vxF "$$($(GO) list $(FORMS))")

# What several of FORMS build is compiled first, and not by two at the same time.
compiled:
	@mkdir -p $(BIN)/forms
	@CGO_ENABLED=1 CGO_CFLAGS="-O2 -g0" $(GO) build -trimpath -buildmode=c-shared -o $(BIN)/forms/libstowage.so ./bindings/c || true
	@GOOS=js GOARCH=wasm $(GO) build -trimpath -o $(BIN)/forms/ ./bindings/js/wasm/core ./bindings/js/wasm/files
	@$(GO) build -o $(BIN)/forms/ ./sweep/cmd/stowage-sweep

# The C library, the wheel, the package for npm and the viewer: they want a C compiler, Python, node and a browser, and
# are skipped where there is none. They run what other programs compile and read, of which go test knows nothing, so no
# result is kept. One package more than there are processors runs, since many wait: for a browser, a cluster, or a
# process of Python.
forms: compiled
	@$(GO) run ./lab/testall -count=1 -p=$$(($$(getconf _NPROCESSORS_ONLN) + 1)) $(FORMS)

# The tag recomputes what a search keeps up to date, every so many nodes: see
# internal/exact/canonical/invariants.go. It is the short tests, so those of large problems are
# skipped, at night too. make test vets these packages. CI has those of KERNELS at each commit.
invariants:
	@ALLOW_SKIP="$$ALLOW_SKIP large" $(GO) run ./lab/testall -vet=off -short -tags invariants $(SEARCHES)

# What is too long for each commit: docs/testing.md says what it is. make -k nightly goes on after a failure.
nightly: export STOWAGE_CASES := night
nightly: PROBLEMS    := 100000
nightly: MUTANTS_FOR := 30m
nightly: test forms invariants agree fuzz mutants sweep-stores $(if $(shell command -v java),sweep-spark)

# A sweep on a Flink cluster of this machine, one of whose task managers is killed. It wants Java and
# Maven, and 160 MB of jars, which Maven keeps in ~/.m2.
sweep-flink:
	STOWAGE_CASES=night $(GO) test -count=1 -run TestFlink -v ./sweep/engines

# The recipe for Spark on a cluster of this machine, against Prism. It wants Java, and 500 MB of PyPI.
SPARK := bin/sweep-spark
sweep-spark: wheel
	$(GO) build -ldflags "-s -w" -o bin/stowage-sweep ./sweep/cmd/stowage-sweep
	test -x $(SPARK)/venv/bin/spark-submit || { python3 -m venv $(SPARK)/venv && $(SPARK)/venv/bin/pip install -q pyspark==4.3.0 'pandas<3' pyarrow; }
	$(SPARK)/venv/bin/pip install -q --force-reinstall --no-deps bin/dist/stowage-*.whl
	rm -rf $(SPARK)/spark $(SPARK)/prism && mkdir $(SPARK)/spark $(SPARK)/prism
	for way in spark prism; do cp sweep/engines/testdata/spec.yaml $(SPARK)/$$way; done
	bin/stowage-sweep run $(SPARK)/prism/spec.yaml
	bin/stowage-sweep tasks $(SPARK)/spark/spec.yaml > $(SPARK)/tasks.jsonl
	PYSPARK_PYTHON=$(CURDIR)/$(SPARK)/venv/bin/python SPARK_LOCAL_IP=127.0.0.1 $(SPARK)/venv/bin/spark-submit --master 'local-cluster[2,1,1024]' \
		sweep/recipes/spark_sweep.py $(SPARK)/tasks.jsonl $(SPARK)/spark/sweep-out 16
	bin/stowage-sweep status $(SPARK)/spark/sweep-out
	bin/stowage-sweep diff $(SPARK)/prism/sweep-out $(SPARK)/spark/sweep-out

# Sweeps into object stores: servers of PyPI on this machine, which keep everything in memory. Each is filled by one sweep,
# and by one that is killed and resumed, and compared with the plain loop.
sweep-stores: sweep
	sweep/engines/testdata/stores.sh bin/sweep-stores

agree:
	$(GO) run ./lab/bench/agree -problems $(PROBLEMS)

# Limits of time, which no other test holds. On a machine that does nothing else.
pace:
	STOWAGE_PACE=1 $(GO) test -count=1 -p 1 $$(grep -rl --include='*_test.go' 'testkit/pace"' . | xargs -n1 dirname | sort -u)

# Conditions and bounds at MUTANTS random places of the searches, one by one, for MUTANTS_FOR at most. The seed is the last commit.
mutants:
	$(GO) run ./lab/mutants -n $(MUTANTS) -for $(MUTANTS_FOR) -seed "$$(git rev-parse HEAD)" $(PACKAGES)

race:
	$(GO) test -race $(MODULES)


# Each target is fuzzed alone: go test takes one at a time.
fuzz:
	@set -e; for dir in $$(grep -rl '^func Fuzz' --include='*_test.go' . | xargs -n 1 dirname | sort -u); do \
		for target in $$($(GO) test -list '^Fuzz' $$dir | grep '^Fuzz'); do \
			echo "$$dir $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$dir; \
		done; \
	done

bench:
	STOWAGE_DATA="$(DATA)" $(GO) run ./lab/bench/size -into docs/measured.md
	STOWAGE_DATA="$(DATA)" $(GO) run ./lab/bench/peers -minimalloc "$(MINIMALLOC)" -into lab/bench/results/README.md
	STOWAGE_DATA="$(DATA)" $(GO) run ./lab/bench/peers -minimalloc "$(MINIMALLOC)" -planner exact -into lab/bench/results/README.md

lint:
	$(GO) vet $(MODULES)
	$(GO) vet -tags invariants $(SEARCHES)
	$(GO) run $(STATICCHECK) $(MODULES)
	$(GO) run $(ACTIONLINT)
	@unformatted=$$($(GO) run $(GOFUMPT) -l .) && test -z "$$unformatted" || { echo "gofumpt would change:"; echo "$$unformatted"; exit 1; }

cover:
	@mkdir -p bin
	$(GO) test -coverpkg=./... -coverprofile=bin/cover.out ./...
	$(GO) tool cover -func=bin/cover.out | tail -n 1
	$(GO) tool cover -html=bin/cover.out -o bin/cover.html

# The package for npm, in bindings/js/dist, and the page that plans in the browser.
npm:
	$(GO) run ./bindings/js/build -sizes

page:
	@mkdir -p bin
	$(GO) run ./bindings/js/build -sizes -page bin/stowage.html

# The documents as a site with search, which also works from a folder: bin/site/html/index.html.
bin/site-tools/bin/pip:
	python3 -m venv bin/site-tools
	bin/site-tools/bin/pip install --quiet $(shell grep -o '^mkdocs-material==[^ ]*' .ci/commit/requirements.txt)

site: build page bin/site-tools/bin/pip
	bin/site-tools/bin/python docs/site/site.py bin/site
	@echo bin/site/html/index.html

man: build
	bin/stowage man bin/man

clean:
	rm -rf bin
