"""Builds the files of a release into a folder, as make release does:

    python3 python/stowage_release.py 0.3.0 bin/release

The files are: the command for Linux, macOS and Windows on amd64 and arm64; the C library for Linux on both and for
Windows on amd64; wheels for all of these systems, with the library if there is one, and for musl; the package for npm
and the page that plans; a container image for Linux on both and a Homebrew formula (stowage_image.py); a list of all
parts (SBOM, CycloneDX); and checksums.

It needs Go, and the package ziglang for this Python: Zig is a C compiler that links against any version of glibc, for
any processor. What it builds here runs with glibc 2.17, of 2012, and later.

Reproducible: the same sources, Go, Zig and Python give the same bytes. Builds contain no paths, no time and no commit.
Archives have their entries in order, with one date.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

import stowage_image

ROOT = pathlib.Path(__file__).resolve().parent.parent

# The systems, and the name that Zig has for those with a C library.
SYSTEMS = {
    ("linux", "amd64"): "x86_64-linux-gnu.2.17",
    ("linux", "arm64"): "aarch64-linux-gnu.2.17",
    ("darwin", "amd64"): None,
    ("darwin", "arm64"): None,
    ("windows", "amd64"): "x86_64-windows-gnu",
    ("windows", "arm64"): None,
}

OURS = "github.com/stowage-go/stowage"
LICENCES = "LICENSES-THIRD-PARTY.txt"  # of all parts but our own
PROGRAMS = {"stowage", "stowage.exe", "libstowage.so", "stowage.dll"}  # what is executable in an archive
DATE = 315532800  # of every entry: the first day of 1980, the earliest that zip has


def release(version: str, out: pathlib.Path, work: pathlib.Path) -> None:
    """Builds everything. work is a folder for what is no file of the release."""
    licences = work / LICENCES
    licences.write_text(third_party(), encoding="utf-8")
    papers = {name: pathlib.Path(name) for name in ("LICENSE", "README.md", "CHANGELOG.md")} | {LICENCES: licences}
    binaries = []
    for (system, processor), target in SYSTEMS.items():
        environment = {"GOOS": system, "GOARCH": processor}
        kind = ".zip" if system == "windows" else ".tar.gz"
        command = work / f"{system}-{processor}" / ("stowage.exe" if system == "windows" else "stowage")
        build(environment | {"CGO_ENABLED": "0"}, "./cmd/stowage", command)
        binaries.append(command)
        archive(out / f"stowage-{version}-{system}-{processor}{kind}", papers | {command.name: command})
        libraries = ["none"]
        if target:
            shared, static = c_library(work / f"c-{system}-{processor}", environment, target)
            binaries.append(shared)
            files = c_files(licences) | {shared.name: shared, static.name: static}
            archive(out / f"stowage-c-{version}-{system}-{processor}{kind}", files)
            # For Linux there is also a wheel without the library, which pip takes if the C library is musl.
            libraries = [str(shared)] + ["none"] * (system == "linux")
        for library in libraries:
            parts = {"STOWAGE_COMMAND": command, "STOWAGE_LIBRARY_FILE": library, "STOWAGE_LICENSES": licences}
            run(environment | parts | {"SOURCE_DATE_EPOCH": "0"}, sys.executable, "python/stowage_build.py", out)
    linux = {processor: work / f"linux-{processor}" / "stowage" for system, processor in SYSTEMS if system == "linux"}
    (out / f"stowage-{version}-image.tar").write_bytes(stowage_image.image(version, linux, papers))
    (out / "stowage.rb").write_text(stowage_image.formula(version, out))
    run({}, "go", "run", "./bindings/js/build", "-page", out / f"stowage-{version}.html")
    archive(out / f"stowage-{version}.tgz", npm_files(pathlib.Path("bindings/js")), folder="package")
    (out / f"stowage-{version}.cdx.json").write_text(json.dumps(sbom(version, binaries), indent=2) + "\n")
    checksums(out)


def run(environment: dict[str, object], *command: object) -> str:
    """Runs a program, with more in its environment, and returns what it prints."""
    words, environment = [str(word) for word in command], {name: str(value) for name, value in environment.items()}
    return subprocess.run(words, env=os.environ | environment, check=True, stdout=subprocess.PIPE, text=True).stdout


def build(environment: dict, package: str, path: pathlib.Path, flags: str = "", mode: str = "default") -> None:
    more = ["-buildvcs=false", "-ldflags", "-s -w -buildid= " + flags, "-buildmode=" + mode]
    run(environment, "go", "build", "-trimpath", *more, "-o", path, package)


def c_library(folder: pathlib.Path, environment: dict[str, str], target: str) -> tuple[pathlib.Path, pathlib.Path]:
    """Builds the C library, shared and static, for what Zig calls target."""
    # Go's own flags for C have -g, as Zig has by default, and debugging data contain paths.
    compiler = f"{sys.executable} -m ziglang cc -target {target}"
    environment = environment | {"CGO_ENABLED": "1", "CGO_CFLAGS": "-O2 -g0", "CC": compiler}
    shared, static, flags = folder / "libstowage.so", folder / "libstowage.a", "-extldflags=-Wl,-s"
    if environment["GOOS"] == "linux":
        flags += f",-soname,libstowage.so,--version-script={ROOT}/bindings/c/stowage.map"
    else:  # debugging data have a number that differs from build to build: -s
        shared = folder / "stowage.dll"
    build(environment, "./bindings/c", shared, flags, "c-shared")
    build(environment, "./bindings/c", static, flags, "c-archive")
    return shared, static


def c_files(licences: pathlib.Path) -> dict[str, pathlib.Path]:
    """Returns what goes along with the C library."""
    c = pathlib.Path("bindings/c")
    names = ["stowage.h", "stowage.hpp", "stowage.pc", "stowageConfig.cmake", "stowageConfigVersion.cmake"]
    names += ["examples/" + name for name in ("plan.c", "plan.cc", "hook.cc", "memories.c")]
    papers = {"LICENSE": pathlib.Path("LICENSE"), LICENCES: licences, "README.md": pathlib.Path("docs/c.md")}
    return {name: c / name for name in names} | papers


def npm_files(package: pathlib.Path) -> dict[str, pathlib.Path]:
    """Returns the files of the package for npm, which its manifest names, or their folders."""
    names = ["package.json", *json.loads((package / "package.json").read_text())["files"]]
    if missing := [name for name in names if not (package / name).exists()]:
        raise FileNotFoundError(f"{package}: {', '.join(missing)}")
    files = [f for name in names for f in (package / name, *(package / name).rglob("*")) if f.is_file()]
    return {f.relative_to(package).as_posix(): f for f in files}


def third_party() -> str:
    """Returns the licences of all parts of the command and the C library but our own."""
    each = "{{with .Module}}{{.Path}}\t{{.Dir}}{{end}}"
    listed = run({}, "go", "list", "-deps", "-f", each, "./cmd/stowage", "./bindings/c").split("\n")
    modules = sorted({tuple(line.split("\t")) for line in listed if line and not line.startswith(OURS)})
    text = ""
    for name, folder in [*modules, ("Go", run({}, "go", "env", "GOROOT").strip())]:
        licence = min(pathlib.Path(folder).glob("LICENSE*"))  # there is one, or the release fails
        text += f"{name}\n{'=' * len(name)}\n\n{licence.read_text(encoding='utf-8').strip()}\n\n"
    return text


def archive(path: pathlib.Path, files: dict[str, pathlib.Path], folder: str = "") -> None:
    """Writes files into one folder of a packed tar file, or of a zip file if path says so."""
    folder = folder or path.name.removesuffix(".zip").removesuffix(".tar.gz")
    modes = {name: 0o755 if name in PROGRAMS else 0o644 for name in sorted(files)}
    entries = [(f"{folder}/{name}", mode, files[name].read_bytes()) for name, mode in modes.items()]
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as z:
            for name, mode, data in entries:
                entry = zipfile.ZipInfo(name)  # of 1980
                entry.create_system, entry.external_attr = 3, (0o100000 | mode) << 16
                z.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)
        return
    text = io.BytesIO()
    with tarfile.open(fileobj=text, mode="w", format=tarfile.USTAR_FORMAT) as t:
        for name, mode, data in entries:
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode, entry.mtime = len(data), mode, DATE
            t.addfile(entry, io.BytesIO(data))
    path.write_bytes(gzip.compress(text.getvalue(), 9, mtime=0))


def sbom(version: str, binaries: list[pathlib.Path]) -> dict:
    """Returns the bill of materials (CycloneDX 1.5): the modules that Go binaries name, and Go itself."""
    parts = {}
    for path in binaries:
        info = json.loads(run({}, "go", "version", "-m", "-json", path))
        go = info["GoVersion"]
        std = "pkg:golang/std@" + go.removeprefix("go")
        parts[std] = {"type": "library", "name": "std", "version": go, "purl": std}
        for m in info.get("Deps") or []:
            if m["Path"].startswith(OURS):
                continue
            m = m.get("Replace") or m
            purl = f"pkg:golang/{m['Path']}@{m['Version'].replace('+', '%2B')}"
            part = {"type": "library", "name": m["Path"], "version": m["Version"], "purl": purl}
            parts[purl] = part | {"properties": [{"name": "go.sum", "value": m["Sum"]}]}
    whole = {"type": "application", "name": "stowage", "version": version, "purl": f"pkg:golang/{OURS}@v{version}"}
    head = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "metadata": {"component": whole}}
    return head | {"components": [parts[purl] for purl in sorted(parts)]}


def checksums(out: pathlib.Path) -> None:
    """Lists all files of the release."""
    sums = "".join(f"{hashlib.sha256(f.read_bytes()).hexdigest()}  {f.name}\n" for f in sorted(out.iterdir()))
    (out / "SHA256SUMS").write_text(sums)
    print(sums, end="")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit("stowage_release: it takes a version and a folder")
    to = pathlib.Path(sys.argv[2]).resolve()
    shutil.rmtree(to, ignore_errors=True)  # files of another release must not stay
    to.mkdir(parents=True)
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        release(sys.argv[1], to, pathlib.Path(folder))
