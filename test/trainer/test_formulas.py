"""The formulas in plain double precision, against the golden vectors that TypeScript and autograd are held to."""

from __future__ import annotations

import json
import unittest
from pathlib import Path

import numpy as np
from evolve_trainer.formulas import importance_weight, minibatches, token_loss

GOLDEN = json.loads((Path(__file__).parents[1] / "fixtures" / "learning" / "golden.json").read_text(encoding="utf-8"))


class Formulas(unittest.TestCase):
    def test_golden_vectors(self) -> None:
        for row in GOLDEN["tokens"]:
            with self.subTest(**row):
                weight = min(max(row["weight"], 0.0), 2.0)
                got = token_loss(row["ratio"], weight, row["advantage"])
                self.assertAlmostEqual(got.loss, row["loss"], delta=1e-12)
                self.assertAlmostEqual(got.gradient, row["gradient"], delta=1e-12)

    def test_importance_weights(self) -> None:
        half, three = float(np.log(0.5)), float(np.log(3.0))
        self.assertAlmostEqual(importance_weight(half, 0.0, (0.0, 2.0)), 0.5, delta=1e-15)
        self.assertEqual(importance_weight(three, 0.0, (0.0, 2.0)), 2.0)
        self.assertEqual(importance_weight(three, 0.0, (0.0, 2.0), icepop=True), 0.0)
        self.assertEqual(importance_weight(5_000.0, 0.0, (0.0, 2.0)), 2.0)
        self.assertEqual(importance_weight(three, 0.0, None), 1.0)

    def test_examples_are_used_up_before_they_come_again(self) -> None:
        steps = list(minibatches(rows=6, steps=4, batch=3, seed=5))
        self.assertEqual(sorted(steps[0] + steps[1]), list(range(6)))
        self.assertEqual(sorted(steps[2] + steps[3]), list(range(6)))
        self.assertEqual(steps, list(minibatches(rows=6, steps=4, batch=3, seed=5)))


if __name__ == "__main__":
    unittest.main()
