"""Sizes of a model, as Hugging Face's config.json writes them, and which of these files model.py computes exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..protocol import ConfigError

#: Far above any model that there is; what is greater is a mistake.
GREATEST = 2**31 - 1


@dataclass(frozen=True)
class Shape:
    """Sizes of a model that is shaped as Llama or Qwen3 are."""

    vocabulary: int
    width: int
    layers: int
    heads: int
    kv_heads: int
    head_width: int
    inner: int
    context: int
    rope_theta: float = 10000.0
    norm_eps: float = 1e-6
    tied: bool = False
    qwen3: bool = False  # norms on each head's queries and keys

    @staticmethod
    def supports(config: dict[str, Any]) -> bool:
        """True if model.py computes a model of that config.json exactly."""
        rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
        return (
            config.get("model_type") in ("llama", "qwen3")
            and rope.get("rope_type", rope.get("type", "default")) == "default"
            and not config.get("attention_bias")
            and not config.get("mlp_bias")
            and not config.get("use_sliding_window")
            and config.get("hidden_act", "silu") == "silu"
        )

    @staticmethod
    def from_config(config: dict[str, Any]) -> Shape:
        heads, width = whole(config, "num_attention_heads"), whole(config, "hidden_size")
        rope = config.get("rope_parameters") or {}
        kv_heads = whole(config, "num_key_value_heads", heads)
        head_width = whole(config, "head_dim", width // heads)
        if heads % kv_heads or head_width % 2:
            raise ConfigError(
                f"config.json: expected heads ({heads}) that are a multiple of num_key_value_heads ({kv_heads}), and "
                f"an even head_dim, got {head_width}. See learning.base."
            )
        return Shape(
            vocabulary=whole(config, "vocab_size"),
            width=width,
            layers=whole(config, "num_hidden_layers"),
            heads=heads,
            kv_heads=kv_heads,
            head_width=head_width,
            inner=whole(config, "intermediate_size"),
            context=whole(config, "max_position_embeddings", 2048),
            rope_theta=float(rope.get("rope_theta") or config.get("rope_theta") or 10000.0),
            norm_eps=float(config.get("rms_norm_eps", 1e-6)),
            tied=bool(config.get("tie_word_embeddings", False)),
            qwen3=config["model_type"] == "qwen3",
        )

    def parameters(self) -> int:
        """Number of parameters, without making any of them."""
        heads, kv_heads = self.heads * self.head_width, self.kv_heads * self.head_width
        norms = 2 * self.width + (2 * self.head_width if self.qwen3 else 0)
        layer = 2 * self.width * (heads + kv_heads) + 3 * self.width * self.inner + norms
        return (1 if self.tied else 2) * self.vocabulary * self.width + self.layers * layer + self.width

    def config(self, dtype: str, begin: int | None = None, end: int | None = None) -> dict[str, Any]:
        family = "Qwen3ForCausalLM" if self.qwen3 else "LlamaForCausalLM"
        return {
            "architectures": [family],
            "model_type": "qwen3" if self.qwen3 else "llama",
            "vocab_size": self.vocabulary,
            "hidden_size": self.width,
            "num_hidden_layers": self.layers,
            "num_attention_heads": self.heads,
            "num_key_value_heads": self.kv_heads,
            "head_dim": self.head_width,
            "intermediate_size": self.inner,
            "max_position_embeddings": self.context,
            "rope_theta": self.rope_theta,
            "rms_norm_eps": self.norm_eps,
            "tie_word_embeddings": self.tied,
            "hidden_act": "silu",
            "attention_bias": False,
            "mlp_bias": False,
            "torch_dtype": dtype,
            "bos_token_id": begin,
            "eos_token_id": end,
        }


def whole(config: dict[str, Any], name: str, default: int | None = None) -> int:
    """A size in a config.json, which a stranger may have written."""
    value = config.get(name)
    if value is None:
        value = default
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= GREATEST:
        raise ConfigError(
            f"config.json: expected a whole number from 1 to {GREATEST} as {name}, got {value!r:.80}. The model's folder "
            "is damaged, or it is of another kind: see learning.base."
        )
    return value
