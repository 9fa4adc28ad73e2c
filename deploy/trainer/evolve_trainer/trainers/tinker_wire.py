"""The differences between servers of Tinker's protocol, and the reading of their answers."""

from __future__ import annotations

import concurrent.futures
import os
import sys
import time
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from ..protocol import Beat, ConfigError, Hyper, Rollout
from ..serving import kept_key

Reduction = Literal["sum", "sequence-mean"]
POLL_SECONDS = 2.0


def key_of(server: str | None) -> str | None:
    """The key for a server, or for hosted Tinker (None): of the environment, else the one kept in keys.json."""
    if key := os.environ.get("TINKER_API_KEY"):
        return key
    return kept_key(server or "tinker")


def scale(reduction: Reduction, tokens: int, sent: int, total: int) -> float:
    """s of one rollout with `tokens` response tokens, so that the server's reduction becomes (1/total) sum of means."""
    return 1.0 / (tokens * total) if reduction == "sum" else sent / total


def reduction_of(output: Any) -> Reduction:
    """The server's sum of losses: SkyRL's JAX back end gives `elementwise_loss` and no metrics, and takes means."""
    forced = os.environ.get("EVOLVE_TINKER_REDUCTION")
    if forced in ("sum", "sequence-mean"):
        return "sum" if forced == "sum" else "sequence-mean"
    return "sequence-mean" if is_skyrl_jax(output) else "sum"


def is_skyrl_jax(output: Any) -> bool:
    return "elementwise_loss" in output.loss_fn_outputs[0] and not output.metrics


def check_optimizer(hyper: Hyper, output: Any) -> None:
    if is_skyrl_jax(output) and hyper.optimizer.grad_norm:
        raise ConfigError(
            "learning.optimizer.gradNorm: SkyRL's JAX back end does not bound the gradient and does not say so; "
            f"expected null, got {hyper.optimizer.grad_norm}"
        )


def logprobs_of(output: Any) -> list[np.ndarray]:
    return [np.asarray(out["logprobs"].to_numpy(), dtype=np.float64) for out in output.loss_fn_outputs]


def response_logprobs(output: Any, rows: Sequence[Rollout]) -> list[np.ndarray]:
    """The logprobs of each row's response [T], double."""
    return [out[len(row.prompt) - 1 :] for out, row in zip(logprobs_of(output), rows, strict=True)]


def encode(tokenizer: Any, messages: Sequence[Any], response: str) -> tuple[np.ndarray, np.ndarray]:
    """Token ids of a chat's prompt, and of the response with its end, by the base model's own tokenizer."""
    try:
        prompt = tokenizer.apply_chat_template(list(messages), add_generation_prompt=True, tokenize=False)
    except ImportError as error:
        raise ConfigError(
            f"learning.warmup: {error} Install it with `{sys.executable} -m pip install jinja2`"
        ) from error
    ids = tokenizer.encode(prompt, add_special_tokens=False)
    answer = [*tokenizer.encode(response, add_special_tokens=False), tokenizer.eos_token_id]
    return np.array(ids, dtype=np.int32), np.array(answer, dtype=np.int32)


def client_of(future: Any, beat: Beat) -> Any:
    """Clients were returned at once up to SDK 0.24 and are futures since."""
    return wait(future, beat) if hasattr(future, "result") else future


def wait(future: Any, beat: Beat | None = None) -> Any:
    """The future's result; `beat` is asked now and then whether the attempt goes on."""
    while True:
        asked = time.monotonic()
        try:
            return future.result(timeout=POLL_SECONDS) if beat is not None else future.result()
        except (TimeoutError, concurrent.futures.TimeoutError):
            # One that comes at once is the request's own failure.
            if beat is None or time.monotonic() - asked < POLL_SECONDS / 2:
                raise
            beat("waiting for the server")


def release(tinker: Any, service: Any, client: Any) -> None:
    """Lets the server forget a model; one that is not let go costs memory there until its session ends."""
    try:
        if hasattr(service, "close"):
            service.close("success").result(timeout=POLL_SECONDS)
            return
        # Up to SDK 0.24 there is only the request.
        from tinker.lib.client_connection_pool_type import ClientConnectionPoolType as Pool

        async def unload() -> None:
            with client.holder.aclient(Pool.TRAIN) as requests:
                await requests.models.unload(request=tinker.types.UnloadModelRequest(model_id=client.model_id))

        client.holder.run_coroutine_threadsafe(unload()).result(timeout=10.0)
    except Exception as error:
        print(f"the server keeps a model that nobody needs: {error}", flush=True)


def rollout_datum(tinker: Any, row: Rollout, before: Any = None, advantages: Any = None) -> Any:
    """One rollout, with o [T] and the weighted advantages [T] of its response where there is a gradient to take."""
    datum = labelled(tinker, row.prompt, row.response, 1.0)
    if before is None or advantages is None:
        return datum
    head = np.zeros(len(row.prompt) - 1, dtype=np.float32)
    of_tokens = {"logprobs": np.concatenate((head, before)), "advantages": np.concatenate((head, advantages))}
    more = {name: tinker.types.TensorData.from_numpy(value.astype(np.float32)) for name, value in of_tokens.items()}
    return tinker.types.Datum(model_input=datum.model_input, loss_fn_inputs={**datum.loss_fn_inputs, **more})


def labelled(tinker: Any, prompt: np.ndarray, response: np.ndarray, weight: float) -> Any:
    """A sequence, shifted as the protocol wants it: inputs x[0..L-2], targets x[1..L-1]; the prompt weighs 0."""
    ids = np.concatenate((prompt, response)).astype(np.int64)
    weights = np.zeros(len(ids) - 1, dtype=np.float32)
    weights[len(prompt) - 1 :] = weight
    of_tokens = {"target_tokens": ids[1:], "weights": weights}
    return tinker.types.Datum(
        model_input=tinker.types.ModelInput.from_ints([int(i) for i in ids[:-1]]),
        loss_fn_inputs={name: tinker.types.TensorData.from_numpy(value) for name, value in of_tokens.items()},
    )
