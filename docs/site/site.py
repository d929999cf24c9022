"""Builds the site of the documents, as make site does:

    python3 docs/site/site.py bin/site

It needs mkdocs-material for this Python, and bin/stowage, or the command that STOWAGE names. The page that plans is part of it if bin/stowage.html is there.
The site is in bin/site/html, and works from a folder, without a network.

Idea: the documents stay as they read on GitHub. This copies them, lets links to files outside of the site lead to
GitHub, draws the gallery with the command, and leaves the rest to MkDocs. A link to nothing is an error.
"""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GITHUB = "https://github.com/stowage-go/stowage"
LINK = re.compile(r'(?<=\]\()(?!https?:|#|mailto:)([^)\s#]+)(#[^)\s]*)?(?=\))|(?<=src=")(?!https?:)([^"]+)(?=")')
FENCE = re.compile(r"^(```\w+) .*$", re.MULTILINE)

# The pictures: name, what it shows, arguments of the command, the page that shows the same.
GALLERY = [
    ("unet", "U-Net in 80 MiB, the lowest plan. First-fit needs 117 MiB.", "solve -q -c 80MiB", "examples/unet.csv"),
    ("resnet50", "A training step of ResNet-50: what the forward pass makes stays until the backward pass.", "solve -q", "examples/resnet50-training.csv"),
    ("mobilenet", "MobileNet v2.", "solve -q", "examples/mobilenet-v2.csv"),
    ("minimalloc", "The example of MiniMalloc's paper, which fills its memory.", "solve -q", "examples/minimalloc.csv"),
    ("memories", "A model in a fast and a slow memory.", "plan -q --pool fast=1KiB --pool slow=480KiB", "examples/tiny.tflite"),
]

# What MkDocs' theme asks another server for if it is to search in a folder. worker.js is in its place.
SHIM = "https://unpkg.com/iframe-worker/shim"


def pages() -> dict[pathlib.Path, str]:
    """Returns the name in the site of each document."""
    docs = ROOT / "docs"
    found = {path: path.relative_to(docs).as_posix() for path in docs.rglob("*.md")}
    return {ROOT / "README.md": "index.md", ROOT / "CHANGELOG.md": "changes.md"} | found


def rewritten(source: pathlib.Path, names: dict[pathlib.Path, str]) -> str:
    """Returns a document with links for the site."""
    here = pathlib.PurePosixPath(names[source])

    def to(m: re.Match[str]) -> str:
        name, anchor = m[1] or m[3], m[2] or ""
        target = (source.parent / name).resolve()
        if not target.exists():
            raise SystemExit(f"{source.relative_to(ROOT)}: there is no {name}")
        place = names.get(target)
        if place is None and target.is_relative_to(ROOT / "docs" / "images"):
            place = target.relative_to(ROOT / "docs").as_posix()
        if place is None:
            kind = "tree" if target.is_dir() else "blob"
            return f"{GITHUB}/{kind}/main/{target.relative_to(ROOT).as_posix()}{anchor}"
        return "../" * (len(here.parts) - 1) + place + anchor

    parts = re.split(r"(^```.*?^```$)", source.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return "".join(FENCE.sub(r"\1", part) if k % 2 else LINK.sub(to, part) for k, part in enumerate(parts))


def gallery(into: pathlib.Path) -> str:
    """Draws the gallery, and returns its page."""
    text = "# Gallery\n\nEach picture has time across and offsets up. A click opens the page that `-o FILE.html` writes, in which plans can be searched.\n"
    for name, says, words, file in GALLERY:
        outputs = [f"gallery/{name}.svg", f"gallery/{name}.html"]
        command = [*words.split(), *(word for path in outputs for word in ("-o", str(into / path))), file]
        subprocess.run([os.environ.get("STOWAGE", ROOT / "bin" / "stowage"), *command], cwd=ROOT, check=True)
        # Raw HTML: MkDocs knows no page that it has not made.
        text += f'\n## {says.split(":")[0].split(",")[0].rstrip(".")}\n\n{says}\n\n<a href="{outputs[1]}"><img src="{outputs[0]}" alt="{says}"></a>\n\n'
        text += f"```sh\nstowage {words.replace('-q ', '')} -o plan.html {file}\n```\n".replace("-q -o", "-o")
    return text


def build(to: pathlib.Path) -> None:
    shutil.rmtree(to, ignore_errors=True)
    docs = to / "docs"
    (docs / "gallery").mkdir(parents=True)
    names = pages()
    for source, name in names.items():
        path = docs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(rewritten(source, names), encoding="utf-8")
    shutil.copytree(ROOT / "docs" / "images", docs / "images")
    (docs / "gallery.md").write_text(gallery(docs), encoding="utf-8")
    planning = ROOT / "bin" / "stowage.html"
    if planning.exists():
        shutil.copy(planning, docs / "stowage.html")
    (docs / "try.md").write_text(TRY if planning.exists() else ABSENT, encoding="utf-8")
    shutil.copy(pathlib.Path(__file__).parent / "mkdocs.yml", to)
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-f", to / "mkdocs.yml"]
    subprocess.run(command, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, check=True)  # it tells of its successor
    shutil.copy(pathlib.Path(__file__).parent / "worker.js", to / "html" / "assets")
    for page in (to / "html").rglob("*.html"):
        up = "../" * (len(page.relative_to(to).parts) - 2)
        page.write_text(page.read_text(encoding="utf-8").replace(SHIM, up + "assets/worker.js"), encoding="utf-8")


TRY = """# Try it now

[Open the page that plans](stowage.html){ .md-button target=_blank }

The page plans a model, a problem or a dump in your browser. Drop a file onto it. No file leaves your machine: the page has the planner in it, and makes
no request. You can save the page, and use it without a network.
"""
ABSENT = "# Try it now\n\nThis site was built without the page that plans: `make page` builds it.\n"

if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("site: it takes a folder, which is emptied")
    build(pathlib.Path(sys.argv[1]).resolve())
