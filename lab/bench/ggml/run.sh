#!/usr/bin/env bash
# Five architectures on ggml: bytes by ggml_gallocr and by Stowage, and whether the outputs are the same bits. It fails if one is not, or if a plan
# takes more. ggml comes from the source package of llama-cpp-python on PyPI, and is built in a folder of its own.
#
#     lab/bench/ggml/run.sh [FOLDER]     FOLDER keeps what is downloaded and built; else it is temporary
#
# It needs Go, Python, cmake, a C++ compiler and a network. Building ggml takes some minutes.
set -eu -o pipefail
cd "$(dirname "$0")/../../.."
if [ $# -gt 0 ]; then
	mkdir -p "$1"
	work=$(cd "$1" && pwd)
else
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
fi
package=llama_cpp_python-0.3.36

if ! [ -d "$work/ggml" ]; then
	python3 -m pip -q download --no-deps --no-binary :all: -d "$work" "${package/_python-/_python==}"
	tar -xzf "$work/$package.tar.gz" -C "$work" "$package/vendor/llama.cpp/ggml"
	cp -r "$work/$package/vendor/llama.cpp/ggml" "$work/ggml"
fi
# Three times ggml-alloc.c: as it is, with its log, and with the planner.
if ! [ -d "$work/planner" ]; then
	mkdir "$work/log"
	sed 's/^#define AT_PRINTF(...)$/#define AT_PRINTF(...) GGML_LOG_DEBUG(__VA_ARGS__)/' "$work/ggml/src/ggml-alloc.c" >"$work/log/ggml-alloc.c"
	mkdir -p "$work/patching/ggml/src"
	cp -r "$work/ggml/include" "$work/patching/ggml"
	cp "$work/ggml/src/ggml-alloc.c" "$work"/ggml/src/*.h "$work/patching/ggml/src"
	patch -s -p1 -d "$work/patching" <examples/ggml/gallocr.patch
	mv "$work/patching/ggml" "$work/planner"
fi
mkdir -p "$work/build" "$work/cmake"
cat >"$work/cmake/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.14)
project(ggml_only C CXX)
add_subdirectory(../ggml ggml)
END
cmake -S "$work/cmake" -B "$work/build" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DGGML_OPENMP=OFF -DGGML_NATIVE=ON \
	-DGGML_CPU_REPACK=OFF -DGGML_LLAMAFILE=OFF -DCMAKE_C_FLAGS=-w -DCMAKE_CXX_FLAGS=-w >/dev/null
cmake --build "$work/build" --target ggml -j "$(nproc)" >/dev/null
cc -std=c99 -O2 -Icore -c core/stowage_core.c -o "$work/core.o"

# program NAME HEADERS FLAG OBJECT...: graphs.cpp with what replaces ggml's own.
program() {
	local name=$1 headers=$2 flag=$3
	shift 3
	cc -std=c99 -O1 -I"$headers" -Icore -c examples/ggml/stowage_ggml.c -o "$work/$name.c.o"
	c++ -std=c++17 -O1 $flag -I"$headers" -Iexamples/ggml -c lab/bench/ggml/graphs.cpp -o "$work/$name.o"
	c++ "$work/$name.o" "$work/$name.c.o" "$@" -o "$work/$name" -Wl,--allow-multiple-definition "$work"/build/ggml/src/libggml.a \
		"$work"/build/ggml/src/libggml-cpu.a "$work"/build/ggml/src/libggml-base.a "$work/core.o" -lpthread -ldl
}
program graphs "$work/ggml/include" -DGGML
cc -O1 -I"$work/ggml/include" -I"$work/ggml/src" -c "$work/log/ggml-alloc.c" -o "$work/log.o"
program logs "$work/ggml/include" -DGGML "$work/log.o"
cc -O1 -I"$work/planner/include" -I"$work/planner/src" -c "$work/planner/src/ggml-alloc.c" -o "$work/planner.o"
cc -std=c99 -O1 -I"$work/planner/include" -Icore -c examples/ggml/gallocr_planner.c -o "$work/callback.o"
program patched "$work/planner/include" -DGALLOCR_PATCHED "$work/planner.o" "$work/callback.o"

go build -o bin/stowage ./cmd/stowage
for name in unet vae vision whisper llama; do
	"$work/graphs" $name full
	"$work/graphs" $name small
	"$work/patched" $name patched 2>/dev/null
	# What the log says is what the allocator took, and can be planned as low.
	took=$("$work/logs" $name log 2>"$work/$name.ggml-log")
	bin/stowage verify "$work/$name.ggml-log" 2>/dev/null | tee "$work/verdict"
	grep -q "^valid: height $took," "$work/verdict"
done
