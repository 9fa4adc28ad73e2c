"""Base models, and how they load: a byte-level one made on the spot from a seed, or a folder as Hugging Face has it."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from .checkpoint import WEIGHTS, load_tensors
from .model import Llama
from ..protocol import ConfigError, MissingCheckpoint
from .shape import Shape, whole
from .tokenizer import BEGIN, END, VOCABULARY, ByteTokenizer

MOST_HEADER_BYTES = 100 * 2**20  # of a safetensors file, as the format has it
# Sizes of the base `bytes`; each may be given, as in `bytes:layers=4,width=256,context=2048`.
SIZES = {"layers": 2, "width": 64, "heads": 4, "inner": 192, "context": 256}


def device_of_trainer() -> torch.device:
    """EVOLVE_TRAINER_DEVICE, else a GPU where there is one."""
    named = os.environ.get("EVOLVE_TRAINER_DEVICE")
    has_gpu = torch.cuda.is_available()
    if named and named != "cpu" and not (has_gpu and re.fullmatch(r"cuda(:\d+)?", named)):
        came = "has a GPU" if has_gpu else "has no GPU"
        raise ConfigError(
            f"EVOLVE_TRAINER_DEVICE is {named!r}; expected cpu, cuda or cuda:<number>. "
            f"PyTorch {torch.__version__} {came}."
        )
    return torch.device(named or ("cuda" if has_gpu else "cpu"))


def settle_numbers() -> None:
    """The same computation gives the same bits: one thread unless OMP_NUM_THREADS says more, deterministic kernels."""
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS") or 1))
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True, warn_only=True)


def byte_shape(base: str) -> Shape:
    """The sizes that a base like `bytes:layers=4` names."""
    sizes = dict(SIZES)
    for part in base.partition(":")[2].split(",") if ":" in base else []:
        name, _, value = part.partition("=")
        if name not in sizes or not value.isdigit() or int(value) < 1:
            raise ConfigError(
                f"learning.base is {base!r}, where {part!r} was read. Expected: `bytes`, or `bytes:` with any of "
                f"{', '.join(f'{key}={number}' for key, number in SIZES.items())}, separated by commas."
            )
        sizes[name] = int(value)
    head_width, rest = divmod(sizes["width"], sizes["heads"])
    if rest or head_width % 2:
        raise ConfigError(
            f"learning.base is {base!r}: the width {sizes['width']} must be an even multiple of the heads, of which "
            f"there are {sizes['heads']}."
        )
    return Shape(
        vocabulary=VOCABULARY,
        width=sizes["width"],
        layers=sizes["layers"],
        heads=sizes["heads"],
        kv_heads=sizes["heads"],
        head_width=head_width,
        inner=sizes["inner"],
        context=sizes["context"],
    )


def is_bytes(base: str) -> bool:
    return base == "bytes" or base.startswith("bytes:")


def make_bytes(base: str, seed: int, folder: Path) -> Llama:
    """A byte-level model with random weights, and its files but the weights, in `folder`."""
    shape = byte_shape(base)
    model = Llama(shape)
    model.initialise(seed)
    config = json.dumps(shape.config("float32", BEGIN, END), indent=2)
    (folder / "config.json").write_text(config + "\n", encoding="utf-8")
    ends = {"bos_token_id": BEGIN, "eos_token_id": END}
    (folder / "generation_config.json").write_text(json.dumps(ends, indent=2) + "\n", encoding="utf-8")
    ByteTokenizer().save(folder, shape.context)
    return model


def config_of(folder: Path) -> dict[str, Any]:
    """config.json of a model's folder."""
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        if not isinstance(config, dict):
            raise ValueError(f"config.json holds {type(config).__name__}, and an object was expected")
        return config
    except (OSError, ValueError, RecursionError) as error:
        raise MissingCheckpoint(
            f"A folder with a model in Hugging Face's format was expected at {folder}, with config.json and "
            f"{WEIGHTS}, but {error}. Change learning.base, or put the files there."
        ) from error


