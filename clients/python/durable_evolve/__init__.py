"""Start, follow and read runs of DurableEvolve from Python and notebooks (docs/python.md)."""

from .errors import EvolveError
from .home import Home, connect
from .program import Program
from .run import Run
from .task import evaluate
from .server import VERSION as __version__

__all__ = ["EvolveError", "Home", "Program", "Run", "__version__", "connect", "evaluate"]
