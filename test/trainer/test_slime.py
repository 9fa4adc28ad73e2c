"""The trainer slime and its rollout function, with a played slime that trains by asking for the next rollout."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import unittest
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
from evolve_trainer.protocol import Hyper, MissingCheckpoint, Order, Quiet, Rollout, Rollouts
from evolve_trainer.slime_rollout import generate_rollout
from evolve_trainer.trainers.slime import SlimeTrainer


@dataclass
class Sample:
    class Status(Enum):
        COMPLETED = "completed"
        TRUNCATED = "truncated"

    index: int
    tokens: list[int]
    response_length: int
    rollout_log_probs: list[float]
    loss_mask: list[int]
    reward: float
    status: Status
    metadata: dict[str, Any] = field(default_factory=dict)


def order(kind: str, version: int, mark: str) -> Order:
    return Order(
        run="r",
        step=0,
        update_id=mark * 64,
        kind=kind,  # type: ignore[arg-type]
        policy=f"r-v{version:04d}",
        version=version,
        trainer="slime",
        base="base",
        seed=0,
        hyper=Hyper(),
        parent_state=None if version == 0 else f"slime:{version - 1}",
        serve_url="http://router/v1",
    )


class Slime(unittest.TestCase):
    def test_batches_go_over_in_order_once_and_forward_only(self) -> None:
        module = ModuleType("slime.utils.types")
        module.Sample = Sample  # type: ignore[attr-defined]
        played = {"slime": ModuleType("slime"), "slime.utils": ModuleType("slime.utils"), "slime.utils.types": module}
        sys.modules.update(played)
        self.addCleanup(lambda: [sys.modules.pop(name) for name in played])
        with tempfile.TemporaryDirectory() as folder:
            os.environ["EVOLVE_SLIME"] = folder
            self.addCleanup(lambda: os.environ.pop("EVOLVE_SLIME", None))
            trainer = SlimeTrainer(Path(folder))
            given: list[list[list[Sample]]] = []

            def slime() -> None:
                for rollout in range(2):
                    given.append(generate_rollout(SimpleNamespace(), rollout, None))
                # Asked for, never given: the played slime ends here.
                Path(folder, "asked-000002.json").write_text("{}", encoding="utf-8")

            thread = threading.Thread(target=slime, daemon=True)
            thread.start()
            trainer.start(order("start", 0, "0"), Quiet())
            row = Rollout("a", "g", np.array([1, 2]), np.array([3]), np.array([-0.5], np.float32), 1.0, 0.75, True)
            batch = Rollouts(rows=[row], total=3, file="f" * 64)
            for version in (1, 2):
                result = trainer.apply(order("policy", version, str(version)), batch, Quiet())
                self.assertEqual((result.training_state, result.used), (f"slime:{version}", 1))
                self.assertIsNotNone(trainer.find(order("policy", version, str(version))))
            thread.join(60)
            (sample,), left_out = given[0]
            self.assertEqual((sample.tokens, sample.response_length, sample.reward), ([1, 2, 3], 1, 0.75))
            self.assertEqual(sample.status, Sample.Status.TRUNCATED)
            self.assertEqual([other.reward for other in left_out], [0.0, 0.0])
            with self.assertRaisesRegex(MissingCheckpoint, "another batch"):
                trainer.apply(order("policy", 1, "9"), batch, Quiet())
            with self.assertRaisesRegex(MissingCheckpoint, "slime:1, got slime:0"):
                trainer.apply(replace(order("policy", 2, "8"), parent_state="slime:0"), batch, Quiet())


if __name__ == "__main__":
    unittest.main()
