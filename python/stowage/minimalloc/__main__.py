"""python -m stowage.minimalloc does the same as python -m stowage.minimalloc.cli."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
