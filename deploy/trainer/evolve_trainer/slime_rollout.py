"""The rollout function of slime: its samples are the batches of a run, one rollout a policy version.

    --rollout-function-path evolve_trainer.slime_rollout.generate_rollout   (PYTHONPATH=deploy/trainer)

It runs inside of slime and needs nothing but slime. EVOLVE_SLIME names a folder that slime and the trainers' worker
both see; the names of its files are said by the functions below, and what was written into it stays, because slime
asks again for old batches when it goes on from a checkpoint.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

POLL_SECONDS = 1.0


def batch_file(folder: Path, rollout: int) -> Path:
    """The samples of a rollout, complete as soon as the file is there."""
    return folder / f"batch-{rollout:06d}.json"


def asked_file(folder: Path, rollout: int) -> Path:
    """There once slime has asked for a rollout, for which it must have trained on, and pushed, all before it."""
    return folder / f"asked-{rollout:06d}.json"


def write(file: Path, content: object) -> None:
    """Whole or not at all, also for a reader at the same moment."""
    part = file.with_suffix(f".{os.getpid()}.part")
    part.write_text(json.dumps(content), encoding="utf-8")
    part.replace(file)


def generate_rollout(args: Any, rollout_id: int, data_source: Any, evaluation: bool = False) -> list[list[Any]]:
    """slime's function: waits for the batch of `rollout_id`, for hours if need be. Evaluation has no samples."""
    del args, data_source
    if evaluation:
        return []
    from slime.utils.types import Sample

    folder = Path(os.environ["EVOLVE_SLIME"])
    write(asked_file(folder, rollout_id), {"rollout": rollout_id})
    file = batch_file(folder, rollout_id)
    while not file.exists():
        time.sleep(POLL_SECONDS)
    groups: dict[str, list[Any]] = {}
    for index, row in enumerate(json.loads(file.read_text(encoding="utf-8"))["rows"]):
        sample = Sample(
            index=rollout_id * 1_000_000 + index,
            tokens=row["prompt"] + row["response"],
            response_length=len(row["response"]),
            rollout_log_probs=row["logprobs"],
            loss_mask=[1] * len(row["response"]),
            # Advantages are made where rewards are known; slime takes them as they are
            # (--disable-rewards-normalization).
            reward=row["advantage"],
            status=Sample.Status.TRUNCATED if row["truncated"] else Sample.Status.COMPLETED,
        )
        groups.setdefault(row["group"], []).append(sample)
    return list(groups.values())
