"""Runs the command `stowage` that the wheel contains: python -m stowage, or the script stowage."""

import os
import subprocess
import sys

from ._command import command


def main() -> None:
    arguments = [command(), *sys.argv[1:]]
    if os.name == "posix":
        os.execv(arguments[0], arguments)
    sys.exit(subprocess.run(arguments, check=False).returncode)


if __name__ == "__main__":
    main()
