"""The loss of one token and its gradient, in plain double precision, without a tensor library.

Trainers whose server can be given weights only (Tinker) compute with these; for the others they are the independent
check. Symbols, all logprobs in nats: l trainer's logprob, o trainer's logprob before the update, q sampler's logprob,
r = exp(l - o), A advantage, w = clamp(exp(o - q), low, high) without a gradient (truncated importance sampling).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .protocol import Hyper, Rollout


class TokenLoss(NamedTuple):
    loss: float
    #: d loss / d l
    gradient: float


def token_loss(ratio: float, weight: float, advantage: float, low: float = 0.2, high: float = 0.28) -> TokenLoss:
    """w * max(-r A, -clamp(r, 1 - low, 1 + high) A), the clipped surrogate of ThetaEvolve (appendix D)."""
    clamped = min(max(ratio, 1 - low), 1 + high)
    free, bound = -ratio * advantage, -clamped * advantage
    # Where both are equal the token is inside the clip, or A is 0: the gradient is that of the free one.
    return TokenLoss(weight * max(free, bound), weight * free if free >= bound else 0.0)


def importance_weight(
    trainer_logprob: float, sampler_logprob: float, band: tuple[float, float] | None, icepop: bool = False
) -> float:
    """w = exp(o - q), held inside the band; IcePop gives 0 to what is outside of it. No band: 1."""
    if band is None:
        return 1.0
    # exp overflows above 709 nats, far beyond every band.
    weight = math.exp(min(trainer_logprob - sampler_logprob, 700.0))
    low, high = band
    if icepop:
        return weight if low <= weight <= high else 0.0
    return min(max(weight, low), high)


class RowWeights(NamedTuple):
    """One rollout: w of each token [T], the number beyond the band, and the sum of |o - q| over the tokens."""

    weights: np.ndarray
    beyond: int
    mismatch_sum: float


def row_weights(row: Rollout, before: np.ndarray, hyper: Hyper) -> RowWeights:
    """`before` [T]: the trainer's own logprobs o of the response, double."""
    sampled = row.logprobs.astype(np.float64)
    difference = before - sampled
    weights = np.array(
        [importance_weight(o, q, hyper.truncated_is, hyper.icepop) for o, q in zip(before, sampled, strict=True)]
    )
    beyond = 0
    if hyper.truncated_is is not None:
        low, high = hyper.truncated_is
        raw = np.exp(np.minimum(difference, 700.0))
        beyond = int(((raw < low) | (raw > high)).sum())
    return RowWeights(weights, beyond, float(np.abs(difference).sum()))


def row_loss(row: Rollout, ratios: np.ndarray, weights: np.ndarray, hyper: Hyper) -> float:
    """The mean over a response's tokens of their losses; `ratios` [T] are exp(l - o)."""
    pairs = zip(ratios, weights, strict=True)
    return float(np.mean([token_loss(r, w, row.advantage, hyper.clip_low, hyper.clip_high).loss for r, w in pairs]))


def is_plausible(row: Rollout, before: np.ndarray, hyper: Hyper) -> bool:
    """True if the sampler's logprobs can be those of these weights; other rollouts are dropped and counted."""
    difference = np.abs(before - row.logprobs.astype(np.float64))
    return bool(np.isfinite(difference).all() and (difference <= hyper.max_mismatch_nats).all())


def minibatches(rows: int, steps: int, batch: int, seed: int) -> Iterator[list[int]]:
    """For each supervised step the places of its examples: a new order of all of them whenever they are used up."""
    random = np.random.default_rng(seed)
    left: list[int] = []
    for _ in range(steps):
        while len(left) < min(batch, rows):
            left += random.permutation(rows).tolist()
        yield left[:batch]
        left = left[batch:]
