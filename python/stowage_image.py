"""Writes the container image and the Homebrew formula of a release: make release calls it.

Idea: an image is a few files of JSON and packed folders, each named by its checksum (OCI image layout 1.1). The image
here has one layer, the command and its licences, for each processor. So neither a daemon nor another image is needed.
The formula names the archives of the release, with their checksums.

Reproducible: there is no time in either but the first day of 1980.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import pathlib
import tarfile

DATE, CREATED = 315532800, "1980-01-01T00:00:00Z"
OCI = "application/vnd.oci.image."
HOME = "https://github.com/stowage-go/stowage"


def packed(files: dict[str, tuple[int, bytes]]) -> bytes:
    """Returns a tar file with the folders of the files, then the files: mode and content by path."""
    folders = {parent.as_posix() for name in files for parent in pathlib.PurePosixPath(name).parents} - {"."}
    text = io.BytesIO()
    with tarfile.open(fileobj=text, mode="w", format=tarfile.USTAR_FORMAT) as t:
        for name in sorted(folders):
            entry = tarfile.TarInfo(name)
            entry.type, entry.mode, entry.mtime = tarfile.DIRTYPE, 0o755, DATE
            t.addfile(entry)
        for name, (mode, data) in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode, entry.mtime = len(data), mode, DATE
            t.addfile(entry, io.BytesIO(data))
    return text.getvalue()


def image(version: str, commands: dict[str, pathlib.Path], papers: dict[str, pathlib.Path]) -> bytes:
    """Returns an OCI archive: the command by the processor that it is for (amd64, arm64), with the papers."""
    blobs: dict[str, tuple[int, bytes]] = {}

    def blob(kind: str, data: bytes, **more: object) -> dict[str, object]:
        name = hashlib.sha256(data).hexdigest()
        blobs["blobs/sha256/" + name] = 0o644, data
        return {"mediaType": OCI + kind, "digest": "sha256:" + name, "size": len(data), **more}

    manifests = []
    for processor, command in sorted(commands.items()):
        files = {f"usr/share/doc/stowage/{name}": (0o644, path.read_bytes()) for name, path in papers.items()}
        layer = packed(files | {"usr/bin/stowage": (0o755, command.read_bytes()), "work/.keep": (0o644, b"")})
        config = {
            "created": CREATED,
            "architecture": processor,
            "os": "linux",
            "config": {
                "Entrypoint": ["/usr/bin/stowage"],
                "Env": ["PATH=/usr/bin"],
                "WorkingDir": "/work",
                "Labels": {"org.opencontainers.image.source": HOME, "org.opencontainers.image.version": version, "org.opencontainers.image.licenses": "Apache-2.0"},
            },
            "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]},
            "history": [{"created": CREATED, "created_by": "stowage_image.py"}],
        }
        manifest = {
            "schemaVersion": 2,
            "mediaType": OCI + "manifest.v1+json",
            "config": blob("config.v1+json", json.dumps(config).encode()),
            "layers": [blob("layer.v1.tar+gzip", gzip.compress(layer, 9, mtime=0))],
        }
        platform = {"os": "linux", "architecture": processor}
        manifests.append(blob("manifest.v1+json", json.dumps(manifest).encode(), platform=platform))
    # One image for all processors is an index of its own, so that a tag can name it.
    whole = {"schemaVersion": 2, "mediaType": OCI + "index.v1+json", "manifests": manifests}
    named = {"org.opencontainers.image.ref.name": version, "io.containerd.image.name": "ghcr.io/stowage-go/stowage:" + version}
    index = {"schemaVersion": 2, "mediaType": OCI + "index.v1+json", "manifests": [blob("index.v1+json", json.dumps(whole).encode(), annotations=named)]}
    blobs["oci-layout"] = 0o644, b'{"imageLayoutVersion": "1.0.0"}'
    blobs["index.json"] = 0o644, json.dumps(index).encode()
    return packed(blobs)


def formula(version: str, folder: pathlib.Path) -> str:
    """Returns the formula for the archives of the command in a folder. Homebrew runs on macOS and Linux."""
    lines = [
        "class Stowage < Formula",
        '  desc "Plan the static memory of models and programs"',
        f'  homepage "{HOME}"',
        f'  version "{version}"',
        '  license "Apache-2.0"',
    ]
    for system, block in (("darwin", "macos"), ("linux", "linux")):
        lines += ["", f"  on_{block} do"]
        for processor, name in (("arm64", "arm"), ("amd64", "intel")):
            file = folder / f"stowage-{version}-{system}-{processor}.tar.gz"
            digest = hashlib.sha256(file.read_bytes()).hexdigest()
            lines += [f"    on_{name} do", f'      url "{HOME}/releases/download/v{version}/{file.name}"', f'      sha256 "{digest}"', "    end"]
        lines.append("  end")
    lines += [
        "",
        "  def install",
        '    bin.install "stowage"',
        '    generate_completions_from_executable(bin/"stowage", "completion")',
        '    system bin/"stowage", "man", man1',
        "  end",
        "",
        "  test do",
        '    (testpath/"a.csv").write "id,lower,upper,size\\na,0,2,4\\nb,1,3,5\\n"',
        '    assert_match "2 buffers in 9 bytes", shell_output("#{bin}/stowage a.csv")',
        "  end",
        "end",
    ]
    return "\n".join(lines) + "\n"
