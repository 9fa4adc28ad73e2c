"""The contract of trainers against TRL, and the agreement of its GRPO loss with ours. Not a part of `npm test`.

PYTHONPATH=deploy/trainer:test/trainer <venv with trl>/bin/python -m unittest -v contract_trl
"""

from __future__ import annotations

import unittest
import unittest.mock
from dataclasses import replace
from pathlib import Path

import numpy as np
import test_contract
import torch
from contract import Contract as _Contract
from evolve_trainer.protocol import Place, Quiet
from evolve_trainer.reference.trainer import ReferenceTrainer
from evolve_trainer.reference.state import State
from evolve_trainer.trainers.trl import create


class TrlContract(_Contract):
    subject = replace(test_contract.subject(None), make=lambda: create(Place(policies=str(test_contract.FOLDER))))

    def test_an_update_takes_the_loss_of_trl(self) -> None:
        start = self.started()
        batch = self.rollouts(start, [1.0, -0.5, 2.0, 0.25])
        with unittest.mock.patch("trl.GRPOTrainer.compute_loss", side_effect=ZeroDivisionError):
            with self.assertRaises(ZeroDivisionError):
                self.applied(start, batch)

    def test_loss_and_gradient_are_those_of_the_reference_trainer(self) -> None:
        start = self.started()
        reference = ReferenceTrainer(Path(test_contract.FOLDER))
        for shift in (0.0, 1.0, -0.5):
            batch = self.rollouts(start, [1.0, -0.5, 2.0, 0.25], shift)
            order = self.order("policy", 1, start)
            found = []
            for trainer in (self.trainer, reference):
                folder = Path(test_contract.FOLDER) / start.training_state
                state = State(folder, None, order.seed, torch.device("cpu"), fresh=False)
                numbers, _ = trainer.gradient(state, order, batch, Quiet())
                gradient = {name: weight.grad.double().numpy() for name, weight in state.trained.items()}
                found.append((numbers["loss"], gradient))
            (trl_loss, trl_gradient), (loss, gradient) = found
            size = max(float(np.abs(value).max()) for value in gradient.values())
            worst = max(float(np.abs(trl_gradient[name] - gradient[name]).max()) for name in gradient) / size
            print(
                f"shift {shift}: losses {trl_loss:.9f} and {loss:.9f}, gradients differ by {worst:.1e} of the greatest"
            )
            self.assertAlmostEqual(trl_loss, loss, delta=1e-6)
            self.assertLess(worst, 1e-6)


del _Contract

if __name__ == "__main__":
    unittest.main()
