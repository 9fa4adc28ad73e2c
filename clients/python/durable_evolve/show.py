"""What people see: a progress bar, a page and a plot, in a terminal and in a notebook, with nothing installed."""

from __future__ import annotations

import sys
from html import escape
from shutil import get_terminal_size
from typing import Any, Sequence

WIDTH, HEIGHT, LEFT, BOTTOM = 640, 260, 70, 34


class Page:
    """An address of the page. In a notebook it is shown in a frame, where it only shows: the link opens it whole."""

    def __init__(self, url: str) -> None:
        self.url = url

    def __str__(self) -> str:
        return self.url

    def __repr__(self) -> str:
        return self.url

    def _repr_html_(self) -> str:
        url = escape(self.url)
        return f'<a href="{url}" target="_blank">{url}</a><br><iframe src="{url}" width="100%" height="600"></iframe>'


class Plot:
    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg


def curve_svg(x: Sequence[float], y: Sequence[float | None], title: str) -> str:
    """A step curve as SVG: each best score holds until the next one."""
    points = [(a, b) for a, b in zip(x, y) if b is not None] or [(0.0, 0.0)]
    low, high = min(b for _, b in points), max(b for _, b in points)
    end, span = max(max(x, default=1), 1), (high - low) or 1

    def across(a: float) -> str:
        return f"{LEFT + a / end * (WIDTH - LEFT - 10):.1f}"

    def up(b: float) -> str:
        return f"{HEIGHT - BOTTOM - (b - low) / span * (HEIGHT - BOTTOM - 30):.1f}"

    def text(at: str, word: str, anchor: str) -> str:
        return f'<text {at} text-anchor="{anchor}">{escape(word)}</text>'

    steps = "".join(f"H{across(a)}V{up(b)}" for a, b in points[1:])
    path = f"M{across(points[0][0])} {up(points[0][1])}{steps}H{across(end)}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" '
        f'font-size="12" fill="#888"><path d="{path}" fill="none" stroke="#2a78c2" stroke-width="2"/>'
        + text(f'x="{LEFT}" y="16"', f"{title}: best score", "start")
        + "".join(text(f'x="{LEFT - 6}" y="{up(b)}"', f"{b:.6g}", "end") for b in {low, high})
        + text(f'x="{WIDTH - 10}" y="{HEIGHT - 8}"', f"{end:g} programs", "end")
        + "</svg>\n"
    )


class Bar:
    """One line that changes, in a notebook or on a terminal. Nothing is shown elsewhere."""

    def __init__(self) -> None:
        shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
        self._notebook = hasattr(shell, "kernel")
        self._handle: Any = None

    def show(self, state: dict[str, Any]) -> None:
        text = line_of(state)
        if self._notebook:
            if self._handle is None:
                display: Any = sys.modules["IPython"].display.display
                self._handle = display({"text/plain": text}, raw=True, display_id=True)
            else:
                self._handle.update({"text/plain": text}, raw=True)
        elif sys.stderr.isatty():
            self._handle = sys.stderr
            sys.stderr.write(f"\r{text[: get_terminal_size().columns - 1]}\x1b[K")
            sys.stderr.flush()

    def end(self) -> None:
        if self._handle is sys.stderr:
            sys.stderr.write("\n")


def line_of(state: dict[str, Any]) -> str:
    steps, limit, best = state["steps"], state.get("limits", {}).get("steps"), state["best"]
    full = round(20 * steps / limit) if limit else 0
    done = f"{'█' * full}{'░' * (20 - full)} {steps}/{limit} steps" if limit else f"{steps} steps"
    score = "no valid program yet" if best is None else f"best {best['ranking']:.6g}"
    reason = f": {state['stopReason']}" if state["stopReason"] and state["state"] != "finished" else ""
    return f"{state['run']}  {done}  {state['state']}{reason}  {score}  {state['programs']} programs  ${state['costUsd']:.2f}"
