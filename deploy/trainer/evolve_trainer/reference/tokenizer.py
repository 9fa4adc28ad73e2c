"""From text to token ids and back: a byte-level tokenizer of our own, and any other through `transformers`.

The byte-level one needs no training and no vocabulary file to read: id 0 to 255 is that byte of the UTF-8 text, and six
special tokens follow. A folder that it writes also loads in `transformers`, with the same ids.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

Message = dict[str, str]  # {"role": "system" | "user" | "assistant", "content": text}

BEGIN, END, SYSTEM, USER, ASSISTANT, PAD = range(256, 262)
SPECIALS = ("<|begin|>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>", "<|pad|>")
ROLES = {"system": SYSTEM, "developer": SYSTEM, "user": USER, "assistant": ASSISTANT}
VOCABULARY = 262

CHAT_TEMPLATE = (
    "{{ '<|begin|>' }}{% for message in messages %}"
    "{{ '<|' + message['role'] + '|>' + message['content'] + '<|end|>' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)


class UnusableTokenizer(Exception):
    """The folder's tokenizer cannot be used here; the message says what is missing."""


class Tokenizer(Protocol):
    """The methods that the sampler, the server and the trainer need."""

    stops: frozenset[int]  # ids that end an answer
    end: int  # the id that closes an assistant's message
    cuts_left: bool  # whether a prompt that is too long may lose its beginning

    def encode(self, text: str) -> list[int]: ...

    def chat(self, messages: Sequence[Message]) -> list[int]: ...

    def answer(self, text: str) -> list[int]: ...

    def decode(self, ids: Sequence[int]) -> str: ...


class ByteTokenizer:
    """One token a byte. Text is never read as a special token, whatever it says; only `chat` places those."""

    stops = frozenset([END])
    end = END
    cuts_left = True

    def encode(self, text: str) -> list[int]:
        return list(text.encode("utf-8", errors="replace"))

    def chat(self, messages: Sequence[Message]) -> list[int]:
        """Ids of a conversation, up to the token after which the assistant's answer begins."""
        ids = [BEGIN]
        for message in messages:
            ids += [ROLES[message["role"]], *self.encode(message["content"]), END]
        return [*ids, ASSISTANT]

    def answer(self, text: str) -> list[int]:
        """Ids of an assistant's answer with the token that ends it, as they follow those of `chat`."""
        return [*self.encode(text), END]

    def decode(self, ids: Sequence[int]) -> str:
        return bytes(i for i in ids if i < 256).decode("utf-8", errors="replace")

    def save(self, folder: Path, context: int) -> None:
        """Writes the files by which `transformers` and vLLM load the same tokenizer."""
        characters = _characters_of_bytes()
        added = [
            {"id": 256 + i, "content": name, "single_word": False, "lstrip": False, "rstrip": False}
            | {"normalized": False, "special": True}
            for i, name in enumerate(SPECIALS)
        ]
        byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
        vocabulary = {character: byte for byte, character in enumerate(characters)}
        _write(
            folder / "tokenizer.json",
            {
                "version": "1.0",
                "truncation": None,
                "padding": None,
                "added_tokens": added,
                "normalizer": None,
                "pre_tokenizer": byte_level,
                "post_processor": None,
                "decoder": byte_level,
                "model": {
                    "type": "BPE",
                    "dropout": None,
                    "unk_token": None,
                    "continuing_subword_prefix": None,
                    "end_of_word_suffix": None,
                    "fuse_unk": False,
                    "byte_fallback": False,
                    "vocab": vocabulary | {name: 256 + i for i, name in enumerate(SPECIALS)},
                    "merges": [],
                },
            },
        )
        _write(
            folder / "tokenizer_config.json",
            {
                "tokenizer_class": "PreTrainedTokenizerFast",
                "evolve_tokenizer": "bytes/1",
                "bos_token": "<|begin|>",
                "eos_token": "<|end|>",
                "pad_token": "<|pad|>",
                "model_max_length": context,
                "clean_up_tokenization_spaces": False,
                "chat_template": CHAT_TEMPLATE,
            },
        )


class TransformersTokenizer:
    """The tokenizer of a Hugging Face folder, by the package `transformers`."""

    cuts_left = False

    def __init__(self, folder: Path) -> None:
        try:
            from transformers import AutoTokenizer
        except ImportError as error:
            raise UnusableTokenizer(
                f"The tokenizer of {folder} is read by the package transformers, which this Python does not have. "
                "Install it into the environment of the trainer, or take the base model `bytes`."
            ) from error
        self._inner: Any = AutoTokenizer.from_pretrained(str(folder), local_files_only=True, trust_remote_code=False)
        ends = {self._inner.eos_token_id}
        generation = folder / "generation_config.json"
        if generation.is_file():
            named = json.loads(generation.read_text()).get("eos_token_id")
            ends.update(named if isinstance(named, list) else [named])
        self.stops = frozenset(i for i in ends if isinstance(i, int))
        if not self.stops:
            raise UnusableTokenizer(f"The tokenizer of {folder} names no end token, so that no answer could end.")
        self.end = self._inner.eos_token_id if self._inner.eos_token_id is not None else min(self.stops)

    def encode(self, text: str) -> list[int]:
        return [int(i) for i in self._inner.encode(text)]

    def chat(self, messages: Sequence[Message]) -> list[int]:
        if self._inner.chat_template is None:
            return self.encode("\n\n".join(message["content"] for message in messages) + "\n\n")
        text = self._inner.apply_chat_template(list(messages), add_generation_prompt=True, tokenize=False)
        return [int(i) for i in self._inner.encode(text, add_special_tokens=False)]

    def answer(self, text: str) -> list[int]:
        return [*(int(i) for i in self._inner.encode(text, add_special_tokens=False)), self.end]

    def decode(self, ids: Sequence[int]) -> str:
        return str(self._inner.decode(list(ids), skip_special_tokens=True))


def load_tokenizer(folder: Path) -> Tokenizer:
    """The tokenizer of a policy's folder."""
    settings = folder / "tokenizer_config.json"
    if settings.is_file() and json.loads(settings.read_text()).get("evolve_tokenizer") == "bytes/1":
        return ByteTokenizer()
    return TransformersTokenizer(folder)


def _characters_of_bytes() -> list[str]:
    """The printable character by which byte-level vocabularies write each byte, as GPT-2 introduced it."""
    printable = {*range(33, 127), *range(161, 173), *range(174, 256)}
    spare = iter(range(256, 512))
    return [chr(byte) if byte in printable else chr(next(spare)) for byte in range(256)]


def _write(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
