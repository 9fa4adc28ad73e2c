"""The reference trainer: full fine-tuning and LoRA of a causal model on one machine, small enough to be read.

An update is a pure function: the same parent, batch and hyperparameters give the same weights, bit for bit on a CPU.
"""

from __future__ import annotations

import json
import math
import os
import time
from pathlib import Path
from typing import Any, Optional, Sequence
from urllib.error import URLError
from urllib.request import urlopen

import numpy as np
import torch

from . import base as bases
from . import checkpoint
from .loss import MicroBatch, Row, micro_batches, policy_loss, sequence_means, token_logprobs
from .protocol import (
    BadBatch,
    Batch,
    Beat,
    Capabilities,
    Examples,
    MissingCheckpoint,
    NotFinite,
    Order,
    Place,
    PolicyNotServed,
    Rollouts,
    Served,
    UpdateResult,
    WrongBase,
)
from .state import State
from .tokenizer import load_tokenizer


def create(place: Place) -> ReferenceTrainer:
    return ReferenceTrainer(Path(place.policies), place.trainer_url)


class ReferenceTrainer:
    """The trainer `reference`. Policies are folders; the server beside it serves each under the folder's name."""

    def __init__(self, policies: Optional[Path] = None, server: Optional[str] = None) -> None:
        bases.settle_numbers()
        self.policies = policies or checkpoint.policies_folder()
        self.server = server or os.environ.get("EVOLVE_TRAINER_URL")
        self.device = bases.device_of_trainer()

    def capabilities(self) -> Capabilities:
        return Capabilities(reduction="sequence-mean", tuning=("full", "lora"))

    def find(self, order: Order) -> Optional[UpdateResult]:
        card = checkpoint.card_of(self.policies / order.policy)
        if card is None or card.get("updateId") != order.update_id:
            return None
        return UpdateResult.from_json(card["result"])

    def start(self, order: Order, beat: Beat) -> UpdateResult:
        found = self.find(order)
        if found is not None:
            return found
        began = time.monotonic()
        with beat.operation("load", {"base": order.base, "parent": order.parent_state, "seed": order.seed}):
            source = None
            if order.parent_state is not None:
                source = self._folder(order.parent_state)
                checkpoint.complete(source, f"policy {order.parent_state} to start from")
            elif not bases.is_bytes(order.base):
                source = Path(order.base).expanduser()
                bases.config_of(source)
            self._require_space(source, order)

        def fill(part: Path) -> dict[str, Any]:
            if source is None:
                model: Any = bases.make_bytes(order.base, order.seed, part)
                checkpoint.save_tensors(part / checkpoint.WEIGHTS, bases.weights_of(model))
            else:
                bases.copy_model_files(source, part, self.device)
                model = bases.load_model(source, torch.device("cpu"), training=self.device.type == "cpu")
                checkpoint.save_tensors(part / checkpoint.WEIGHTS, bases.weights_of(model))
            digest = State(part, order.hyper.lora, order.seed, self.device, fresh=True).save(part, keep_optimizer=True)
            if order.hyper.lora is not None:
                os.link(part / checkpoint.WEIGHTS, part / checkpoint.BASE)
            return self._card(order, UpdateResult(digest, order.policy, order.policy, seconds=time.monotonic() - began))

        with beat.operation("save", {"policy": order.policy}):
            return self._written(order, fill)

    def apply(self, order: Order, batch: Batch, beat: Beat) -> UpdateResult:
        found = self.find(order)
        if found is not None:
            return found
        began = time.monotonic()
        with beat.operation("load", {"parent": order.parent_state}):
            parent = self._parent(order)
            self._require_space(parent, order)
            # A policy gradient that follows has its own optimizer; what goes on with examples keeps it.
            supervised = order.hyper.supervised
            finished = isinstance(batch, Examples) and (supervised is None or supervised.total is None)
            state = State(parent, order.hyper.lora, order.seed, self.device, fresh=False)
        if isinstance(batch, Examples):
            with beat.operation("supervised", {"file": batch.file}):
                result = self._supervised(state, order, batch, beat)
        else:
            with beat.operation("gradient", {"file": batch.file}):
                result, probe = self._gradient(state, order, batch, beat)
            with beat.operation("step", {"optimizer": repr(order.hyper.optimizer)}):
                norm = state.optimizer.step(order.hyper.optimizer, order.hyper.optimizer.learning_rate)
                result["grad_norm"] = norm
                self._require_finite(state, probe, order, result)

        def fill(part: Path) -> dict[str, Any]:
            bases.copy_model_files(parent, part, self.device)
            if order.hyper.lora is not None:
                os.link(parent / checkpoint.BASE, part / checkpoint.BASE)
            digest = state.save(part, keep_optimizer=not finished)
            seconds = time.monotonic() - began
            return self._card(order, UpdateResult(digest, order.policy, order.policy, seconds=seconds, **result))

        with beat.operation("save", {"policy": order.policy}):
            return self._written(order, fill)

    def publish(self, order: Order, result: UpdateResult, beat: Beat) -> Served:
        """The server finds folders by itself, so this is only a check that it lists the policy."""
        if self.server is None:
            raise PolicyNotServed(
                "The address of the trainer's server was expected in EVOLVE_TRAINER_URL, which is not set. "
                "`npx evolve up --learn` starts the server and sets it."
            )
        with beat.operation("publish", {"policy": order.policy, "weights": result.weights_hash}):
            try:
                with urlopen(f"{self.server}/models", timeout=30) as answer:
                    names = [model["id"] for model in json.load(answer)["data"]]
            except (URLError, OSError, ValueError, KeyError) as error:
                # Not a TrainerError: the server may be starting again, and the activity is tried again.
                raise ConnectionError(f"The trainer's server at {self.server} does not answer: {error}") from error
        if order.policy not in names:
            raise PolicyNotServed(
                f"{self.server} was expected to serve {order.policy}, and it serves {len(names)} other policies. Is it "
                f"the server of another data directory? It must read {self.policies} (EVOLVE_POLICIES)."
            )
        return Served(base_url=None, model=order.policy)

    def _gradient(
        self, state: State, order: Order, batch: Rollouts, beat: Beat
    ) -> tuple[dict[str, Any], MicroBatch]:
        """Accumulates the gradient of a batch of rollouts, and answers its numbers and a part to try the weights on."""
        rows = [Row(rollout.prompt, rollout.response) for rollout in batch.rows]
        self._require_base(state, rows)
        hyper, probe = order.hyper, None
        done = used = tokens = responses = clipped = outside = 0
        loss_sum = gap_sum = 0.0
        for part in self._parts(state, rows, hyper.micro_batch_tokens):
            beat("gradient", done, len(rows))
            with self._precision():
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

    def _supervised(self, state: State, order: Order, batch: Examples, beat: Beat) -> dict[str, Any]:
        """Cross-entropy on the responses and the token that ends each; the learning rate is as `Supervised.rate` says.
        Examples are drawn in an order that the seed decides."""
        settings = order.hyper.supervised
        if settings is None:
            raise BadBatch("An order of kind supervised was expected to hold `supervised` in its hyperparameters.")
        tokenizer, context = load_tokenizer(state.folder), bases.context_of(state.folder)
        rows = [_example_row(tokenizer, context, example.messages, example.response) for example in batch.rows]
        self._require_base(state, rows)
        generator = torch.Generator().manual_seed(order.seed)
        queue: list[int] = []
        tokens, loss, norm = 0, 0.0, 0.0
        for step in range(settings.steps):
            beat("supervised", step, settings.steps)
            while len(queue) < settings.batch:
                queue += torch.randperm(len(rows), generator=generator).tolist()
            chosen, queue = [rows[place] for place in queue[: settings.batch]], queue[settings.batch :]
            targets = sum(len(row.response) for row in chosen)
            loss = 0.0
            for part in self._parts(state, chosen, order.hyper.micro_batch_tokens):
                with self._precision():
                    share = -token_logprobs(state.model, part).double().sum() / targets
                share.backward()
                loss += float(share.detach())
            if not math.isfinite(loss):
                raise NotFinite(self._refusal(order, settings.learning_rate, loss, norm, f"step {step + 1}"))
            norm = state.optimizer.step(order.hyper.optimizer, settings.rate(step))
            tokens += sum(row.tokens for row in chosen)
        if not state.finite():
            raise NotFinite(self._refusal(order, settings.learning_rate, loss, norm, "the last step"))
        return {"loss": loss, "grad_norm": norm, "used": len(rows), "tokens": tokens}

    def _require_finite(self, state: State, probe: MicroBatch, order: Order, numbers: dict[str, Any]) -> None:
        """The stepped weights must be finite and give finite log-probabilities, else nothing of them is written."""
        with torch.no_grad(), self._precision():
            tried = token_logprobs(state.model, probe, order.hyper.temperature)
        finite = [math.isfinite(numbers["loss"]), state.finite(), bool(torch.isfinite(tried).all())]
        if not all(finite):
            rate = order.hyper.optimizer.learning_rate
            raise NotFinite(self._refusal(order, rate, numbers["loss"], numbers["grad_norm"], "the step"))

    @staticmethod
    def _refusal(order: Order, rate: float, loss: float, norm: float, when: str) -> str:
        setting = "learning.warmup.learningRate" if order.kind == "supervised" else "learning.optimizer.learningRate"
        return (
            f"After {when}, weights or log-probabilities are not finite (loss {loss:g}, gradient norm {norm:g}, "
            f"learning rate {rate:g}). The update is refused and the policy {order.parent} stays. Lower {setting}."
        )

    def _parts(self, state: State, rows: Sequence[Row], limit: int) -> Any:
        # On a GPU the fused attention is quicker than a shared prompt, which it cannot take.
        share = state.model.shares_prompts and self.device.type == "cpu"
        return micro_batches(rows, limit, share, self.device)

    def _precision(self) -> Any:
        return torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.device.type == "cuda")

    def _require_base(self, state: State, rows: Sequence[Row]) -> None:
        vocabulary, context = bases.vocabulary_of(state.folder), bases.context_of(state.folder)
        greatest = max(int(max(row.prompt.max(), row.response.max())) for row in rows)
        longest = max(row.tokens for row in rows)
        if greatest >= vocabulary or longest > context:
            raise WrongBase(
                f"The batch has token id {greatest} and rows of up to {longest} tokens; the parent in {state.folder} "
                f"has {vocabulary} tokens in its vocabulary and a context of {context}. The batch was sampled from "
                "another model: check learning.base, and that the model's address (model.baseUrl) serves the policy."
            )

    def _folder(self, name: str) -> Path:
        return Path(name) if os.path.isabs(name) else self.policies / name

    def _parent(self, order: Order) -> Path:
        if order.parent_state is None:
            raise MissingCheckpoint(f"The update of {order.policy} was expected to name its parent, and names none.")
        folder = self._folder(order.parent_state)
        card = checkpoint.complete(folder, f"parent {order.parent_state}")
        lora = None if order.hyper.lora is None else [order.hyper.lora.rank, order.hyper.lora.alpha]
        if card["base"] != order.base or card["lora"] != lora:
            raise WrongBase(
                f"The parent {order.parent_state} was made from the base {card['base']} with LoRA {card['lora']}, and "
                f"the update was ordered for {order.base} with LoRA {lora}. learning.base and learning.lora stay as "
                "they are once a run has a policy; begin a new run with --policy to change them."
            )
        if checkpoint.weights_hash(checkpoint.load_tensors(folder / checkpoint.WEIGHTS)) != card["weightsHash"]:
            raise MissingCheckpoint(
                f"The weights in {folder} are not those that its policy.json names: the hash differs. Put the folder "
                "back from a copy, or rewind the run to a step before it."
            )
        return folder

    def _require_space(self, source: Optional[Path], order: Order) -> None:
        parameters = bases.parameters_of(order.base) if source is None else bases.parameters_in(source)
        moments = 0 if order.hyper.lora is not None else 8 if self.device.type == "cpu" else 12
        weights = 4 if self.device.type == "cpu" else 2
        checkpoint.require_space(self.policies, parameters * (weights + moments) + 2**26)

    def _card(self, order: Order, result: UpdateResult) -> dict[str, Any]:
        lora = order.hyper.lora
        return {
            "policy": order.policy,
            "updateId": order.update_id,
            "parent": order.parent,
            "base": order.base,
            "lora": None if lora is None else [lora.rank, lora.alpha],
            "weightsHash": result.weights_hash,
            "result": result.to_json(),
        }

    def _written(self, order: Order, fill: Any) -> UpdateResult:
        return UpdateResult.from_json(checkpoint.write_policy(self.policies, order.policy, fill)["result"])


def _example_row(tokenizer: Any, context: int, messages: Sequence[Any], response: str) -> Row:
    """A prompt as the server would cut it, and the response with its end, cut to the context."""
    prompt = tokenizer.chat([dict(message) for message in messages])
    if tokenizer.cuts_left:
        prompt = prompt[-(context // 2) :]
    answer = [*tokenizer.encode(response), tokenizer.end][: max(1, context - len(prompt))]
    return Row(np.array(prompt, dtype=np.int64), np.array(answer, dtype=np.int64))
