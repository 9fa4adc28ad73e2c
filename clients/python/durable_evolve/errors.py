"""The one kind of error of this package: a sentence."""

from __future__ import annotations


class EvolveError(Exception):
    """What went wrong, in one sentence."""

    def _render_traceback_(self) -> list[str]:
        """IPython shows the sentence alone."""
        return [f"{type(self).__name__}: {self}"]


class Away(EvolveError):
    """The server, or its database, does not answer at this moment."""
