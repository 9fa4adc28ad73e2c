"""Policies in servers that other people wrote: vLLM takes LoRA adapters by name, SGLang takes whole weights.

A policy is published when a real answer came from it. Both servers read the policy's folder themselves, so it must lie
on a disk that they see under the same path (EVOLVE_POLICIES). Their routes that change weights are for administrators:
keep them away from everybody else.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from .protocol import Beat, ConfigError, MissingCheckpoint, Order, Place, PolicyNotServed, Served, UpdateResult

#: Loading the weights of a large model from a slow disk.
LOAD_SECONDS = 1_800
#: An answer to one token is small. What is longer is not read, because it may come without end.
MOST_BYTES = 2**20
#: Characters of an answer that an error repeats.
SHOWN = 500
#: Characters of an error that reach the workflow engine, which takes 2 MB with everything else.
MOST_TOLD = 4_000


def kept_key(address: str) -> str | None:
    """The key that keys.json of the data directory has for an address. It is read anew for each request."""
    kept = _kept()
    return kept.get(address) or kept.get(address.rstrip("/"))


def without_keys(text: str) -> str:
    """An error's text as it may leave this process: short enough for the workflow engine, and without any key."""
    text = keyless(text)
    return text if len(text) <= MOST_TOLD else f"{text[:MOST_TOLD]} ..."


def keyless(text: str) -> str:
    for key in sorted({*_kept().values(), os.environ.get("TINKER_API_KEY", "")}, key=len, reverse=True):
        if key:
            text = text.replace(key, "[key]")
    return text


def _kept() -> dict[str, str]:
    try:
        kept = json.loads((Path(os.environ.get("EVOLVE_HOME", ".")) / "keys.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return {name: key for name, key in kept.items() if isinstance(key, str)} if isinstance(kept, dict) else {}


def publish(order: Order, result: UpdateResult, place: Place, beat: Beat) -> Served:
    """Has vLLM or SGLang serve the policy's folder, and sees it answer. Whoever comes second finds it there."""
    if order.serve_url is None:
        raise ConfigError(
            f"learning.serveUrl: expected the address of {order.serve}, such as http://host:8000/v1, got null"
        )
    folder = Path(place.policies) / result.sampler_state
    if not (folder / "policy.json").is_file():
        raise MissingCheckpoint(
            f"expected the policy's folder {folder} for {order.serve}, got none: only trainers that write folders "
            "(reference, trl) can hand policies to it; see learning.trainer and learning.serve"
        )
    with beat.operation("publish", {"policy": order.policy, "weights": result.weights_hash, "server": order.serve_url}):
        if order.serve == "vllm":
            _load_adapter(order, folder)
        else:
            _load_weights(order, folder)
    return Served(base_url=order.serve_url, model=order.policy)


def _load_adapter(order: Order, folder: Path) -> None:
    adapter = folder / "adapter"
    if not adapter.is_dir():
        raise ConfigError(
            "learning.serve: vllm serves a version under a name of its own as a LoRA only; expected learning.lora, got "
            "null (full fine-tuning). Use sglang or trainer to serve whole weights"
        )
    name = {"lora_name": order.policy, "lora_path": str(adapter)}
    status, answer = _post(order, "load_lora_adapter", name)
    if status == 404:
        raise ConfigError(
            f"learning.serveUrl: {order.serve_url} has no route load_lora_adapter; start vLLM with "
            "VLLM_ALLOW_RUNTIME_LORA_UPDATING=True and --enable-lora"
        )
    # A name is never loaded anew, because it stands for one version: that it is there already is what was wanted.
    if status >= 300 and "already" not in str(answer):
        raise PolicyNotServed(f"expected vLLM at {order.serve_url} to load {adapter}, got {status}: {_shown(answer)}")
    _require_answer(order, version=None)


def _load_weights(order: Order, folder: Path) -> None:
    weights = {"model_path": str(folder), "weight_version": order.policy, "flush_cache": True}
    status, answer = _post(order, "../update_weights_from_disk", weights)
    if status >= 300 or (isinstance(answer, dict) and answer.get("success") is False):
        raise PolicyNotServed(f"expected SGLang at {order.serve_url} to load {folder}, got {status}: {_shown(answer)}")
    _require_answer(order, version=order.policy)


def _require_answer(order: Order, version: str | None) -> None:
    """One real answer, so that a version is announced only when it answers; SGLang also says which weights it has."""
    asked = {"model": order.policy, "prompt": "1", "max_tokens": 1}
    status, answer = _post(order, "completions", asked)
    if status >= 300 or not isinstance(answer, dict) or not answer.get("choices"):
        came = f"{status}: {_shown(answer)}"
        raise PolicyNotServed(f"expected an answer of {order.policy} from {order.serve_url}, got {came}")
    if version is None:
        if answer.get("model") != order.policy:
            raise PolicyNotServed(
                f"expected {order.serve_url} to answer as {order.policy}, got an answer of "
                f"{_shown(answer.get('model'))}"
            )
        return
    metadata = answer.get("metadata")
    came = metadata.get("weight_version") if isinstance(metadata, dict) else None
    if came != version:
        raise PolicyNotServed(
            f"expected {order.serve_url} to answer with the weights {version}, got {_shown(came)}: another run has "
            "loaded its own into the same server, or the server does not say its `weight_version`; give each run an SGLang"
        )


def _post(order: Order, route: str, body: dict[str, Any]) -> tuple[int, Any]:
    """Status and answer. A server that is away is a ConnectionError, after which the activity is tried again."""
    base = (order.serve_url or "").rstrip("/")
    # SGLang has its own routes beside /v1, not below it.
    url = f"{base.removesuffix('/v1')}{route[2:]}" if route.startswith("../") else f"{base}/{route}"
    headers = {"content-type": "application/json"}
    key = kept_key(order.serve_url or "")
    if key is not None:
        headers["authorization"] = f"Bearer {key}"
    try:
        with _OPENER.open(Request(url, json.dumps(body).encode(), headers), timeout=LOAD_SECONDS) as response:
            return response.status, _parsed(response, key)
    except HTTPError as error:
        if error.code >= 500:
            raise ConnectionError(f"{url} answered {error.code}: {_shown(_parsed(error, key))}") from error
        return error.code, _parsed(error, key)


class _NoRedirect(HTTPRedirectHandler):
    """A server that sends us elsewhere is not followed, because the key would go there, too."""

    def redirect_request(self, *arguments: Any) -> None:
        del arguments


_OPENER = build_opener(_NoRedirect)


def _parsed(response: Any, key: str | None) -> Any:
    """The answer without the key, which some servers repeat in their errors; of a longer one its beginning as text."""
    data = response.read(MOST_BYTES)
    text = data.decode("utf-8", errors="replace")
    text = text if key is None else text.replace(key, "[key]")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text[:SHOWN]


def _shown(answer: Any) -> str:
    """An answer of a server, short enough for an error that goes through the workflow engine."""
    return repr(answer)[:SHOWN]
