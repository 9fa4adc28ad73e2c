"""The contract of trainers against the reference trainer, with full fine-tuning and with a LoRA."""

from __future__ import annotations

import os
import shutil
import tempfile
import unittest
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from contract import Contract as _Contract
from contract import Subject
from evolve_trainer.reference.base import load_model
from evolve_trainer.reference.loss import Row, micro_batches, token_logprobs
from evolve_trainer.protocol import Lora, Order, Place, Rollout, Trainer, UpdateResult
from evolve_trainer.reference.trainer import ReferenceTrainer, create

# The numbers that are expected are those of a CPU, also on a host with a GPU.
os.environ.setdefault("EVOLVE_TRAINER_DEVICE", "cpu")
BASE = "bytes:layers=2,width=32,context=128"
FOLDER = Path(tempfile.mkdtemp(prefix="evolve-contract-"))


def tearDownModule() -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)


def logprobs(trainer: Trainer, order: Order, result: UpdateResult, rows: Sequence[Rollout]) -> list[np.ndarray]:
    assert isinstance(trainer, ReferenceTrainer)
    del order
    model = load_model(trainer.policies / result.training_state, torch.device("cpu"), training=False)
    found: list[np.ndarray] = [np.empty(0)] * len(rows)
    with torch.no_grad():
        for i, row in enumerate(rows):
            # Alone, without padding or a shared prompt: what batches must agree with.
            (part,) = micro_batches([Row(row.prompt, row.response)], 10_000, share=False)
            found[i] = token_logprobs(model, part).double().numpy()
    return found


def subject(lora: Lora | None) -> Subject:
    return Subject(
        make=lambda: create(Place(policies=str(FOLDER))), base=BASE, lora=lora, grad_norm=1.0, logprobs=logprobs
    )


class FullContract(_Contract):
    subject = subject(None)


class LoraContract(_Contract):
    subject = subject(Lora(rank=4, alpha=16.0))


del _Contract

if __name__ == "__main__":
    unittest.main()
