"""Models of other shapes than those of Llama and Qwen3, by `transformers`, behind the methods of our own model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from ..protocol import ConfigError


class ForeignPast:
    """The keys and values that `transformers` keeps while it samples."""

    def __init__(self) -> None:
        self.cache: Any = None


class ForeignModel(nn.Module):
    """A causal model of `transformers`. Prompts are not shared: each row goes through the model whole."""

    shares_prompts = False

    def __init__(self, folder: Path, config: dict[str, Any], device: torch.device, training: bool) -> None:
        super().__init__()
        try:
            from transformers import AutoModelForCausalLM
        except ImportError as error:
            raise ConfigError(
                f"The model in {folder} has the type {config.get('model_type')!r}. The reference trainer computes "
                "plain Llama and Qwen3 models itself, and all others by the package transformers, which this Python "
                "does not have. Install it into the trainer's environment, or change learning.base."
            ) from error
        # A folder of somebody else may bring code, and weights that are pickles, which run code when they are read.
        loaded = AutoModelForCausalLM.from_pretrained(
            str(folder), local_files_only=True, use_safetensors=True, trust_remote_code=False
        )
        self.hf: Any = loaded.float() if training or device.type == "cpu" else loaded.to(torch.bfloat16)
        self.hf.to(device)
        if training and device.type == "cuda":
            self.hf.gradient_checkpointing_enable()

    def forward(self, ids: Tensor, prefix: None = None, past: ForeignPast | None = None) -> Tensor:
        """Logits [rows, tokens, vocabulary] of `ids` [rows, tokens], which follow the past."""
        del prefix
        cache = None if past is None else past.cache
        out = self.hf(input_ids=ids, past_key_values=cache, use_cache=past is not None)
        if past is not None:
            past.cache = out.past_key_values
        return out.logits

    def past(self) -> ForeignPast:
        return ForeignPast()

    def logits(self, hidden: Tensor) -> Tensor:
        return hidden.float()
