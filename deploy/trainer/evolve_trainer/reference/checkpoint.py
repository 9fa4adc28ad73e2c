"""Folders of policies: complete or not there, never changed, and told apart by a hash of their weights.

A folder is made under another name and renamed when its last file, policy.json, is written. Whoever comes second with
the same policy finds it there, and the hashes must agree.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from ..protocol import BadBatch, MissingCheckpoint, NoSpace, TrainerError

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
WEIGHTS, CARD = "model.safetensors", "policy.json"
# Files that only training on needs have a folder of their own: vLLM loads every file of tensors beside config.json.
OPTIMIZER, BASE = "training/optimizer.safetensors", "training/base.safetensors"
#: No checkpoint takes as long to be written.
LONGEST_SAVE_SECONDS = 24 * 3600


def policies_folder() -> Path:
    """The folder of policies: EVOLVE_POLICIES, else `policies` in the data directory EVOLVE_HOME."""
    named = os.environ.get("EVOLVE_POLICIES")
    return Path(named) if named else Path(os.environ.get("EVOLVE_HOME", ".")) / "policies"


def card_of(folder: Path) -> dict[str, Any] | None:
    """The content of policy.json of a complete folder; None where the folder is missing or not whole."""
    try:
        card = json.loads((folder / CARD).read_text(encoding="utf-8"))
        named = all(isinstance(card[name], str) for name in ("policy", "updateId", "weightsHash", "base"))
        whole = all((folder / name).stat().st_size == size for name, size in card["files"].items())
        return card if named and whole and WEIGHTS in card["files"] and isinstance(card["result"], dict) else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def complete(folder: Path, what: str) -> dict[str, Any]:
    """The card of a folder that must be there and whole."""
    card = card_of(folder)
    if card is not None:
        return card
    came = "it is half written or damaged" if folder.is_dir() else "there is no such folder"
    raise MissingCheckpoint(
        f"The {what} was expected as a complete checkpoint in {folder}, but {came}. Put the folder back from a copy, "
        "or rewind the run to a step before it (`evolve policies` lists the versions)."
    )


def unchanged(folder: Path, card: Mapping[str, Any]) -> None:
    """Fails where the weights of a folder are not those that its card names."""
    try:
        came = weights_hash(load_tensors(folder / WEIGHTS))
    except Exception as error:  # safetensors has error types of its own
        came = f"a file that cannot be read ({error})"
    if came != card["weightsHash"]:
        raise MissingCheckpoint(
            f"The weights in {folder} are not those that its policy.json names: expected the hash "
            f"{card['weightsHash']}, got {came}. Put the folder back from a copy, or rewind the run to a step before it."
        )


def policy_names(policies: Path) -> list[str]:
    """Names of the complete policies, in alphabetical order."""
    if not policies.is_dir():
        return []
    names = (entry.name for entry in policies.iterdir() if NAME.fullmatch(entry.name))
    return sorted(name for name in names if not name.endswith(".part") and card_of(policies / name) is not None)


def load_tensors(path: Path) -> dict[str, Tensor]:
    """All tensors of a safetensors file, or of the files that its index names."""
    index = path.with_name(path.name + ".index.json")
    if not path.is_file() and index.is_file():
        names = sorted(set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()))
        parts = [load_file(str(path.with_name(name))) for name in names]
        return {name: tensor for part in parts for name, tensor in part.items()}
    return load_file(str(path))


def save_tensors(path: Path, tensors: Mapping[str, Tensor]) -> None:
    # Every tensor is copied: safetensors refuses tensors that share memory, and a view would bring all of its storage.
    own = {name: value.detach().cpu().contiguous().clone() for name, value in tensors.items()}
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    save_file(own, str(path), {"format": "pt"})


def weights_hash(tensors: Mapping[str, Tensor]) -> str:
    """SHA-256 over name, type, shape and bytes of each tensor, in the order of the names."""
    digest = hashlib.sha256()
    for name in sorted(tensors):
        tensor = tensors[name].detach().cpu().contiguous()
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        digest.update(tensor.view(-1).view(torch.uint8).numpy())
    return digest.hexdigest()


def require_space(policies: Path, needed_bytes: int) -> None:
    """Fails before anything is computed where the disk has no room for a checkpoint of this size."""
    policies.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(policies).free
    if free < needed_bytes:
        raise NoSpace(
            f"A policy needs {needed_bytes / 1e9:.2f} GB in {policies}, and {free / 1e9:.2f} GB are free there. Make "
            "room, keep fewer policies (learning.keep), or move the data directory to a larger disk (EVOLVE_HOME)."
        )


def write_policy(policies: Path, name: str, fill: Callable[[Path], dict[str, Any]]) -> dict[str, Any]:
    """Makes the folder of a policy. `fill` writes its files into an empty folder and answers the card, the last file.

    The card must hold `weightsHash`. The answer is the card of whichever attempt came first.
    """
    if NAME.fullmatch(name) is None:
        raise BadBatch(f"The name of a policy was expected, which is the name of its folder, got {name!r:.200}.")
    policies.mkdir(parents=True, exist_ok=True)
    _sweep(policies, name)
    part = policies / f"{name}.{os.getpid()}-{uuid.uuid4().hex[:8]}.part"
    part.mkdir()
    try:
        card = fill(part)
        card["files"] = {
            path.relative_to(part).as_posix(): path.stat().st_size for path in sorted(part.rglob("*")) if path.is_file()
        }
        (part / CARD).write_text(json.dumps(card, indent=2, allow_nan=False) + "\n", encoding="utf-8")
        for path in part.rglob("*"):
            _sync(path)
        _sync(part)
        return _install(policies, name, part, card)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _install(policies: Path, name: str, part: Path, card: dict[str, Any]) -> dict[str, Any]:
    target = policies / name
    if target.is_dir() and card_of(target) is None:
        target.rename(policies / f"{name}.{uuid.uuid4().hex[:8]}.broken")
    try:
        part.rename(target)
        _sync(policies)
        return card
    except OSError:
        first = card_of(target)
        if first is None:
            raise
    if first["weightsHash"] != card["weightsHash"]:
        raise TrainerError(
            f"Two attempts at the update of {name} gave different weights: {first['weightsHash']} and "
            f"{card['weightsHash']}. The first one stays. The same update must give the same weights; was the version "
            "of PyTorch, the device or the number of threads (OMP_NUM_THREADS) changed between them?"
        )
    return first


def _sweep(policies: Path, name: str) -> None:
    """Removes what killed attempts left: at this policy if their process is gone, and at any policy after a day.

    A run that goes back, or whose settings change, may never make the policy again that an attempt was killed at. The
    number of a process says little for others: it may be in use again, or be that of a process on another machine.
    """
    for left in policies.glob("*.part"):
        try:
            lain = time.time() - left.stat().st_mtime
            if lain < LONGEST_SAVE_SECONDS:
                if not left.name.startswith(f"{name}."):
                    continue
                os.kill(int(left.name[len(name) + 1 :].split("-")[0]), 0)
                continue
        except ProcessLookupError:
            pass
        except (ValueError, OSError):
            continue
        shutil.rmtree(left, ignore_errors=True)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
