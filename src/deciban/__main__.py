"""``python -m deciban`` is the command ``deciban``."""

import sys

from deciban.cli import main

if __name__ == "__main__":
    sys.exit(main())
