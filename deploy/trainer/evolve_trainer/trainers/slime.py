"""The trainer `slime`: a slime that runs beside us takes one batch after another by slime_rollout.py.

slime keeps its state to itself: it trains on rollout k, pushes the weights into its engines, and asks for rollout k+1,
which is how its update is known to be live. So it goes forward only. Version v of a policy is slime's state after
rollout v-1; a run that was rewound needs a slime that was started again from the checkpoint of that step.
"""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path

from ..protocol import (
    Batch,
    Beat,
    Capabilities,
    ConfigError,
    Examples,
    MissingCheckpoint,
    Order,
    Place,
    Rollouts,
    Served,
    UpdateResult,
)
from ..slime_rollout import asked_file, batch_file, write

POLL_SECONDS = 0.5


def create(place: Place) -> SlimeTrainer:
    return SlimeTrainer(Path(place.policies).parent / "slime")


class SlimeTrainer:
    """`folder` is `slime` in the data directory, and EVOLVE_SLIME of the slime process; one run at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def capabilities(self) -> Capabilities:
        return Capabilities(tuning=("full", "lora"), kinds=("start", "policy"))

    def find(self, order: Order) -> UpdateResult | None:
        if order.kind != "start" and self._update_of(order.version - 1) != order.update_id:
            return None
        return self._result(order, None) if asked_file(self.folder, order.version).exists() else None

    def start(self, order: Order, beat: Beat) -> UpdateResult:
        if order.parent_state is not None:
            raise ConfigError(
                "model.policy: slime starts from its own checkpoint, got another run's policy; start slime with --load"
            )
        self.folder.mkdir(parents=True, exist_ok=True)
        self._await(0, "waiting for slime to begin", beat)
        return self._result(order, None)

    def apply(self, order: Order, batch: Batch, beat: Beat) -> UpdateResult:
        if isinstance(batch, Examples):
            raise ConfigError("learning.warmup: slime is given rollouts only, got supervised examples")
        rollout = order.version - 1
        if order.parent_state != state_of(rollout):
            raise MissingCheckpoint(
                f"expected the parent {state_of(rollout)}, got {order.parent_state}: slime goes forward only"
            )
        before = self._update_of(rollout)
        if before is not None and before != order.update_id:
            raise MissingCheckpoint(
                f"expected slime to be before rollout {rollout}, but it was given another batch (update {before}): "
                f"stop slime, remove the files of rollout {rollout} and later from {self.folder}, start it again from "
                "the checkpoint before it (--load, --ckpt-step), then `evolve retry`"
            )
        began = time.monotonic()
        with beat.operation("submit", {"rollout": rollout, "batch": batch.file}):
            write(batch_file(self.folder, rollout), {"update": order.update_id, "rows": rows_of(batch)})
        with beat.operation("train", {"rollout": rollout}):
            self._await(order.version, f"slime trains on rollout {rollout}", beat)
        return self._result(order, batch, time.monotonic() - began)

    def publish(self, order: Order, result: UpdateResult, beat: Beat) -> Served:
        """slime has pushed the weights into its own engines before it asks for more."""
        if order.serve_url is None:
            raise ConfigError(
                "learning.serveUrl: expected the address of slime's router, http://host:port/v1, got null"
            )
        with beat.operation("publish", {"policy": order.policy, "weights": result.weights_hash}):
            return Served(base_url=order.serve_url, model=order.policy)

    def _await(self, rollout: int, what: str, beat: Beat) -> None:
        while not asked_file(self.folder, rollout).exists():
            beat(what)
            time.sleep(POLL_SECONDS)

    def _update_of(self, rollout: int) -> str | None:
        try:
            return str(json.loads(batch_file(self.folder, rollout).read_text(encoding="utf-8"))["update"])
        except FileNotFoundError:
            return None

    def _result(self, order: Order, batch: Rollouts | None, seconds: float = 0.0) -> UpdateResult:
        state = state_of(order.version)
        # The weights are slime's, and so are loss and gradient, in its own log. What is known is how they were made.
        lineage = json.dumps([order.base, order.parent_state, order.update_id])
        rows = [] if batch is None else batch.rows
        return UpdateResult(
            weights_hash=hashlib.sha256(lineage.encode()).hexdigest(),
            training_state=state,
            sampler_state=state,
            used=len(rows),
            tokens=sum(len(row.prompt) + len(row.response) for row in rows),
            seconds=seconds,
        )


def state_of(version: int) -> str:
    return f"slime:{version}"


def rows_of(batch: Rollouts) -> list[dict[str, object]]:
    """The rows as slime's samples, N of them: what was left out of the batch counts in the mean with advantage 0."""
    rows = [
        {
            "group": row.group,
            "prompt": row.prompt.tolist(),
            "response": row.response.tolist(),
            "logprobs": row.logprobs.tolist(),
            "advantage": row.advantage,
            "truncated": row.truncated,
        }
        for row in batch.rows
    ]
    filling = [{**rows[0], "group": "left out", "advantage": 0.0} for _ in range(batch.total - len(rows))]
    return rows + filling