def load_model(folder: Path, device: torch.device, training: bool) -> nn.Module:
    """The model of a folder: ours for Llama and Qwen3, else by `transformers`.

    To train, weights are float32, and a GPU computes with bfloat16 by itself; to sample, they are as they are stored,
    float32 on a CPU.
    """
    config = config_of(folder)
    if not Shape.supports(config):
        from .foreign import ForeignModel

        return ForeignModel(folder, config, device, training).eval()
    tensors = _weights(folder)
    shape, there = Shape.from_config(config), sum(tensor.numel() for tensor in tensors.values())
    if shape.parameters() > there:
        raise MissingCheckpoint(
            f"The weights in {folder} do not fit its config.json: they have {there:,} parameters, and a model of the "
            f"sizes that it says has {shape.parameters():,}. Put the files back from one copy, or change learning.base."
        )
    with torch.no_grad():
        model = Llama(shape)
        if device.type == "cuda" and not training:
            model.to(next(iter(tensors.values())).dtype)
        if model.shape.tied and "model.embed_tokens.weight" in tensors:
            tensors["lm_head.weight"] = tensors["model.embed_tokens.weight"]
        try:
            problems = model.load_state_dict(tensors, strict=False)
        except RuntimeError as error:  # tensors of other sizes
            raise MissingCheckpoint(f"The weights in {folder} do not fit its config.json: {error}"[:2000]) from error
        wrong = [*problems.missing_keys, *(key for key in problems.unexpected_keys if not key.endswith("inv_freq"))]
        if wrong:
            raise MissingCheckpoint(
                f"The weights in {folder} do not fit its config.json: {', '.join(wrong[:5])} missing or unknown "
                f"({len(wrong)} in all). Expected the tensors of {config.get('architectures')}."
            )
    model.checkpoints = device.type == "cuda" and training
    return model.to(device).eval()


def weights_of(model: nn.Module) -> dict[str, nn.Parameter]:
    """All weights by their names in a file, each once: where the last layer is the embedding, that alone is named."""
    return {file_name(name): weight for name, weight in model.named_parameters()}


def file_name(name: str) -> str:
    """The name in a file of what is called so in a model; foreign.py holds the model of `transformers` as `hf`."""
    return name[3:] if name.startswith("hf.") else name


def context_of(folder: Path) -> int:
    """Greatest number of tokens of a prompt and its answer."""
    return whole(config_of(folder), "max_position_embeddings", 2048)


def vocabulary_of(folder: Path) -> int:
    return whole(config_of(folder), "vocab_size")


def parameters_of(base: str) -> int:
    """Number of parameters of a byte-level base."""
    return byte_shape(base).parameters()


def parameters_in(folder: Path) -> int:
    """Number of parameters in a folder, from the headers of its files: eight bytes of length, then JSON."""
    count = 0
    for path in folder.glob("model*.safetensors"):
        try:
            with path.open("rb") as file:
                header = json.loads(file.read(min(MOST_HEADER_BYTES, int.from_bytes(file.read(8), "little"))))
            count += sum(math.prod(entry["shape"]) for name, entry in header.items() if name != "__metadata__")
        except (OSError, ValueError, AttributeError, KeyError, TypeError) as error:
            raise _unreadable(path, error) from error
    return count


def copy_model_files(source: Path, target: Path, device: torch.device) -> None:
    """Copies what a model's folder holds besides weights: settings, the tokenizer, licences. The type of the weights
    in config.json becomes that in which a policy is saved on this device."""
    for path in sorted(source.iterdir()):
        unwanted = path.name == "policy.json" or ".safetensors" in path.name
        if path.is_file() and not unwanted and path.suffix in (".json", ".txt", ".model", ".jinja", ".md", ""):
            shutil.copyfile(path, target / path.name)
    config = config_of(source)
    config.pop("dtype", None)
    config["torch_dtype"] = "float32" if device.type == "cpu" else "bfloat16"
    (target / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


def _weights(folder: Path) -> dict[str, Tensor]:
    try:
        return load_tensors(folder / WEIGHTS)
    except Exception as error:  # safetensors has error types of its own for files that were cut
        raise _unreadable(folder / WEIGHTS, error) from error


def _unreadable(path: Path, error: Exception) -> MissingCheckpoint:
    return MissingCheckpoint(
        f"The weights {path} cannot be read: {error}. Expected a whole file in the format safetensors. Put it back from "
        "a copy, or change learning.base."
    )
