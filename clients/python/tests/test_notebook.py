"""docs/notebook.ipynb, cell by cell as a kernel runs it: the last expression of a cell is shown."""

from __future__ import annotations

import ast
import json
import unittest
from pathlib import Path

NOTEBOOK = Path(__file__).parents[3] / "docs" / "notebook.ipynb"


class Kernel:
    def __init__(self) -> None:
        self.cells: list[str] = []
        self.space: dict[str, object] = {"__name__": "__main__", "In": self.cells, "get_ipython": lambda: self}

    def transform_cell(self, cell: str) -> str:
        return cell

    def run(self, source: str) -> object:
        self.cells.append(source)
        name = f"<cell {len(self.cells)}>"
        tree = ast.parse(source)
        shown = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, name, "exec"), self.space)
        return None if shown is None else eval(compile(shown, name, "eval"), self.space)


class Notebook(unittest.TestCase):
    def test_every_cell(self) -> None:
        kernel = Kernel()
        code = [cell["source"] for cell in json.loads(NOTEBOOK.read_text("utf8"))["cells"] if cell["cell_type"] == "code"]
        shown = [kernel.run(source) for source in code]
        walked = [one for one in shown if isinstance(one, float)]
        self.assertEqual(len(walked), 2)
        self.assertLess(walked[1], walked[0], "the search found no better places")
        self.assertEqual(kernel.space["state"]["state"], "finished")
        self.assertTrue(all(hasattr(shown[-1 - at], "_repr_html_") for at in range(2)))


if __name__ == "__main__":
    unittest.main()
