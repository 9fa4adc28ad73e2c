"""The contract of a trainer: the order that it gets, its result, and its errors.

An update is a pure function of (state of the parent with its optimizer, batch, hyperparameters). A trainer is one class
with the five methods of `Trainer`; `worker.py` does the rest (the queue, heartbeats, the store, exactly once).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from typing import Any, Literal, Protocol

import numpy as np

from .hyper import Adam, Hyper, Lora, Supervised, camel, values_in  # noqa: F401

Kind = Literal["start", "supervised", "policy"]


class TrainerError(Exception):
    """An error that trying again cannot mend. Its class's name is the error's type in the workflow.

    A message says what was expected, what came, and which setting to change.
    """


class BadBatch(TrainerError):
    """A batch that contradicts itself: lengths, numbers that are not finite, a hash that does not fit."""


class WrongBase(TrainerError):
    """The trainer, the parent or the token ids belong to another base model than the run's."""


class NoSpace(TrainerError):
    """There is no room for the weights. Checked before anything is computed."""


class NotFinite(TrainerError):
    """The loss, the gradient or the weights are not finite. The update is refused and the parent stays."""


class MissingCheckpoint(TrainerError):
    """The state to start from is not there, or half written, or not what its name says."""


class ConfigError(TrainerError):
    """A setting that this trainer cannot honour, or a package that is not installed."""


class PolicyNotServed(TrainerError):
    """The server of policies does not answer as this policy."""


class Stopped(Exception):
    """The activity was cancelled, or its worker is shutting down: nothing of the attempt counts."""


@dataclass(frozen=True)
class Order:
    """One update, as its document in `updates` has it."""

    run: str
    step: int
    update_id: str
    kind: Kind
    #: Name of the policy to be made, and of its folder.
    policy: str
    version: int
    trainer: str
    #: A folder, `bytes...`, or a model's name at the trainer.
    base: str
    seed: int
    hyper: Hyper
    #: The parent policy's id, and the trainer's own name for its training state. None for `start` from the base.
    parent: str | None = None
    parent_state: str | None = None
    #: SHA-256 of the Arrow bytes of the batch; None for `start`.
    batch_file: str | None = None
    #: Address of the trainer's API, and of the server of policies with its kind.
    server: str | None = None
    serve_url: str | None = None
    serve: str = "trainer"
    #: The result of this update that an earlier attempt stored.
    stored: UpdateResult | None = None

    @staticmethod
    def from_document(document: Mapping[str, Any]) -> Order:
        batch, result = document.get("batch"), document.get("result")
        read = {
            "hyper": Hyper.from_json(document.get("hyper") or {}),
            "batch_file": None if batch is None else batch["file"],
            "stored": None if result is None else UpdateResult.from_json(result),
        }
        return Order(**values_in(document, Order) | read)


@dataclass(frozen=True)
class Rollout:
    """One response. `prompt` int32 [P], `response` int32 [T], `logprobs` float32 [T]: the sampler's, in nats."""

    id: str
    group: str
    prompt: np.ndarray
    response: np.ndarray
    logprobs: np.ndarray
    reward: float
    advantage: float
    truncated: bool


@dataclass(frozen=True)
class Rollouts:
    """A batch of a policy gradient. `total` is N of the mean, with those that were left out."""

    rows: Sequence[Rollout]
    total: int
    file: str


@dataclass(frozen=True)
class Example:
    """One supervised example: the chat messages of a prompt, and the response to learn."""

    id: str
    messages: Sequence[Mapping[str, str]]
    response: str


@dataclass(frozen=True)
class Examples:
    rows: Sequence[Example]
    file: str


Batch = Rollouts | Examples


@dataclass(frozen=True)
class UpdateResult:
    """The result of an applied update. Every number is finite; logprobs are in nats."""

    weights_hash: str
    training_state: str
    sampler_state: str
    loss: float = 0.0
    grad_norm: float = 0.0
    clip_fraction: float = 0.0
    is_clip_fraction: float = 0.0
    mismatch: float = 0.0
    used: int = 0
    dropped: int = 0
    tokens: int = 0
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        return {camel(name): value for name, value in asdict(self).items()}

    @staticmethod
    def from_json(raw: Mapping[str, Any]) -> UpdateResult:
        return UpdateResult(**values_in(raw, UpdateResult))


@dataclass(frozen=True)
class Served:
    """The address of a policy: `base_url` None is the trainer's server of this data directory."""

    base_url: str | None
    model: str


@dataclass(frozen=True)
class Capabilities:
    """The orders that a trainer can honour; any other is refused before it begins."""

    tuning: Sequence[Literal["full", "lora"]]
    kinds: Sequence[Kind] = ("start", "supervised", "policy")


@dataclass(frozen=True)
class Place:
    """The surroundings of a trainer: each trainer's module has `create(place: Place) -> Trainer`."""

    #: Folder of policies, one folder a policy.
    policies: str
    #: Address of the reference trainer's server, `http://127.0.0.1:<port>/v1`; None where it is not up.
    trainer_url: str | None = None


class Beat(Protocol):
    """Reports the progress of a trainer. Both forms raise `Stopped` where the attempt was cancelled."""

    def __call__(self, what: str, done: int = 0, total: int = 0) -> None: ...

    def operation(self, name: str, payload: object = None) -> AbstractContextManager[None]:
        """Writes the operation and a hash of its payload into the store before the body runs, and its end after."""
        ...


class Quiet:
    """A `Beat` that tells nobody, for tests and for use without a worker."""

    def __call__(self, what: str, done: int = 0, total: int = 0) -> None:
        del what, done, total

    def operation(self, name: str, payload: object = None) -> AbstractContextManager[None]:
        del name, payload
        return nullcontext()


class Trainer(Protocol):
    """Applies updates. Each method may be called again for the same order, also by two attempts at once."""

    def capabilities(self) -> Capabilities: ...

    def find(self, order: Order) -> UpdateResult | None:
        """The result of this very update where its checkpoint is complete, else None."""
        ...

    def start(self, order: Order, beat: Beat) -> UpdateResult:
        """Makes version 0: the base model, or the policy that `parent_state` names."""
        ...

    def apply(self, order: Order, batch: Batch, beat: Beat) -> UpdateResult:
        """A fresh model, the parent's state with its optimizer, the batch, one complete checkpoint."""
        ...

    def publish(self, order: Order, result: UpdateResult, beat: Beat) -> Served:
        """Has the policy served under its name; `PolicyNotServed` where the server does not answer as it."""
        ...
