"""The hyperparameters of an update, read from the names of the settings below `learning`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True)
class Adam:
    """AdamW with decoupled decay. `grad_norm` is the greatest norm of the whole gradient; 0 means no bound."""

    learning_rate: float = 1e-6
    beta1: float = 0.9
    beta2: float = 0.98
    eps: float = 1e-8
    weight_decay: float = 0.1
    grad_norm: float = 1.0


@dataclass(frozen=True)
class Lora:
    rank: int
    alpha: float


@dataclass(frozen=True)
class Supervised:
    """Cross-entropy on the tokens of the responses: `steps` optimizer steps of `batch` examples each."""

    steps: int
    batch: int
    learning_rate: float
    #: The rate rises over `warmup` steps (None: a tenth of all) and falls to 0, straight or as half a cosine.
    schedule: Literal["linear", "cosine"] = "linear"
    warmup: int | None = None
    #: Of a longer training these are a part: how many steps it had before, and has in all. Its optimizer goes on.
    first: int = 0
    total: int | None = None

    def rate(self, step: int) -> float:
        """The learning rate of a step, which is counted from 0 within this part."""
        at, total = self.first + step, self.total or self.steps
        warm = max(1, total // 10 if self.warmup is None else self.warmup)
        left = (total - at) / max(1, total - warm)
        fall = left if self.schedule == "linear" else (1 - math.cos(math.pi * min(1.0, left))) / 2
        return self.learning_rate * min(1.0, (at + 1) / warm, fall)


@dataclass(frozen=True)
class Hyper:
    """Every hyperparameter of an update. The JSON has the names of the settings below `learning`."""

    temperature: float = 1.0
    clip_low: float = 0.2
    clip_high: float = 0.28
    #: Band of the importance weight exp(o - q); None: weights are 1.
    truncated_is: tuple[float, float] | None = (0.0, 2.0)
    icepop: bool = False
    optimizer: Adam = field(default_factory=Adam)
    lora: Lora | None = None
    max_mismatch_nats: float = 20.0
    micro_batch_tokens: int = 16_384
    supervised: Supervised | None = None

    @staticmethod
    def from_json(source: str | Mapping[str, Any]) -> Hyper:
        """Reads the settings' names. What is absent has the default above; what no trainer needs is left alone."""
        raw = json.loads(source) if isinstance(source, str) else source
        clip = raw.get("clip") or {}
        band = raw.get("truncatedIs", {"low": 0.0, "high": 2.0})
        adam = raw.get("optimizer") or {}
        lora = raw.get("lora")
        supervised = raw.get("supervised")
        default = Adam()
        return Hyper(
            temperature=float(raw.get("temperature", 1.0)),
            clip_low=float(clip.get("low", 0.2)),
            clip_high=float(clip.get("high", 0.28)),
            truncated_is=None if band is None else (float(band["low"]), float(band["high"])),
            icepop=bool(raw.get("icepop", False)),
            optimizer=Adam(
                learning_rate=float(adam.get("learningRate", default.learning_rate)),
                beta1=float(adam.get("beta1", default.beta1)),
                beta2=float(adam.get("beta2", default.beta2)),
                eps=float(adam.get("eps", default.eps)),
                weight_decay=float(adam.get("weightDecay", default.weight_decay)),
                # null: not limited.
                grad_norm=float(adam.get("gradNorm", default.grad_norm) or 0.0),
            ),
            lora=None if lora is None else Lora(rank=int(lora["rank"]), alpha=float(lora["alpha"])),
            max_mismatch_nats=float(raw.get("maxMismatch", 20.0)),
            micro_batch_tokens=int(raw.get("microBatchTokens", 16_384)),
            supervised=None
            if supervised is None
            else Supervised(
                steps=int(supervised["steps"]),
                batch=int(supervised["batch"]),
                learning_rate=float(supervised["learningRate"]),
                schedule="cosine" if supervised.get("schedule") == "cosine" else "linear",
                warmup=None if supervised.get("warmup") is None else int(supervised["warmup"]),
                first=int(supervised.get("first") or 0),
                total=None if supervised.get("total") is None else int(supervised["total"]),
            ),
        )
