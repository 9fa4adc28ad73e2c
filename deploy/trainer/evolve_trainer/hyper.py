"""The hyperparameters of an update, read from the names of the settings below `learning`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def values_in(raw: Mapping[str, Any], kind: type) -> dict[str, Any]:
    """The fields of a dataclass that the JSON has, by their names there. What is absent or null has its default."""
    types = {"int": int, "int | None": int, "float": float, "bool": bool}
    read = {one.name: (raw.get(camel(one.name)), types.get(str(one.type))) for one in fields(kind)}
    return {
        name: convert(value) if convert else value for name, (value, convert) in read.items() if value is not None
    }


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
    #: These steps are a part of a longer training, with so many before and in all. Its optimizer goes on.
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
        clip, band = raw.get("clip") or {}, raw.get("truncatedIs", {"low": 0.0, "high": 2.0})
        adam, lora, supervised = raw.get("optimizer") or {}, raw.get("lora"), raw.get("supervised")
        # null: not limited.
        bound = {"grad_norm": 0.0} if adam.get("gradNorm", 1.0) is None else {}
        return Hyper(
            temperature=float(raw.get("temperature", 1.0)),
            clip_low=float(clip.get("low", 0.2)),
            clip_high=float(clip.get("high", 0.28)),
            truncated_is=None if band is None else (float(band["low"]), float(band["high"])),
            icepop=bool(raw.get("icepop", False)),
            optimizer=Adam(**values_in(adam, Adam) | bound),
            lora=None if lora is None else Lora(**values_in(lora, Lora)),
            max_mismatch_nats=float(raw.get("maxMismatch", 20.0)),
            micro_batch_tokens=int(raw.get("microBatchTokens", 16_384)),
            supervised=None if supervised is None else Supervised(**values_in(supervised, Supervised)),
        )
