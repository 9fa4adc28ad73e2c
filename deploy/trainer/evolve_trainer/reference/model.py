"""A causal language model in plain PyTorch, shaped as Llama and Qwen3 are, with the names of Hugging Face's tensors.

One forward pass serves sampling and training. A prompt that several answers share is computed once: its keys and values
are the `Prefix`, and the answers attend to it. That is what makes a group of rollouts cheap, and because both sides run
the same code, the sampler's log-probabilities are the trainer's.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from .shape import Shape

# Keys and values of a shared prompt, a pair a layer: each [key-value heads, prompt tokens, head width].
Prefix = list[tuple[Tensor, Tensor]]
ROPE_TOKENS = 8192  # positions whose angles are computed at first


class Past:
    """Keys and values of the answers so far while sampling, in buffers that are filled in place and that grow."""

    def __init__(self, layers: int) -> None:
        self.length = 0
        self._pairs: list[tuple[Tensor, Tensor] | None] = [None] * layers

    def extend(self, layer: int, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values [rows, groups, all tokens so far, head width] after these were added at the end."""
        stop = self.length + keys.shape[2]
        pair = self._pairs[layer]
        if pair is None or pair[0].shape[2] < stop:
            size = (*keys.shape[:2], max(64, 2 * stop), keys.shape[3])
            grown = (keys.new_zeros(size), values.new_zeros(size))
            if pair is not None:
                grown[0][:, :, : self.length] = pair[0][:, :, : self.length]
                grown[1][:, :, : self.length] = pair[1][:, :, : self.length]
            pair = self._pairs[layer] = grown
        pair[0][:, :, self.length : stop] = keys
        pair[1][:, :, self.length : stop] = values
        return pair[0][:, :, :stop], pair[1][:, :, :stop]


class RMSNorm(nn.Module):
    def __init__(self, width: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        wide = x.float()
        normed = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.eps)
        return self.weight * normed.to(x.dtype)


