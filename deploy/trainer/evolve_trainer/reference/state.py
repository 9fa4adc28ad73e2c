"""A model in training: its weights, what is trained of them, and the optimizer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from . import base as bases
from . import checkpoint
from .lora import LoraLinear, adapter_config, adapter_weights, add_lora, merged
from .optimizer import AdamW
from ..protocol import Lora


class State:
    """A model in training: what is trained of it, by name, and its optimizer."""

    def __init__(self, folder: Path, lora: Lora | None, seed: int, device: torch.device, fresh: bool) -> None:
        """`fresh`: the folder is that of a base model, without an optimizer and without an adapter."""
        self.folder, self.device, self.lora = folder, device, lora
        self.model: Any = bases.load_model(folder, device, training=True)
        kept: dict[str, Tensor] = {}
        steps = 0
        if not fresh:
            kept = checkpoint.load_tensors(folder / checkpoint.OPTIMIZER)
            steps = int(kept["steps"])
        self.changed: dict[str, LoraLinear] = {}
        if self.lora is None:
            self.trained = bases.weights_of(self.model)
            whole = {name: kept[f"w.{name}"] for name in self.trained if f"w.{name}" in kept}
        else:
            if not fresh:
                self._take(bases.weights_of(self.model), checkpoint.load_tensors(folder / checkpoint.BASE))
            added = add_lora(self.model, self.lora, seed)
            self.changed = {bases.file_name(name): layer for name, layer in added.items()}
            self.model.to(device)
            self.trained = adapter_weights(self.changed)
            whole = {} if fresh else checkpoint.load_tensors(folder / "adapter" / "adapter_model.safetensors")
        self._take(self.trained, whole)
        self.optimizer = AdamW(self.trained, kept, steps)

    @staticmethod
    @torch.no_grad()
    def _take(weights: Mapping[str, nn.Parameter], values: Mapping[str, Tensor]) -> None:
        for name, value in values.items():
            if name in weights:
                weights[name].copy_(value)

    def save(self, part: Path, keep_optimizer: bool) -> str:
        """Writes everything but the card, and answers the hash of the weights to sample from."""
        whole = merged(bases.weights_of(self.model), self.changed)
        if self.device.type == "cuda":
            whole = {name: value.to(torch.bfloat16) for name, value in whole.items()}
        checkpoint.save_tensors(part / checkpoint.WEIGHTS, whole)
        state = self.optimizer.state() if keep_optimizer else {}
        state["steps"] = torch.tensor(self.optimizer.steps if keep_optimizer else 0)
        if self.lora is not None:
            adapter = part / "adapter"
            checkpoint.save_tensors(adapter / "adapter_model.safetensors", self.trained)
            config = adapter_config(self.lora, self.changed, str(self.folder))
            (adapter / "adapter_config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
        elif self.device.type == "cuda":
            state |= {f"w.{name}": value for name, value in self.trained.items()}
        checkpoint.save_tensors(part / checkpoint.OPTIMIZER, state)
        return checkpoint.weights_hash(whole)

    def finite(self) -> bool:
        """True if all weights and their squares are finite; a norm's output would be zero without the latter."""
        return all(bool(torch.isfinite(weight.detach().pow(2).sum())) for weight in self.trained.values())
