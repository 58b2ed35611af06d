"""`python -m grounded`."""

import sys

from grounded.cli import main

sys.exit(main())
