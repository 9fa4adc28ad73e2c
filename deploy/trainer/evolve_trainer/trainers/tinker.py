"""The trainer `tinker`: servers of Tinker's protocol (hosted Tinker, SkyRL, OpenRL, TuFT) through the official SDK.

ThetaEvolve's loss in the server's own words: a forward pass gives o, the importance weights w are computed here, and
`ppo` with logprobs = o and advantages = A w s is the clipped surrogate, because w >= 0 passes through its minimum. The
scale s undoes the server's reduction. Every attempt has a model of its own that loads the parent first, so that what an
earlier attempt left on the server counts for nothing, whatever the SDK retries by itself.
"""

from __future__ import annotations

import hashlib
import math
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from ..formulas import is_plausible, minibatches, row_loss, row_weights
from ..protocol import (
    Batch,
    Beat,
    Capabilities,
    ConfigError,
    Examples,
    Hyper,
    MissingCheckpoint,
    NotFinite,
    Order,
    Place,
    Quiet,
    Rollout,
    Rollouts,
    Served,
    UpdateResult,
    WrongBase,
)
from .tinker_wire import (
    check_optimizer,
    client_of,
    encode,
    key_of,
    labelled,
    logprobs_of,
    reduction_of,
    release,
    response_logprobs,
    rollout_datum,
    scale,
    wait,
)

#: Hosted Tinker serves checkpoints by OpenAI's protocol there.
HOSTED_ENDPOINT = "https://tinker.thinkingmachines.dev/services/tinker-prod/oai/api/v1"
#: Sequences whose logprobs under the new weights are its fingerprint.
FINGERPRINT_ROWS = 4


def create(place: Place) -> TinkerTrainer:
    del place
    try:
        import tinker
    except ImportError as error:
        raise ConfigError(
            "learning.trainer: tinker needs Tinker's SDK, which is not installed: "
            f"`{sys.executable} -m pip install tinker jinja2` (SkyRL 0.3.0 needs `tinker==0.24.1`)"
        ) from error
    return TinkerTrainer(tinker)


