"""The package and a program that uses it, checked by pyright, which editors have."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import stowage
from tests.test_mypy import USER

# What needs a package of others, which mypy checks where that is there.
OTHERS = ["omnimalloc.py", "inductor.py", "torch", "jax", "xdsl", "onnxruntime"]


class Pyright(unittest.TestCase):
    def setUp(self) -> None:
        if self.check(os.getcwd(), "--version").returncode != 0:  # its program is fetched when it is first run
            self.skipTest("pyright cannot run here")

    def check(self, folder: str, *arguments: str) -> subprocess.CompletedProcess:
        command = [sys.executable, "-m", "pyright", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)

    def said(self, name: str, text: str = "") -> str:
        """Checks a name in a folder with the package; text is what a file of that name has."""
        with tempfile.TemporaryDirectory() as folder:
            there = pathlib.Path(stowage.__file__).parent
            shutil.copytree(there, os.path.join(folder, "stowage"), ignore=shutil.ignore_patterns(*OTHERS, "__pycache__"))
            if text:
                pathlib.Path(folder, name).write_text(text, encoding="utf-8")
            settings = {"include": [name], "reportMissingImports": "none", "reportMissingModuleSource": "none"}
            pathlib.Path(folder, "pyrightconfig.json").write_text(json.dumps(settings))
            return self.check(folder).stdout

    def test_the_package(self) -> None:
        self.assertRegex(self.said("stowage"), r"(?m)^0 errors")

    def test_a_program(self) -> None:
        # It has four mistakes, and no others are found.
        said = self.said("user.py", USER)
        for words in ('No parameter named "capactiy"', 'parameter "timeout"', 'parameter "source"', 'attribute "bit_lengt"'):
            self.assertIn(words, said)
        self.assertEqual(len(re.findall(r" - error:", said)), 4, said)


if __name__ == "__main__":
    unittest.main()
