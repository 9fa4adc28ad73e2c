"""The computation of an update: the gradient of a batch of rollouts, or supervised steps, and the refusals of both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from . import base as bases
from ..formulas import minibatches
from .loss import MicroBatch, Row, micro_batches, policy_loss, sequence_means, token_logprobs
from ..protocol import Adam, BadBatch, Beat, Example, Examples, NotFinite, Order, Rollouts, WrongBase
from .state import State
from .tokenizer import Tokenizer, load_tokenizer

# Most tokens that go through the model at a time on a CPU.
CPU_TOKENS = 4096


def policy_gradient(state: State, order: Order, batch: Rollouts, beat: Beat) -> tuple[dict[str, Any], MicroBatch]:
    """Accumulates the gradient of a batch of rollouts, and answers its numbers and a part to try the weights on."""
    rows = [Row(rollout.prompt, rollout.response) for rollout in batch.rows]
    require_base(state, rows)
    hyper, probe = order.hyper, None
    done = used = tokens = responses = clipped = outside = 0
    loss_sum = gap_sum = 0.0
    for part in parts_of(state, rows, hyper.micro_batch_tokens):
        beat("gradient", done, len(rows))
        with _precision(state.device):
            logprobs = token_logprobs(state.model, part, hyper.temperature).double()
        old, lengths = logprobs.detach(), [len(rows[place].response) for place in part.rows]
        if not bool(torch.isfinite(old).all()):
            raise NotFinite(
                f"The parent {order.parent} gives log-probabilities that are not finite. Rewind the run to an "
                "earlier step, and lower learning.optimizer.learningRate."
            )
        sampled = np.concatenate([batch.rows[place].logprobs for place in part.rows])
        sampler = torch.from_numpy(sampled).to(old)
        advantages = old.new_tensor([batch.rows[place].advantage for place in part.rows])
        gaps = (old - sampler).abs()
        kept = torch.stack([row.max() for row in gaps.split(lengths)]) <= hyper.max_mismatch_nats
        repeats = torch.tensor(lengths, device=old.device)
        spread, each = kept.repeat_interleave(repeats), advantages.repeat_interleave(repeats)
        losses, beyond, away = policy_loss(logprobs, old, sampler, each, hyper)
        loss = sequence_means(losses, lengths)[kept].sum() / batch.total
        done += len(part.rows)
        if not bool(kept.any()):
            continue
        loss.backward()
        loss_sum += float(loss.detach())
        used += int(kept.sum())
        tokens += sum(rows[place].tokens for place, good in zip(part.rows, kept.tolist()) if good)
        responses += int(spread.sum())
        clipped += int(beyond[spread].sum())
        outside += int(away[spread].sum())
        gap_sum += float(gaps[spread].sum())
        probe = probe or part
    if probe is None:
        raise BadBatch(
            f"All {len(rows)} rollouts of the batch were dropped, because the sampler's log-probabilities differ "
            f"from those of {order.parent} by more than {hyper.max_mismatch_nats:g} nats (learning.maxMismatch). "
            "The batch was sampled from other weights, or at another temperature than is set."
        )
    numbers = {
        "loss": loss_sum,
        "clip_fraction": clipped / responses,
        "is_clip_fraction": outside / responses,
        "mismatch": gap_sum / responses,
        "used": used,
        "dropped": len(rows) - used,
        "tokens": tokens,
    }
    return numbers, probe


def supervised_steps(state: State, order: Order, batch: Examples, beat: Beat) -> dict[str, Any]:
    """Cross-entropy on the responses and the token that ends each; the learning rate is as `Supervised.rate` says.
    Examples are drawn in an order that the seed decides."""
    settings = order.hyper.supervised
    if settings is None:
        raise BadBatch("An order of kind supervised was expected to hold `supervised` in its hyperparameters.")
    tokenizer, context = load_tokenizer(state.folder), bases.context_of(state.folder)
    rows = [_example_row(tokenizer, context, example) for example in batch.rows]
    require_base(state, rows)
    # A large eps suits policy gradients of a small model; cross-entropy from random weights needs Adam's own scaling.
    adam = replace(order.hyper.optimizer, eps=Adam.eps)
    tokens, loss, norm = 0, 0.0, 0.0
    for step, places in enumerate(minibatches(len(rows), settings.steps, settings.batch, order.seed)):
        beat("supervised", step, settings.steps)
        chosen = [rows[place] for place in places]
        targets = sum(len(row.response) for row in chosen)
        loss = 0.0
        for part in parts_of(state, chosen, order.hyper.micro_batch_tokens):
            with _precision(state.device):
                share = -token_logprobs(state.model, part).double().sum() / targets
            share.backward()
            loss += float(share.detach())
        if not math.isfinite(loss):
            raise NotFinite(_refusal(order, settings.learning_rate, loss, norm, f"step {step + 1}"))
        norm = state.optimizer.step(adam, settings.rate(step))
        tokens += sum(row.tokens for row in chosen)
    if not state.finite():
        raise NotFinite(_refusal(order, settings.learning_rate, loss, norm, "the last step"))
    return {"loss": loss, "grad_norm": norm, "used": len(rows), "tokens": tokens}


def require_finite(state: State, probe: MicroBatch, order: Order, numbers: dict[str, Any]) -> None:
    """The stepped weights must be finite and give finite log-probabilities, else nothing of them is written."""
    with torch.no_grad(), _precision(state.device):
        tried = token_logprobs(state.model, probe, order.hyper.temperature)
    finite = [math.isfinite(numbers["loss"]), state.finite(), bool(torch.isfinite(tried).all())]
    if not all(finite):
        rate = order.hyper.optimizer.learning_rate
        raise NotFinite(_refusal(order, rate, numbers["loss"], numbers["grad_norm"], "the step"))


def _refusal(order: Order, rate: float, loss: float, norm: float, when: str) -> str:
    setting = "learning.warmup.learningRate" if order.kind == "supervised" else "learning.optimizer.learningRate"
    return (
        f"After {when}, weights or log-probabilities are not finite (loss {loss:g}, gradient norm {norm:g}, "
        f"learning rate {rate:g}). The update is refused and the policy {order.parent} stays. Lower {setting}."
    )


def parts_of(state: State, rows: Sequence[Row], limit: int) -> Any:
    # On a GPU the fused attention is quicker than a shared prompt, which it cannot take.
    share = state.model.shares_prompts and state.device.type == "cpu"
    # A CPU gains nothing from larger parts, and the memory of its attention grows with their tokens times their length.
    limit = min(limit, CPU_TOKENS) if state.device.type == "cpu" else limit
    return micro_batches(rows, limit, share, state.device)


def _precision(device: torch.device) -> Any:
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda")


def require_base(state: State, rows: Sequence[Row]) -> None:
    vocabulary, context = bases.vocabulary_of(state.folder), bases.context_of(state.folder)
    greatest = max(int(max(row.prompt.max(), row.response.max())) for row in rows)
    longest = max(row.tokens for row in rows)
    if greatest >= vocabulary or longest > context:
        raise WrongBase(
            f"The batch has token id {greatest} and rows of up to {longest} tokens; the parent in {state.folder} "
            f"has {vocabulary} tokens in its vocabulary and a context of {context}. The batch was sampled from "
            "another model: check learning.base, and that the model's address (model.baseUrl) serves the policy."
        )


def _example_row(tokenizer: Tokenizer, context: int, example: Example) -> Row:
    """A prompt as the server would cut it, and the response with its end, cut to the context."""
    prompt = tokenizer.chat([dict(message) for message in example.messages])
    if tokenizer.cuts_left:
        prompt = prompt[-(context // 2) :]
    if len(prompt) >= context:
        raise BadBatch(
            f"The prompt of the example {example.id} has {len(prompt)} tokens, and the base model's context has "
            f"{context}, which the answer must share. Leave the example out, or take a base with a longer "
            "context (learning.base)."
        )
    answer = tokenizer.answer(example.response)[: context - len(prompt)]
    return Row(np.array(prompt, dtype=np.int64), np.array(answer, dtype=np.int64))
