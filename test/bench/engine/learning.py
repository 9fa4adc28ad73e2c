"""The reference trainer alone: seconds a sampled token and an update, peak memory, sampler/trainer mismatch; as JSON.

On a CPU the byte-level model. Where PyTorch sees a GPU, also models of random weights in Qwen3's shapes of 0.6B and 8B,
with 512 rollouts of up to 16,384 tokens; `EVOLVE_BENCH_SHAPES=0.6B` takes one of them.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from evolve_trainer.reference import base as bases
from evolve_trainer.reference import checkpoint
from evolve_trainer.reference.model import Llama
from evolve_trainer.hyper import Adam, Hyper
from evolve_trainer.protocol import Order, Quiet, Rollout, Rollouts
from evolve_trainer.reference.trainer import ReferenceTrainer
from evolve_trainer.reference.sampler import Sampling, sample
from evolve_trainer.reference.shape import Shape
from evolve_trainer.reference.tokenizer import ByteTokenizer

# Qwen3's sizes. The vocabulary is theirs; the tokenizer is the byte-level one, whose ids lie within it.
QWEN3 = {
    "0.6B": Shape(151936, 1024, 28, 16, 8, 128, 3072, 40960, 1e6, tied=True, qwen3=True),
    "8B": Shape(151936, 4096, 36, 32, 8, 128, 12288, 40960, 1e6, tied=False, qwen3=True),
}


@dataclass(frozen=True)
class Load:
    """Rollouts of an update: `groups` prompts of `prompt` tokens, `each` answers of up to `longest` tokens."""

    groups: int
    each: int
    prompt: int
    longest: int


def qwen3_folder(shape: Shape, folder: Path) -> None:
    """A base model with random weights in bfloat16."""
    folder.mkdir()
    with torch.device("cuda"):
        model = Llama(shape).to(torch.bfloat16)
    for weight in model.parameters():
        if weight.dim() > 1:
            torch.nn.init.normal_(weight, std=0.02)
    weights = {name: weight.detach().cpu() for name, weight in bases.weights_of(model).items()}
    checkpoint.save_tensors(folder / checkpoint.WEIGHTS, weights)
    config = shape.config("bfloat16", 256, 257)
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    ByteTokenizer().save(folder, shape.context)


def measure(name: str, base: str, load: Load, policies: Path) -> dict[str, Any]:
    trainer = ReferenceTrainer(policies, None)
    hyper = Hyper(optimizer=Adam(), max_mismatch_nats=1000.0)

    def order(version: int, parent: str | None) -> Order:
        kind = "start" if parent is None else "policy"
        policy = f"{name}-{version}"
        return Order(
            *(name, version, policy, kind, policy, version, "reference", base, 1, hyper),
            parent=parent,
            parent_state=parent,
        )

    trainer.start(order(0, None), Quiet())
    device = trainer.device
    model: Any = bases.load_model(policies / f"{name}-0", device, training=False)
    numbers = np.random.default_rng(1)
    rows, tokens, began = [], 0, time.monotonic()
    for group in range(load.groups):
        prompt = numbers.integers(0, 256, load.prompt).astype(np.int32)
        sampling = Sampling(max_tokens=load.longest, seed=1000 * group)
        for place, answer in enumerate(sample(model, ByteTokenizer(), prompt.tolist(), load.each, sampling)):
            ids, logprobs = np.array(answer.ids, np.int32), np.array(answer.logprobs, np.float32)
            tokens += len(ids)
            advantage = 1.0 if place % 2 == 0 else -1.0
            rows.append(Rollout(f"{group}:{place}", str(group), prompt, ids, logprobs, 0.5, advantage, False))
    sampled = time.monotonic() - began
    del model
    if device.type == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    began = time.monotonic()
    result = trainer.apply(order(1, f"{name}-0"), Rollouts(rows, len(rows), "bench"), Quiet())
    return {
        "model": name,
        "device": torch.cuda.get_device_name() if device.type == "cuda" else "cpu",
        "torch": torch.__version__,
        "rollouts": len(rows),
        "tokens": tokens,
        "secondsPerSampledToken": sampled / tokens,
        "updateSeconds": time.monotonic() - began,
        "peakBytes": torch.cuda.max_memory_allocated() if device.type == "cuda" else None,
        "mismatch": result.mismatch,
        "used": result.used,
    }


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        policies = Path(scratch)
        found = [measure("bytes", "bytes", Load(4, 8, 128, 72), policies / "bytes")]
        if torch.cuda.is_available():
            wanted = os.environ.get("EVOLVE_BENCH_SHAPES", ",".join(QWEN3)).split(",")
            for name in wanted:
                qwen3_folder(QWEN3[name], policies / name)
                load = Load(32, 16, 1024, 16384)
                found.append(measure(f"qwen3-{name}", str(policies / name), load, policies / f"of-{name}"))
        print(json.dumps(found))


if __name__ == "__main__":
    main()
