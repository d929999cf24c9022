"""Builds the wheel: Python, the shared library and the command in one archive.

    python3 python/stowage_build.py FOLDER     # or pip wheel ./python, pip install ./python

It needs Go, and a C compiler for the library. Without a C compiler the wheel has the command
alone, which then does all planning: a call costs some milliseconds more. Without Go there is
nothing to build, and one line says so.

CC and GOARCH choose another machine. STOWAGE_COMMAND and STOWAGE_LIBRARY_FILE name a command
and a library that are built already. STOWAGE_LICENSES names a text with the licences of their
parts. STOWAGE_LIBRARY_FILE=none leaves the library out of a wheel for others: for systems
without a C compiler at hand, and for musl, which cannot load a library written in Go.

Idea: nothing in the wheel is compiled against Python, so one wheel serves every version of
it. The wheel is a zip of files with a few lines about them, which the standard library
writes. The tag of the platform comes from the library: it is the latest version of glibc
that the library asks for. This file is the backend that pyproject.toml names, so pip needs
nothing else.

Reproducible: the same sources, Go and C compiler give the same bytes. The entries are sorted,
and have the date of SOURCE_DATE_EPOCH, or that of 1980.
"""

from __future__ import annotations

import base64
import hashlib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import tomllib
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = ("stowage", "stowage_executorch")


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    """Builds the wheel into a folder and returns its name. PEP 517 asks for this function."""
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    with tempfile.TemporaryDirectory() as folder:
        system, library, command = _binaries(pathlib.Path(folder))
        tag = "py3-none-" + _platform(system, library)
        info = f"{project['name']}-{project['version']}.dist-info"
        files = {
            path.relative_to(HERE).as_posix(): path.read_bytes()
            for package in PACKAGES
            for path in sorted((HERE / package).rglob("*"))
            if path.suffix in (".py", ".c", ".cpp", ".hpp") or path.name == "py.typed"
        }
        # stowage.torch and stowage.onnxruntime compile the arena where it is used, and without library and command the core.
        sources = ("arena/stowage_arena.c", "arena/stowage_arena.h", "arena/stowage_arena_core.c", "core/stowage_core.c", "core/stowage_core.h")
        for name in (*sources, "core/stowage_place.c", "core/stowage_place.h"):  # the last two are for programs in C
            files[f"stowage/_arena/{pathlib.Path(name).name}"] = (HERE.parent / name).read_bytes()
        suffix = ".exe" if system == "windows" else ""
        name = {"windows": "stowage.dll", "darwin": "libstowage.dylib"}.get(system, "libstowage.so")
        if library is not None:
            files[f"stowage/lib/{name}"] = library.read_bytes()
        files[f"stowage/bin/stowage{suffix}"] = command.read_bytes()
        files[f"{info}/METADATA"] = _metadata(project)
        files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: stowage_build\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
        scripts = "".join(f"{name} = {where}\n" for name, where in project["scripts"].items())
        files[f"{info}/entry_points.txt"] = f"[console_scripts]\n{scripts}".encode()
        files[f"{info}/licenses/LICENSE"] = (HERE.parent / "LICENSE").read_bytes()
        if licenses := os.environ.get("STOWAGE_LICENSES"):
            files[f"{info}/licenses/LICENSES-THIRD-PARTY.txt"] = pathlib.Path(licenses).read_bytes()
        wheel = f"{project['name']}-{project['version']}-{tag}.whl"
        _write(pathlib.Path(wheel_directory) / wheel, files, f"{info}/RECORD")
    return wheel


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    raise SystemExit("Stowage has no source archive, because its sources in Go are beside this folder: build a wheel from a clone")


def _go(root: pathlib.Path) -> str:
    """Returns the path of Go, which can build the module. What is missing is said in one
    line: pip shows it, where it would show thirty lines of a trace for an exception."""
    version = re.search(r"^go ([0-9]+[.][0-9]+)", (root / "go.mod").read_text(encoding="utf-8"), re.MULTILINE)
    needs = f"Stowage needs Go {version[1] if version else ''} (https://go.dev/dl) to build"
    go = shutil.which("go")
    if go is None:
        raise SystemExit(f"{needs}; there is no go on PATH, and no wheel is published yet.")
    done = subprocess.run([go, "env", "GOVERSION"], cwd=root, capture_output=True, text=True, check=False)
    if done.returncode != 0:  # it is older than go.mod wants, and may not fetch a newer one
        said = (done.stderr.strip().splitlines() or ["it fails"])[-1]
        raise SystemExit(f"{needs}; {go} cannot: {said}")
    return go


def _compiler(go: str, root: pathlib.Path) -> bool:
    """Returns whether there is a C compiler, and warns if there is none."""
    cc = subprocess.run([go, "env", "CC"], cwd=root, check=True, capture_output=True, text=True).stdout.strip()
    if cc and shutil.which(shlex.split(cc)[0]):
        return True
    print(
        f"warning: there is no C compiler ({cc or 'CC'} is not on PATH), so Stowage's library is left out. "
        "The package works over its command, and a call takes some milliseconds more.",
        file=sys.stderr,
    )
    return False


