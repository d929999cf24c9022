"""The files of a release: archives, checksums, and the list of parts."""

import gzip
import hashlib
import io
import json
import os
import pathlib
import platform
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
import stowage_image  # noqa: E402
import stowage_release  # noqa: E402


class Release(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_archives(self) -> None:
        """The same files in two orders, of two times: the same bytes. Names, modes and contents come back."""
        texts = {"stowage": b"a program", "docs/b.txt": b"text", "docs/a.txt": b"more text\n" * 1000}
        files = {}
        for name, text in texts.items():
            files[name] = self.folder / name
            files[name].parent.mkdir(exist_ok=True)
            files[name].write_bytes(text)
        for kind in (".tar.gz", ".zip"):
            path = self.folder / ("folder" + kind)
            stowage_release.archive(path, files)
            first = path.read_bytes()
            for f in files.values():
                os.utime(f, (1e9, 1e9))
            stowage_release.archive(path, dict(reversed(files.items())))
            self.assertEqual(path.read_bytes(), first)
            if kind == ".zip":
                with zipfile.ZipFile(path) as z:
                    got = [(e.filename, e.external_attr >> 16 & 0o7777, z.read(e)) for e in z.infolist()]
            else:
                with tarfile.open(fileobj=io.BytesIO(gzip.decompress(first))) as t:
                    got = [(e.name, e.mode, t.extractfile(e).read()) for e in t]
            want = [("folder/" + name, 0o755 if name == "stowage" else 0o644, texts[name]) for name in sorted(texts)]
            self.assertEqual(got, want)

    def test_the_archive_runs(self) -> None:
        """The command of an archive, unpacked, plans a problem without an environment."""
        root = pathlib.Path(__file__).parent.parent.parent
        path = self.folder / "stowage-9.8.7.tar.gz"
        stowage_release.archive(path, {"stowage": pathlib.Path(os.environ["STOWAGE"]), "LICENSE": root / "LICENSE"})
        with tarfile.open(path) as t:
            t.extractall(self.folder)
        words = [self.folder / "stowage-9.8.7" / "stowage", root / "examples" / "unet.csv"]
        done = subprocess.run(words, env={}, capture_output=True, text=True, check=True)
        self.assertIn("36 buffers in 83681280 bytes, the lowest plan, proven", done.stdout)

    def test_sbom(self) -> None:
        """The list of what the command is made of has Go and cobra, each part once, and nothing of ours."""
        command = pathlib.Path(os.environ["STOWAGE"])
        bom = stowage_release.sbom("9.8.7", [command, command])
        urls = [part["purl"] for part in bom["components"]]
        self.assertEqual(urls, sorted(set(urls)))
        self.assertEqual((bom["bomFormat"], bom["metadata"]["component"]["version"]), ("CycloneDX", "9.8.7"))
        for part in ("pkg:golang/std@1.", "pkg:golang/github.com/spf13/cobra@v1."):
            self.assertTrue(any(url.startswith(part) for url in urls), urls)
        self.assertFalse(any(stowage_release.OURS in url for url in urls), urls)

    def test_checksums(self) -> None:
        (self.folder / "a").write_bytes(b"abc")
        stowage_release.checksums(self.folder)
        want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a\n"
        self.assertEqual((self.folder / "SHA256SUMS").read_text(), want)

    def test_image(self) -> None:
        """The image's root file system, unpacked, has a command that runs; every blob has the name of its bytes."""
        command = pathlib.Path(os.environ["STOWAGE"])
        licence = pathlib.Path(__file__).parent.parent.parent / "LICENSE"
        processor = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
        whole = stowage_image.image("9.8.7", {processor: command, "other": licence}, {"LICENSE": licence})
        self.assertEqual(whole, stowage_image.image("9.8.7", {"other": licence, processor: command}, {"LICENSE": licence}))
        with tarfile.open(fileobj=io.BytesIO(whole)) as t:
            texts = {e.name: t.extractfile(e).read() for e in t if e.isfile()}
        self.assertEqual(json.loads(texts["oci-layout"]), {"imageLayoutVersion": "1.0.0"})

        def blob(descriptor: dict) -> bytes:
            data = texts["blobs/sha256/" + descriptor["digest"].removeprefix("sha256:")]
            self.assertEqual((hashlib.sha256(data).hexdigest(), len(data)), (descriptor["digest"][7:], descriptor["size"]))
            return data

        (index,) = json.loads(texts["index.json"])["manifests"]
        platforms = {m["platform"]["architecture"]: json.loads(blob(m)) for m in json.loads(blob(index))["manifests"]}
        self.assertEqual(set(platforms), {processor, "other"})
        manifest = platforms[processor]
        layer = gzip.decompress(blob(manifest["layers"][0]))
        config = json.loads(blob(manifest["config"]))
        self.assertEqual(config["rootfs"]["diff_ids"], ["sha256:" + hashlib.sha256(layer).hexdigest()])
        root = self.folder / "root"
        with tarfile.open(fileobj=io.BytesIO(layer)) as t:
            t.extractall(root)
        self.assertTrue((root / config["config"]["WorkingDir"].lstrip("/")).is_dir())
        (run,) = config["config"]["Entrypoint"]
        if sys.platform == "linux":
            done = subprocess.run([root / run.lstrip("/"), "version"], env={}, capture_output=True, text=True, check=True)
            self.assertRegex(done.stdout, "^stowage ")

    def test_formula(self) -> None:
        """The formula has the address and the checksum of each archive of the command but those for Windows."""
        for system in ("linux", "darwin", "windows"):
            for processor in ("amd64", "arm64"):
                (self.folder / f"stowage-9.8.7-{system}-{processor}.tar.gz").write_text(system + processor)
        text = stowage_image.formula("9.8.7", self.folder)
        for system in ("linux", "darwin"):
            for processor in ("amd64", "arm64"):
                self.assertIn(f"/releases/download/v9.8.7/stowage-9.8.7-{system}-{processor}.tar.gz", text)
                self.assertIn(hashlib.sha256((system + processor).encode()).hexdigest(), text)
        self.assertNotIn("windows", text)
        self.assertEqual(text.count(" do\n") + text.count("  def ") + text.count("class "), sum(line.strip() == "end" for line in text.splitlines()))

    def test_npm(self) -> None:
        """The package for npm has its manifest and what that names, folders with all that is in them."""
        package = self.folder
        (package / "src").mkdir()
        for name in ("src/a.js", "LICENSE", "other"):
            (package / name).write_text("")
        (package / "package.json").write_text('{"files": ["src", "LICENSE"]}')
        self.assertEqual(sorted(stowage_release.npm_files(package)), ["LICENSE", "package.json", "src/a.js"])
        (package / "LICENSE").unlink()
        with self.assertRaisesRegex(FileNotFoundError, "LICENSE"):
            stowage_release.npm_files(package)


if __name__ == "__main__":
    unittest.main()
