"""LoRA: a low-rank change of each linear layer is trained, and the layer's own weights stay as they are.

The change is (alpha / rank) B A, with A random and B zero at the beginning, so that version 0 is the base model.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ..protocol import ConfigError, Lora


class LoraLinear(nn.Module):
    """A linear layer with its low-rank change. `lora_A` is [rank, inputs], `lora_B` is [outputs, rank]."""

    def __init__(self, inner: nn.Linear, lora: Lora, generator: torch.Generator) -> None:
        super().__init__()
        self.inner = inner
        self.inner.requires_grad_(False)
        self.scale = lora.alpha / lora.rank
        self.lora_A = nn.Parameter(torch.empty(lora.rank, inner.in_features))
        self.lora_B = nn.Parameter(torch.zeros(inner.out_features, lora.rank))
        with torch.no_grad():
            self.lora_A.normal_(0.0, inner.in_features**-0.5, generator=generator)

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x) + self.scale * F.linear(F.linear(x, self.lora_A), self.lora_B)


def add_lora(model: nn.Module, lora: Lora, seed: int) -> dict[str, LoraLinear]:
    """Freezes the model and gives every linear layer but the last a change to train. Answers them by their names."""
    model.requires_grad_(False)
    generator = torch.Generator().manual_seed(seed)
    changed: dict[str, LoraLinear] = {}
    for name, module in list(model.named_modules()):
        if not isinstance(module, nn.Linear) or name.endswith("lm_head"):
            continue
        holder, _, last = name.rpartition(".")
        changed[name] = LoraLinear(module, lora, generator)
        setattr(model.get_submodule(holder), last, changed[name])
    if not changed:
        raise ConfigError("The base model has no linear layers of PyTorch for learning.lora to change: set it to null.")
    return changed


def adapter_weights(changed: dict[str, LoraLinear]) -> dict[str, nn.Parameter]:
    """The trained parameters, by the names that PEFT gives them in a file."""
    return {
        f"base_model.model.{name}.{part}.weight": getattr(layer, part)
        for name, layer in changed.items()
        for part in ("lora_A", "lora_B")
    }


@torch.no_grad()
def merged(weights: Mapping[str, Tensor], changed: dict[str, LoraLinear]) -> dict[str, Tensor]:
    """The weights of the whole model with the changes added in, under the names that they have without LoRA."""
    whole = {name.replace(".inner.", "."): value for name, value in weights.items() if ".lora_" not in name}
    for name, layer in changed.items():
        change = layer.lora_B.float() @ layer.lora_A.float() * layer.scale
        base = whole[f"{name}.weight"]
        whole[f"{name}.weight"] = (base.float() + change).to(base.dtype)
    return whole


def adapter_config(lora: Lora, changed: dict[str, LoraLinear], base: str) -> dict[str, Any]:
    """adapter_config.json as PEFT and vLLM read it."""
    return {
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM",
        "base_model_name_or_path": base,
        "r": lora.rank,
        "lora_alpha": lora.alpha,
        "lora_dropout": 0.0,
        "bias": "none",
        "target_modules": sorted({name.rpartition(".")[2] for name in changed}),
        "inference_mode": True,
    }