class Attention(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads, self.kv_heads, self.head_width = shape.heads, shape.kv_heads, shape.head_width
        self.q_proj = nn.Linear(shape.width, shape.heads * shape.head_width, bias=False)
        self.k_proj = nn.Linear(shape.width, shape.kv_heads * shape.head_width, bias=False)
        self.v_proj = nn.Linear(shape.width, shape.kv_heads * shape.head_width, bias=False)
        self.o_proj = nn.Linear(shape.heads * shape.head_width, shape.width, bias=False)
        self.q_norm = RMSNorm(shape.head_width, shape.norm_eps) if shape.qwen3 else None
        self.k_norm = RMSNorm(shape.head_width, shape.norm_eps) if shape.qwen3 else None

    def _split(self, x: Tensor, norm: nn.Module | None) -> Tensor:
        x = x.view(x.shape[0], x.shape[1], -1, self.head_width)
        return (x if norm is None else norm(x)).transpose(1, 2)  # [rows, heads, tokens, head width]

    def keys_and_values(self, x: Tensor, rope: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        return _rotate(self._split(self.k_proj(x), self.k_norm), rope), self._split(self.v_proj(x), None)

    def forward(
        self, x: Tensor, rope: tuple[Tensor, Tensor], layer: int, prefix: Prefix | None, past: Past | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        queries = _rotate(self._split(self.q_proj(x), self.q_norm), rope)
        keys, values = self.keys_and_values(x, rope)
        if past is not None:
            keys, values = past.extend(layer, keys, values)
        if prefix is None and x.is_cuda and hasattr(F, "scaled_dot_product_attention"):
            mixed = _attend_fused(queries, keys, values)
        else:
            mixed = _attend(queries, keys, values, None if prefix is None else prefix[layer])
        return self.o_proj(mixed.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)), keys, values


class MLP(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(shape.width, shape.inner, bias=False)
        self.up_proj = nn.Linear(shape.width, shape.inner, bias=False)
        self.down_proj = nn.Linear(shape.inner, shape.width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class Layer(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.input_layernorm = RMSNorm(shape.width, shape.norm_eps)
        self.self_attn = Attention(shape)
        self.post_attention_layernorm = RMSNorm(shape.width, shape.norm_eps)
        self.mlp = MLP(shape)

    def forward(
        self, x: Tensor, rope: tuple[Tensor, Tensor], layer: int, prefix: Prefix | None, past: Past | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        mixed, keys, values = self.self_attn(self.input_layernorm(x), rope, layer, prefix, past)
        x = x + mixed
        return x + self.mlp(self.post_attention_layernorm(x)), keys, values


class Decoder(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(shape.vocabulary, shape.width)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.norm = RMSNorm(shape.width, shape.norm_eps)


class Llama(nn.Module):
    """The model. Its parameters' names are those of LlamaForCausalLM (or Qwen3ForCausalLM) in a safetensors file."""

    shares_prompts = True

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.model = Decoder(shape)
        self.lm_head = nn.Linear(shape.width, shape.vocabulary, bias=False)
        if shape.tied:
            self.lm_head.weight = self.model.embed_tokens.weight
        self._rope: tuple[Tensor, Tensor] | None = None
        self.checkpoints = False  # whether a layer's activations are computed again in the backward pass

    @torch.no_grad()
    def initialise(self, seed: int) -> None:
        """Random weights that depend on the seed alone: normal, scaled by each matrix's inputs."""
        generator = torch.Generator().manual_seed(seed)
        for name, weight in self.named_parameters():
            if weight.dim() == 1:
                weight.fill_(1.0)
                continue
            deviation = 0.02 if "embed_tokens" in name or "lm_head" in name else weight.shape[1] ** -0.5
            if name.endswith(("o_proj.weight", "down_proj.weight")):
                deviation /= math.sqrt(2 * self.shape.layers)
            weight.copy_(torch.empty(weight.shape).normal_(0.0, deviation, generator=generator))

    def forward(self, ids: Tensor, prefix: Prefix | None = None, past: Past | None = None) -> Tensor:
        """Hidden states [rows, tokens, width] of `ids` [rows, tokens], which follow the prefix and the past."""
        start = (0 if prefix is None else prefix[0][0].shape[1]) + (0 if past is None else past.length)
        rope = self._angles(start, ids.shape[1], ids.device)
        x = self.model.embed_tokens(ids)
        for index, layer in enumerate(self.model.layers):
            if self.checkpoints and torch.is_grad_enabled():
                x = checkpoint(lambda y, at=index, run=layer: run(y, rope, at, prefix, past)[0], x, use_reentrant=False)
            else:
                x = layer(x, rope, index, prefix, past)[0]
        if past is not None:
            past.length += ids.shape[1]
        return self.model.norm(x)

    def prefix(self, ids: Tensor) -> Prefix:
        """Keys and values of a prompt [tokens] that several rows share. The last layer's output is not needed."""
        rope = self._angles(0, ids.shape[0], ids.device)
        x = self.model.embed_tokens(ids[None])
        pairs: Prefix = []
        for index, layer in enumerate(self.model.layers):
            if index + 1 == self.shape.layers:
                keys, values = layer.self_attn.keys_and_values(layer.input_layernorm(x), rope)
            else:
                x, keys, values = layer(x, rope, index, None, None)
            pairs.append((keys[0], values[0]))
        return pairs

    def past(self) -> Past:
        return Past(self.shape.layers)

    def logits(self, hidden: Tensor) -> Tensor:
        """Float32 logits [..., vocabulary] of hidden states [..., width]."""
        return self.lm_head(hidden).float()

    def _angles(self, start: int, tokens: int, device: torch.device) -> tuple[Tensor, Tensor]:
        stop = start + tokens
        if self._rope is None or self._rope[0].shape[0] < stop or self._rope[0].device != device:
            half = torch.arange(0, self.shape.head_width, 2, dtype=torch.float32) / self.shape.head_width
            # The table of a long context grows as it is needed: a context may be said that nobody has memory for.
            most = self.shape.context if self.shape.context <= ROPE_TOKENS else ROPE_TOKENS
            positions = torch.arange(max(most, 1 << (stop - 1).bit_length()), dtype=torch.float32)
            angles = torch.outer(positions, 1.0 / self.shape.rope_theta**half).repeat(1, 2).to(device)
            self._rope = (angles.cos(), angles.sin())
        return self._rope[0][start:stop], self._rope[1][start:stop]


def _rotate(x: Tensor, rope: tuple[Tensor, Tensor]) -> Tensor:
    """Rotary position embedding, in the halves' order of Hugging Face. x is [rows, heads, tokens, head width]."""
    first, second = x.chunk(2, dim=-1)
    return x * rope[0].to(x.dtype) + torch.cat((-second, first), dim=-1) * rope[1].to(x.dtype)


def _attend(queries: Tensor, keys: Tensor, values: Tensor, prefix: tuple[Tensor, Tensor] | None) -> Tensor:
    """Causal attention to a row's own keys and, where there is one, to the prefix that all rows share.

    queries [n, heads, T, D]; keys, values [n, groups, S, D], whose last T positions are the queries' own;
    prefix: keys and values [groups, P, D]. Query heads of one group share its keys.
    """
    n, heads, tokens, width = queries.shape
    groups, seen = keys.shape[1], keys.shape[2]
    q = (queries * width**-0.5).reshape(n, groups, heads // groups * tokens, width)
    scores = (q @ keys.transpose(-1, -2)).float()
    if tokens > 1:
        allowed = torch.ones(tokens, seen, dtype=torch.bool, device=q.device).tril(seen - tokens)
        scores = scores.view(n, groups, -1, tokens, seen).masked_fill(~allowed, -math.inf).view(scores.shape)
    if prefix is None:
        mixed = scores.softmax(-1).to(values.dtype) @ values
    else:
        # The prefix is one matrix for all rows, so the rows become one long list of queries: nothing is copied n times.
        flat = q.transpose(0, 1).reshape(groups, -1, width)
        shared = (flat @ prefix[0].transpose(-1, -2)).float().view(groups, n, q.shape[2], -1).transpose(0, 1)
        weights = torch.cat((shared, scores), dim=-1).softmax(-1).to(values.dtype)
        length = prefix[0].shape[1]
        over = weights[..., :length].transpose(0, 1).reshape(groups, -1, length) @ prefix[1]
        mixed = over.view(groups, n, q.shape[2], width).transpose(0, 1) + weights[..., length:] @ values
    return mixed.reshape(n, heads, tokens, width)


def _attend_fused(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """The same without a prefix, by the fused kernel of PyTorch 2, which never holds all scores at a time."""
    repeats = queries.shape[1] // keys.shape[1]
    keys, values = keys.repeat_interleave(repeats, dim=1), values.repeat_interleave(repeats, dim=1)
    causal = queries.shape[2] > 1
    queries, keys = queries.to(values.dtype), keys.to(values.dtype)
    return F.scaled_dot_product_attention(queries, keys, values, is_causal=causal)
