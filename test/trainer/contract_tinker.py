"""The contract of trainers against a server of Tinker's protocol that other people wrote. Not a part of `npm test`.

    EVOLVE_TINKER_URL=http://127.0.0.1:8765 EVOLVE_TINKER_BASE=<base model> \
      PYTHONPATH=deploy/trainer:test/trainer python -m unittest -v contract_tinker
"""

from __future__ import annotations

import os
import unittest
from collections.abc import Sequence

import numpy as np
from contract import Contract as _Contract
from contract import Subject
from evolve_trainer.protocol import Lora, Order, Place, Rollout, Trainer, UpdateResult
from evolve_trainer.trainers.tinker import TinkerTrainer, create


def logprobs(trainer: Trainer, order: Order, result: UpdateResult, rows: Sequence[Rollout]) -> list[np.ndarray]:
    assert isinstance(trainer, TinkerTrainer)
    return trainer.logprobs(order, result, rows)


class TinkerContract(_Contract):
    subject = Subject(
        make=lambda: create(Place(policies="unused")),
        base=os.environ["EVOLVE_TINKER_BASE"],
        server=os.environ["EVOLVE_TINKER_URL"],
        lora=Lora(rank=8, alpha=32.0),
        logprobs=logprobs,
        # A server may sum in another order each time.
        exact=False,
    )


del _Contract

if __name__ == "__main__":
    unittest.main()
