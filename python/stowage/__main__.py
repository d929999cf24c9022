"""The command `stowage`, which a wheel carries: python -m stowage, or the script."""

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
