"""The losses of the reference trainer, and the packing of rows into micro-batches that leaves their gradient as it is.

The policy gradient is that of ThetaEvolve (3.4): a clipped ratio against the policy before the update, times a
truncated importance weight between trainer and sampler, averaged over a response's tokens and then over all N rollouts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from ..protocol import Hyper

# Rows of hidden states that are turned into logits at a time on a GPU, where a whole batch of logits would not fit.
LOGIT_ROWS = 4096


@dataclass(frozen=True)
class Row:
    """Token ids of a prompt and of its response, both not empty."""

    prompt: np.ndarray
    response: np.ndarray

    @property
    def tokens(self) -> int:
        return len(self.prompt) + len(self.response)


@dataclass(frozen=True)
class MicroBatch:
    """Rows that go through the model together, padded to the longest. `rows` are their places in the batch.

    prefix [P] are the tokens that all rows share and that no token is predicted from; ids [n, T] follow it; where
    `mask` [n, T] is true, the token of `targets` [n, T] is predicted.
    """

    rows: list[int]
    prefix: Tensor | None
    ids: Tensor
    targets: Tensor
    mask: Tensor


def micro_batches(rows: Sequence[Row], limit: int, share: bool, device: Any = "cpu") -> Iterator[MicroBatch]:
    """Packs rows into micro-batches of at most `limit` tokens each, or of one row where a row has more.

    With `share`, rows of the same prompt go together and the prompt goes through the model once. Which rows meet does
    not depend on their order, apart from rows that are alike.
    """
    by_prompt: dict[bytes, list[int]] = {}
    for place, row in enumerate(rows):
        by_prompt.setdefault(row.prompt.tobytes() if share else b"", []).append(place)
    alone: list[int] = []
    for places in by_prompt.values():
        if not share or len(places) == 1:
            alone += places
            continue
        prefix = len(rows[places[0]].prompt) - 1
        for chunk in chunks(places, lambda place: len(rows[place].response), limit - prefix):
            yield _pack(rows, chunk, prefix, device)
    for chunk in chunks(alone, lambda place: rows[place].tokens - 1, limit):
        yield _pack(rows, chunk, 0, device)


def chunks(places: list[int], length: Any, limit: int) -> Iterator[list[int]]:
    """Cuts places, sorted by length, into runs whose padded size stays within the limit."""
    chunk: list[int] = []
    for place in sorted(places, key=length):
        if chunk and (len(chunk) + 1) * length(place) > limit:
            yield chunk
            chunk = []
        chunk.append(place)
    if chunk:
        yield chunk


def _pack(rows: Sequence[Row], places: list[int], prefix: int, device: Any) -> MicroBatch:
    longest = max(rows[place].tokens - 1 for place in places) - prefix
    ids = np.zeros((len(places), longest), dtype=np.int64)
    targets, mask = np.zeros_like(ids), np.zeros(ids.shape, dtype=bool)
    for at, place in enumerate(places):
        whole = np.concatenate((rows[place].prompt, rows[place].response))
        size = len(whole) - 1 - prefix
        ids[at, :size] = whole[prefix:-1]
        targets[at, :size] = whole[prefix + 1 :]
        mask[at, size - len(rows[place].response) : size] = True
    shared = torch.from_numpy(rows[places[0]].prompt[:prefix].astype(np.int64)).to(device) if prefix else None
    return MicroBatch(places, shared, *(torch.from_numpy(part).to(device) for part in (ids, targets, mask)))


def token_logprobs(model: Any, part: MicroBatch, temperature: float = 1.0) -> Tensor:
    """Log-probabilities, float32 in nats, of the predicted tokens, row after row. Logits are divided by temperature."""
    prefix = None if part.prefix is None else model.prefix(part.prefix)
    hidden = model(part.ids, prefix)[part.mask]
    targets = part.targets[part.mask]

    def logprobs(states: Tensor, wanted: Tensor) -> Tensor:
        scaled = model.logits(states) / temperature
        return scaled.log_softmax(-1).gather(-1, wanted[:, None])[:, 0]

    if not hidden.is_cuda or not torch.is_grad_enabled():
        return logprobs(hidden, targets)
    pieces = zip(hidden.split(LOGIT_ROWS), targets.split(LOGIT_ROWS))
    return torch.cat([checkpoint(logprobs, states, wanted, use_reentrant=False) for states, wanted in pieces])


def importance_weights(old: Tensor, sampler: Tensor, hyper: Hyper) -> tuple[Tensor, Tensor]:
    """Weights exp(o - q) of each token within their band, without gradient, and whether each was outside of it."""
    if hyper.truncated_is is None:
        return torch.ones_like(old), torch.zeros_like(old, dtype=torch.bool)
    low, high = hyper.truncated_is
    weights = (old - sampler).detach().exp()
    outside = (weights < low) | (weights > high)
    return (weights.masked_fill(outside, 0.0) if hyper.icepop else weights.clamp(low, high)), outside


def policy_loss(
    logprobs: Tensor, old: Tensor, sampler: Tensor, advantages: Tensor, hyper: Hyper
) -> tuple[Tensor, Tensor, Tensor]:
    """The loss of each token, whether its ratio was clipped, and whether its importance weight was.

    All arguments have one entry a token: the trainer's log-probability, the same before the update, the sampler's, and
    the advantage of the token's response.
    """
    weights, outside = importance_weights(old, sampler, hyper)
    ratio = (logprobs - old.detach()).exp()
    low, high = 1.0 - hyper.clip_low, 1.0 + hyper.clip_high
    losses = torch.maximum(-ratio * advantages, -ratio.clamp(low, high) * advantages)
    return weights * losses, (ratio < low) | (ratio > high), outside


def sequence_means(values: Tensor, lengths: Sequence[int]) -> Tensor:
    """Mean over each row's tokens; `values` are the tokens of all rows, one after another."""
    return torch.stack([row.mean() for row in values.split(list(lengths))])