def _binaries(folder: pathlib.Path) -> tuple[str, pathlib.Path | None, pathlib.Path]:
    """Builds the library, unless there is to be none, and the command. Returns the system
    that they are for."""
    root = HERE.parent
    go = _go(root)
    system = subprocess.run([go, "env", "GOOS"], cwd=root, check=True, capture_output=True, text=True).stdout.strip()
    # Most of an installation is compiling: of 66 s of processor time with an empty cache, 17 are the standard library that the
    # library needs, 16 more what only the command needs, and the rest is Stowage and two links. Tables for debuggers, which
    # the linker leaves out anyway, would take another eighth. What was tried or thought of beyond that: less optimised code
    # (-N -l) takes 40% less, and plans slowly for as long as it is installed; a command that is built at its first use
    # needs Go and the clone then; one file for both saves a link, but nothing of what has to be compiled; a compiler that
    # never collects its garbage (GOGC=off) takes as long as with 400. Nothing is compiled
    # twice, and the library alone takes two thirds of the whole.
    common = [go, "build", "-trimpath", "-buildvcs=false", "-gcflags=all=-dwarf=false", "-ldflags"]
    shown = f" -extldflags=-Wl,-s,-soname,libstowage.so,--version-script={root / 'bindings' / 'c' / 'stowage.map'}" if system == "linux" else ""
    library: pathlib.Path | None = folder / "library"
    # Without -g0 there would be information for debuggers, which has the paths of this machine:
    # Go asks for it, and Zig does by itself.
    # The compiler collects its garbage four times less often, which saves a quarter of its processor time.
    environment = {"GOGC": "400", **os.environ, "CGO_ENABLED": "1", "CGO_CFLAGS": "-O2 -g0"}
    if built := os.environ.get("STOWAGE_LIBRARY_FILE"):
        library = pathlib.Path(built) if built != "none" else None
    elif not _compiler(go, root):
        library = None
    else:
        subprocess.run([*common, "-s -w -buildid=" + shown, "-buildmode=c-shared", "-o", str(library), "./bindings/c"], cwd=root, env=environment, check=True)
    if built := os.environ.get("STOWAGE_COMMAND"):
        return system, library, pathlib.Path(built)
    command = folder / "command"
    # Without cgo the command starts sooner. Packages of a library are compiled as those of a position-independent
    # program (pie) are, so the command takes over what both need: half of all processor time.
    environment["CGO_ENABLED"] = "0"
    mode = "pie" if system == "linux" and library is not None else "default"
    subprocess.run([*common, "-s -w -buildid=", "-buildmode=" + mode, "-o", str(command), "./cmd/stowage"], cwd=root, env=environment, check=True)
    return system, library, command


def _platform(system: str, library: pathlib.Path | None) -> str:
    """Returns the wheel's tag for the platform of the library, or of the command."""
    machine = subprocess.run(["go", "env", "GOARCH"], check=True, capture_output=True, text=True).stdout.strip()
    if system == "linux" and library is None and os.environ.get("STOWAGE_LIBRARY_FILE") != "none":
        return "linux_" + {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)  # for this machine
    if system == "linux" and library is None:
        # A wheel for others, which pip must take only with musl: for glibc there is one with the library.
        return "musllinux_1_1_" + {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)
    if system == "linux":
        assert library is not None
        minor = max(int(x) for x in re.findall(rb"GLIBC_2\.(\d+)", library.read_bytes()))
        # 2.17 is the oldest version that has a tag.
        return f"manylinux_2_{max(minor, 17)}_" + {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)
    if system == "windows":
        return {"amd64": "win_amd64", "arm64": "win_arm64"}[machine]
    if system == "darwin":
        return "macosx_12_0_" + {"amd64": "x86_64", "arm64": "arm64"}[machine]
    return re.sub(r"[-.]", "_", sysconfig.get_platform())


def _metadata(project: dict) -> bytes:
    lines = ["Metadata-Version: 2.4", f"Name: {project['name']}", f"Version: {project['version']}", f"Summary: {project['description']}"]
    lines += [f"License-Expression: {project['license']}", "License-File: LICENSE", f"Requires-Python: {project['requires-python']}"]
    lines += [f"Project-URL: {name}, {url}" for name, url in project["urls"].items()]
    lines += [f"Classifier: {classifier}" for classifier in project["classifiers"]]
    text = (HERE / project["readme"]).read_text(encoding="utf-8")
    return ("\n".join([*lines, "Description-Content-Type: text/markdown", "", text])).encode()


def _write(path: pathlib.Path, files: dict[str, bytes], record: str) -> None:
    """Writes the zip, with the record of what is in it last."""
    when = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800))[:6]  # a zip begins in 1980
    lines = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for name in [*sorted(files), record]:
            if name == record:
                content = "".join([*lines, f"{record},,\n"]).encode()
            else:
                content = files[name]
                digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                lines.append(f"{name},sha256={digest},{len(content)}\n")
            entry = zipfile.ZipInfo(name, when)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # where permissions are kept
            entry.external_attr = (0o100755 if "/bin/" in name or "/lib/" in name else 0o100644) << 16
            z.writestr(entry, content, compresslevel=9)


if __name__ == "__main__":
    to = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    to.mkdir(parents=True, exist_ok=True)
    print(to / build_wheel(str(to)))
