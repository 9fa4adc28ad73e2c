"""The reference trainer: full fine-tuning and LoRA of a causal model on one machine, small enough to be read.

An update is a pure function: the same parent, batch and hyperparameters give the same weights, bit for bit on a CPU.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

import torch

from . import base as bases
from . import checkpoint
from .gradient import policy_gradient, require_finite, supervised_steps
from ..protocol import (
    Batch,
    Beat,
    Capabilities,
    Examples,
    MissingCheckpoint,
    Order,
    Place,
    PolicyNotServed,
    Served,
    UpdateResult,
    WrongBase,
)
from .state import State


def create(place: Place) -> ReferenceTrainer:
    return ReferenceTrainer(Path(place.policies), place.trainer_url)


class ReferenceTrainer:
    """The trainer `reference`. Policies are folders; the server beside it serves each under the folder's name."""

    #: The gradient of a batch; a trainer that differs in nothing else has its own.
    gradient = staticmethod(policy_gradient)

    def __init__(self, policies: Path | None = None, server: str | None = None) -> None:
        bases.settle_numbers()
        self.policies = policies or checkpoint.policies_folder()
        self.server = server or os.environ.get("EVOLVE_TRAINER_URL")
        self.device = bases.device_of_trainer()

    def capabilities(self) -> Capabilities:
        return Capabilities(tuning=("full", "lora"))

    def find(self, order: Order) -> UpdateResult | None:
        card = checkpoint.card_of(self.policies / order.policy)
        if card is None or card.get("updateId") != order.update_id:
            return None
        return UpdateResult.from_json(card["result"])

    def start(self, order: Order, beat: Beat) -> UpdateResult:
        began = time.monotonic()
        with beat.operation("load", {"base": order.base, "parent": order.parent_state, "seed": order.seed}):
            source = None
            if order.parent_state is not None:
                source = self._folder(order.parent_state)
                card = checkpoint.complete(source, f"policy {order.parent_state} to start from")
                checkpoint.unchanged(source, card)
            elif not bases.is_bytes(order.base):
                source = Path(order.base).expanduser()
                bases.config_of(source)
            self._require_space(source, order)

        def fill(part: Path) -> dict[str, Any]:
            if source is None:
                model: Any = bases.make_bytes(order.base, order.seed, part)
            else:
                bases.copy_model_files(source, part, self.device)
                model = bases.load_model(source, torch.device("cpu"), training=self.device.type == "cpu")
            checkpoint.save_tensors(part / checkpoint.WEIGHTS, bases.weights_of(model))
            digest = State(part, order.hyper.lora, order.seed, self.device, fresh=True).save(part, keep_optimizer=True)
            if order.hyper.lora is not None:
                _link(part / checkpoint.WEIGHTS, part / checkpoint.BASE)
            return self._card(order, UpdateResult(digest, order.policy, order.policy, seconds=time.monotonic() - began))

        with beat.operation("save", {"policy": order.policy}):
            return self._written(order, fill)

    def apply(self, order: Order, batch: Batch, beat: Beat) -> UpdateResult:
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
                result = supervised_steps(state, order, batch, beat)
        else:
            with beat.operation("gradient", {"file": batch.file}):
                result, probe = self.gradient(state, order, batch, beat)
            with beat.operation("step", {"optimizer": repr(order.hyper.optimizer)}):
                norm = state.optimizer.step(order.hyper.optimizer, order.hyper.optimizer.learning_rate)
                result["grad_norm"] = norm
                require_finite(state, probe, order, result)

        def fill(part: Path) -> dict[str, Any]:
            bases.copy_model_files(parent, part, self.device)
            if order.hyper.lora is not None:
                _link(parent / checkpoint.BASE, part / checkpoint.BASE)
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
                # The server is on this machine: a proxy, which trainers elsewhere may need, does not reach it.
                with build_opener(ProxyHandler({})).open(f"{self.server}/models", timeout=30) as answer:
                    names = [model["id"] for model in json.load(answer)["data"]]
            except (URLError, OSError, ValueError, KeyError, TypeError) as error:
                # Not a TrainerError: the server may be starting again, and the activity is tried again.
                raise ConnectionError(f"The trainer's server at {self.server} does not answer: {error}") from error
        if order.policy not in names:
            raise PolicyNotServed(
                f"{self.server} was expected to serve {order.policy}, and it serves {len(names)} other policies. Is it "
                f"the server of another data directory? It must read {self.policies} (EVOLVE_POLICIES)."
            )
        return Served(base_url=None, model=order.policy)

    def _folder(self, name: str) -> Path:
        """The folder of a policy. Any other path, which a document of somebody else may name, is none."""
        if checkpoint.NAME.fullmatch(name) is None:
            raise MissingCheckpoint(f"The name of a policy in {self.policies} was expected, got {name!r:.200}.")
        return self.policies / name

    def _parent(self, order: Order) -> Path:
        if order.parent_state is None:
            raise MissingCheckpoint(f"The update of {order.policy} was expected to name its parent, and names none.")
        folder = self._folder(order.parent_state)
        card = checkpoint.complete(folder, f"parent {order.parent_state}")
        lora = None if order.hyper.lora is None else [order.hyper.lora.rank, order.hyper.lora.alpha]
        if card["base"] != order.base or card.get("lora") != lora:
            raise WrongBase(
                f"The parent {order.parent_state} was made from the base {card['base']} with LoRA {card.get('lora')}, and "
                f"the update was ordered for {order.base} with LoRA {lora}. learning.base and learning.lora stay as "
                "they are once a run has a policy; begin a new run with --policy to change them."
            )
        checkpoint.unchanged(folder, card)
        return folder

    def _require_space(self, source: Path | None, order: Order) -> None:
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


def _link(source: Path, target: Path) -> None:
    """Files of policies never change, so that two policies can have one; where links are not possible, it is copied."""
    target.parent.mkdir(exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