class TinkerTrainer:
    """`tinker` is the SDK's module: one session a call, so that a server that lost its models is no trouble."""

    def __init__(self, tinker: Any) -> None:
        self._tinker = tinker
        self._refused = (tinker.NotFoundError, tinker.BadRequestError, tinker.UnprocessableEntityError)

    def capabilities(self) -> Capabilities:
        return Capabilities(tuning=("lora",))

    def find(self, order: Order) -> UpdateResult | None:
        if order.stored is None:
            return None
        rest = self._service(order).create_rest_client()
        try:
            wait(rest.get_weights_info_by_tinker_path(order.stored.training_state))
        except self._refused:
            return None
        return order.stored

    def start(self, order: Order, beat: Beat) -> UpdateResult:
        began = time.monotonic()
        with self._fresh(order, beat) as client:
            return self._saved(order, client, [np.arange(1, 17, dtype=np.int32)], began, beat)

    def apply(self, order: Order, batch: Batch, beat: Beat) -> UpdateResult:
        began = time.monotonic()
        with self._fresh(order, beat) as client:
            if isinstance(batch, Examples):
                return self._supervised(order, client, batch, began, beat)
            return self._policy_gradient(order, client, batch, began, beat)

    def publish(self, order: Order, result: UpdateResult, beat: Beat) -> Served:
        if order.serve_url is not None or order.server is None:
            # The server of checkpoints needs no loading: the sampler's path is the model's name.
            with beat.operation("publish", {"policy": order.policy, "weights": result.weights_hash}):
                return Served(base_url=order.serve_url or HOSTED_ENDPOINT, model=result.sampler_state)
        raise ConfigError(
            "learning.serveUrl: expected the address of an OpenAI-compatible endpoint that serves the sampler "
            f"weights of {order.server}, got null; it must answer for the model {result.sampler_state}"
        )

    def logprobs(self, order: Order, result: UpdateResult, rows: Sequence[Rollout]) -> list[np.ndarray]:
        """The logprobs [T] in nats that the policy of `result` gives each rollout's response."""
        with self._fresh(replace(order, parent_state=result.training_state), Quiet()) as client:
            output = wait(client.forward([rollout_datum(self._tinker, row) for row in rows], "cross_entropy"))
        return response_logprobs(output, rows)

    def _service(self, order: Order) -> Any:
        key = key_of(order.server)
        if key is None and order.server is None:
            raise ConfigError(
                "learning.trainer: tinker without learning.server is hosted Tinker, which needs a key: start or resume "
                "the run with TINKER_API_KEY set"
            )
        # The SDK demands a key; servers of one's own ignore it.
        return self._tinker.ServiceClient(base_url=order.server, api_key=key or "tml-none")

    @contextmanager
    def _fresh(self, order: Order, beat: Beat) -> Iterator[Any]:
        """A model of this attempt alone, which the server may forget afterwards."""
        service = self._service(order)
        client = self._loaded(order, service, beat)
        try:
            yield client
        finally:
            release(self._tinker, service, client)

    def _loaded(self, order: Order, service: Any, beat: Beat) -> Any:
        """The parent's state with its optimizer, or the base with a new adapter."""
        lora = order.hyper.lora
        if lora is None:
            raise ConfigError("learning.lora: servers of Tinker's protocol train a LoRA, got null (full fine-tuning)")
        if order.parent_state is not None:
            with beat.operation("load parent", {"state": order.parent_state}):
                try:
                    return client_of(service.create_training_client_from_state_with_optimizer(order.parent_state), beat)
                except self._refused as error:
                    raise MissingCheckpoint(
                        f"expected the training state {order.parent_state} of the policy {order.parent} at "
                        f"{order.server or 'hosted Tinker'}, got: {error}. The server forgot it or another one made "
                        "it: see learning.server, or rewind the run (`evolve rewind`)"
                    ) from error
        with beat.operation("create model", {"base": order.base, "rank": lora.rank, "seed": order.seed}):
            try:
                return client_of(service.create_lora_training_client(order.base, rank=lora.rank, seed=order.seed), beat)
            except self._refused as error:
                raise WrongBase(
                    f"expected {order.server or 'hosted Tinker'} to train the base model {order.base}, got: {error}. "
                    "See learning.base and learning.server"
                ) from error

    def _policy_gradient(self, order: Order, client: Any, batch: Rollouts, began: float, beat: Beat) -> UpdateResult:
        hyper = order.hyper
        if hyper.temperature != 1.0:
            raise ConfigError(
                "model.temperature: servers of Tinker's protocol give logprobs at temperature 1, got "
                f"{hyper.temperature}; sample at 1, or train with learning.trainer: reference"
            )
        if not batch.rows:
            raise ConfigError(
                "learning.whenConstant: a step without a gradient cannot be sent; expected skip, got step"
            )
        with beat.operation("forward", {"batch": batch.file}):
            output = wait(
                client.forward([rollout_datum(self._tinker, row) for row in batch.rows], "cross_entropy"), beat
            )
        before = response_logprobs(output, batch.rows)
        reduction = reduction_of(output)
        check_optimizer(hyper, output)
        kept = [i for i, row in enumerate(batch.rows) if is_plausible(row, before[i], hyper)]
        if not kept:
            raise NotFinite(
                f"expected logprobs within {hyper.max_mismatch_nats} nats of the sampler's (learning.maxMismatch), got "
                f"none of {len(batch.rows)} rollouts: the server's weights are not those that sampled"
            )
        rows, before = [batch.rows[i] for i in kept], [before[i] for i in kept]
        weighted = [row_weights(row, o, hyper) for row, o in zip(rows, before, strict=True)]
        data = [
            rollout_datum(
                self._tinker,
                row,
                o,
                row.advantage * w.weights * scale(reduction, len(row.response), len(rows), batch.total),
            )
            for row, o, w in zip(rows, before, weighted, strict=True)
        ]
        # Thresholds are bounds of the ratio.
        clip = {"clip_low_threshold": 1.0 - hyper.clip_low, "clip_high_threshold": 1.0 + hyper.clip_high}
        with beat.operation("forward-backward", {"batch": batch.file, "loss": "ppo", **clip}):
            output = wait(client.forward_backward(data, "ppo", clip), beat)
        now = response_logprobs(output, rows)
        ratios = [np.exp(after - o) for after, o in zip(now, before, strict=True)]
        losses = [row_loss(row, r, w.weights, hyper) for row, r, w in zip(rows, ratios, weighted, strict=True)]
        loss = float(np.sum(losses) / batch.total)
        tokens = sum(len(row.response) for row in rows)
        grad_norm = self._step(client, hyper, hyper.optimizer.learning_rate, loss, 1, beat)
        every = np.concatenate(ratios)
        outside = (every < 1.0 - hyper.clip_low) | (every > 1.0 + hyper.clip_high)
        probe = [np.concatenate((row.prompt, row.response)) for row in rows[:FINGERPRINT_ROWS]]
        return self._saved(
            order,
            client,
            probe,
            began,
            beat,
            loss=loss,
            grad_norm=grad_norm,
            clip_fraction=float(outside.mean()),
            is_clip_fraction=sum(w.beyond for w in weighted) / tokens,
            mismatch=sum(w.mismatch_sum for w in weighted) / tokens,
            used=len(rows),
            dropped=len(batch.rows) - len(rows),
            tokens=sum(len(row.prompt) + len(row.response) for row in rows),
        )

    def _supervised(self, order: Order, client: Any, batch: Examples, began: float, beat: Beat) -> UpdateResult:
        """Cross-entropy, the mean over all tokens of a step's responses; over each response first where a server takes
        means of sequences. The optimizer goes on into what is trained next."""
        plan = order.hyper.supervised
        if plan is None:
            raise ConfigError("expected `supervised` in the hyperparameters of a supervised update")
        tokenizer = client.get_tokenizer()
        encoded = [encode(tokenizer, example.messages, example.response) for example in batch.rows]
        loss, grad_norm, tokens = 0.0, 0.0, 0
        for step, chosen in enumerate(minibatches(len(encoded), plan.steps, plan.batch, order.seed)):
            beat("supervised steps", step, plan.steps)
            rows = [encoded[i] for i in chosen]
            targets = sum(len(response) for _, response in rows)
            data = [labelled(self._tinker, *row, 1.0 / targets) for row in rows]
            with beat.operation("forward-backward", {"batch": batch.file, "step": step}):
                output = wait(client.forward_backward(data, "cross_entropy"), beat)
            logprobs = [out[len(p) - 1 :] for out, (p, _) in zip(logprobs_of(output), rows, strict=True)]
            loss = -float(np.concatenate(logprobs).mean())
            check_optimizer(order.hyper, output)
            grad_norm = self._step(client, order.hyper, plan.rate(step), loss, step + 1, beat)
            tokens += sum(len(p) + len(r) for p, r in rows)
        probe = [np.concatenate(row) for row in encoded[:FINGERPRINT_ROWS]]
        return self._saved(
            order, client, probe, began, beat, loss=loss, grad_norm=grad_norm, used=len(encoded), tokens=tokens
        )

    def _step(self, client: Any, hyper: Hyper, rate: float, loss: float, step: int, beat: Beat) -> float:
        adam = hyper.optimizer
        if not math.isfinite(loss):
            raise NotFinite(f"expected a finite loss, got {loss}; see learning.optimizer.learningRate ({rate})")
        params = self._tinker.types.AdamParams(
            learning_rate=rate,
            beta1=adam.beta1,
            beta2=adam.beta2,
            eps=adam.eps,
            weight_decay=adam.weight_decay,
            grad_clip_norm=adam.grad_norm,
        )
        with beat.operation("optimizer step", {"step": step, **params.model_dump()}):
            metrics = wait(client.optim_step(params), beat).metrics or {}
        norm = next((float(value) for name, value in metrics.items() if name.endswith("grad_norm")), 0.0)
        if not math.isfinite(norm):
            raise NotFinite(f"expected a finite gradient, got the norm {norm} at the loss {loss}")
        return norm

    def _saved(
        self, order: Order, client: Any, probe: Sequence[np.ndarray], began: float, beat: Beat, **numbers: Any
    ) -> UpdateResult:
        """Refuses weights that are not finite, then saves both states under the update's name."""
        data = [labelled(self._tinker, ids[:1], ids[1:], 1.0) for ids in probe]
        with beat.operation("check weights", {"sequences": len(data)}):
            logprobs = np.concatenate(logprobs_of(wait(client.forward(data, "cross_entropy"), beat)))
        if not np.isfinite(logprobs).all():
            raise NotFinite(
                "expected finite logprobs from the new weights, got "
                f"{logprobs[~np.isfinite(logprobs)][0]}: the update is refused and the policy stays; lower "
                f"learning.optimizer.learningRate ({order.hyper.optimizer.learning_rate})"
            )
        name = f"u{order.version:04d}-{order.update_id[:12]}"
        with beat.operation("save", {"name": name}):
            training = wait(client.save_state(name), beat).path
        with beat.operation("save for sampler", {"name": name}):
            sampler = wait(client.save_weights_for_sampler(name), beat).path
        return UpdateResult(
            # The weights themselves stay at the server. Their fingerprint is what they say of known tokens.
            weights_hash=hashlib.sha256(logprobs.astype("<f4").tobytes()).hexdigest(),
            training_state=training,
            sampler_state=sampler,
            seconds=time.monotonic() - began,
            **numbers,
        )
