#!/usr/bin/env bash
# Twelve PyTorch programs with and without an arena, beside PyTorch's own allocator for GPUs and STAlloc's planner.
#
#     lab/bench/torch/run.sh [FOLDER [FLAG | PROGRAM]...]     FOLDER keeps what is downloaded; flags and programs are those of run.py
#
# It needs Go, Python 3.11, a C and a C++ compiler, git and a network: PyTorch for CUDA and what it brings along are
# some gigabytes, and no GPU is needed. STALLOC names a clone of STAlloc that is there already.
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=${1:-bin/torch}
shift || true
mkdir -p "$work"
work=$(cd "$work" && pwd)
cd "$here/../../.."

revision=3a9f97ff4896c46ffb65b229ba7347358b400387
stalloc=${STALLOC:-$work/STAlloc}
if ! [ -d "$stalloc" ]; then
	git clone -q https://github.com/infinigence/STAlloc "$stalloc"
	git -C "$stalloc" checkout -q $revision
fi
if [ "$(git -C "$stalloc" rev-parse HEAD)" != $revision ]; then
	echo "$stalloc is not at $revision" >&2
	exit 1
fi

if ! [ -d "$work/venv" ]; then
	python3 -m venv "$work/venv"
fi
pip() { "$work/venv/bin/python" -m pip -q --disable-pip-version-check "$@"; }
pip install torch==2.15.0 numpy 'nvidia-cuda-crt==13.2.*' scikit-learn matplotlib
make -s wheel
pip install --no-deps --force-reinstall bin/dist/stowage-*.whl

exec "$work/venv/bin/python" lab/bench/torch/run.py --stalloc "$stalloc" "$@"
