"""Samples answers from a policy: several to one prompt, as one batch, with the log-probabilities of what was sampled.

An answer depends on the weights, the prompt, the settings of its request and its seed, and on nothing else that runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor

from .tokenizer import Tokenizer

#: So many numbers from [0, 1), one a token, each answer's generator gives at a time.
CHANCES = 256


@dataclass(frozen=True)
class Sampling:
    """Settings of a request. Temperature 0 takes the most probable token. `stop`: texts that end an answer."""

    max_tokens: int
    temperature: float = 1.0
    top_p: float = 1.0
    seed: int = 0
    stop: Sequence[str] = ()


@dataclass
class Answer:
    """`ids` and `logprobs` have one entry a token, the end included; in nats, of the distribution drawn from."""

    ids: list[int]
    logprobs: list[float]
    finish: Literal["stop", "length"] = "length"


@torch.no_grad()
def sample(
    model: Any,
    tokenizer: Tokenizer,
    prompt: Sequence[int],
    count: int,
    sampling: Sampling,
    going: Callable[[], None] | None = None,
) -> list[Answer]:
    """`count` answers to one prompt. Answer j draws from the seed `sampling.seed + j`. `going` is called before each
    token and may raise, to end a request that nobody waits for."""
    device = next(model.parameters()).device
    ids = torch.tensor(prompt, dtype=torch.long, device=device)
    generators = [torch.Generator().manual_seed((sampling.seed + row) % 2**63) for row in range(count)]
    chances = torch.empty(count, 0)
    answers = [Answer([], []) for _ in range(count)]
    open_rows = set(range(count))
    past, prefix = model.past(), None
    inputs = ids[None].expand(count, -1)
    if model.shares_prompts and len(prompt) > 1:
        prefix, inputs = model.prefix(ids[:-1]), inputs[:, -1:]
    for position in range(sampling.max_tokens):
        if going is not None:
            going()
        if position % CHANCES == 0:
            chances = torch.stack([torch.rand(CHANCES, generator=one, dtype=torch.float64) for one in generators])
        logits = model.logits(model(inputs, prefix, past)[:, -1]).cpu()
        tokens, logprobs = _draw(logits, chances[:, position % CHANCES], sampling)
        if bool(torch.isnan(logprobs).any()):
            raise FloatingPointError("the policy gives log-probabilities that are no numbers")
        for row in sorted(open_rows):
            answer, token = answers[row], int(tokens[row])
            answer.ids.append(token)
            answer.logprobs.append(float(logprobs[row]))
            if token in tokenizer.stops or _says_stop(tokenizer, answer.ids, sampling.stop):
                answer.finish = "stop"
                open_rows.remove(row)
        if not open_rows:
            break
        inputs = tokens[:, None].to(device)
    return answers


def _draw(logits: Tensor, chances: Tensor, sampling: Sampling) -> tuple[Tensor, Tensor]:
    """Tokens [rows] and their log-probabilities [rows], by the inverse of the cumulative distribution."""
    if sampling.temperature == 0:
        logprobs = logits.log_softmax(-1)
        tokens = logits.argmax(-1)
        return tokens, logprobs.gather(-1, tokens[:, None])[:, 0]
    logprobs = (logits / sampling.temperature).log_softmax(-1)
    if sampling.top_p < 1:
        # The smallest set of the most probable tokens that holds `top_p`; the rest gets no chance.
        ordered, order = logprobs.sort(dim=-1, descending=True, stable=True)
        before = ordered.double().exp().cumsum(-1) - ordered.double().exp()
        kept = torch.zeros_like(before, dtype=torch.bool).scatter(-1, order, before < sampling.top_p)
        logprobs = logprobs.masked_fill(~kept, -torch.inf).log_softmax(-1)
    sums = logprobs.double().exp().cumsum(-1)
    tokens = torch.searchsorted(sums, (chances * sums[:, -1])[:, None], right=True)[:, 0]
    tokens = tokens.clamp(max=logits.shape[-1] - 1)
    return tokens, logprobs.gather(-1, tokens[:, None])[:, 0]


def _says_stop(tokenizer: Tokenizer, ids: Sequence[int], stop: Sequence[str]) -> bool:
    if not stop:
        return False
    tail = tokenizer.decode(ids[-4 * max(map(len, stop)) - 4 :])
    return any(text in tail for text in stop)
