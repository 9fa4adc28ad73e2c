"""Encryption of what this worker and the Temporal server send each other: AES-256-GCM, with the keys and in the form of
the TypeScript processes (activities/payloads), which say what a file of keys holds.

A worker whose keys are not those of the installation takes no work: it says why and reads them again now and then.
"""

from __future__ import annotations

import asyncio
import base64
import dataclasses
import hashlib
import hmac
import os
import re
import stat
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from temporalio.api.common.v1 import Payload
from temporalio.converter import DataConverter, DefaultFailureConverterWithEncodedAttributes, PayloadCodec

from .presence import identity

KEYS = "EVOLVE_PAYLOAD_KEYS"
KEYS_FILE = "EVOLVE_PAYLOAD_KEYS_FILE"
IN_HOME = "payload-keys"
PLAIN = "plain"
RETIRED = "retired"
KEY_BYTES = 32
NONCE_BYTES = 12
FILE_BYTES = 1 << 20
ENCODING = b"binary/encrypted"
KEY_ID = "encryption-key-id"
ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,31}")
FORM = f"one `id:key` a line, the key being {KEY_BYTES} bytes in base64"
AGAIN_SECONDS = 3.0


class PayloadKeyError(Exception):
    """A fault of the keys of this process, in one line that says what to change."""


class Register(Protocol):
    """The checks of all keys that the installation has encrypted with, by id (the store keeps them)."""

    def payload_keys(self) -> Mapping[str, str]: ...
    def keep_payload_key(self, name: str, check: str) -> Mapping[str, str]: ...


@dataclasses.dataclass(frozen=True)
class PayloadKeys:
    """`writes` is the name and key that encrypt, None where what is written is plain. A key of None is retired."""

    writes: tuple[str, bytes] | None
    keys: Mapping[str, bytes | None]
    source: str


def parse_keys(text: str, source: str) -> PayloadKeys:
    entries = [line.strip() for line in re.split(r"[\n,]", text)]
    entries = [line for line in entries if line and not line.startswith("#")]
    keys: dict[str, bytes | None] = {}
    is_plain = entries[:1] == [PLAIN]
    for index, entry in enumerate(entries[is_plain:], 1 + is_plain):
        name, colon, key = entry.partition(":")
        if not colon or name == PLAIN or not ID.fullmatch(name) or name in keys:
            raise PayloadKeyError(f"{source}: entry {index} is no key of an id of its own: expected {FORM}")
        keys[name] = _key(name, key.strip(), source)
    first, key = next(iter(keys.items()), ("", None))
    if not is_plain and key is None:
        raise PayloadKeyError(f"{source}: expected a key that encrypts, or `{PLAIN}`, as the first entry: {FORM}")
    return PayloadKeys(None if is_plain or key is None else (first, key), keys, source)


def _key(name: str, text: str, source: str) -> bytes | None:
    if text == RETIRED:
        return None
    try:
        key = base64.b64decode(text, validate=True)
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise PayloadKeyError(f"{source}: the key {name} is not {KEY_BYTES} bytes in base64: expected {FORM}")
    return key


def read_keys(env: Mapping[str, str], home: Path) -> PayloadKeys:
    if env.get(KEYS):
        return parse_keys(env[KEYS], KEYS)
    path = Path(env.get(KEYS_FILE) or home / IN_HOME)
    if not env.get(KEYS_FILE) and not path.exists():
        return PayloadKeys(None, {}, KEYS)
    try:
        # A pipe without a writer would keep the process waiting.
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise OSError("not a regular file")
            return parse_keys(file.read(FILE_BYTES).decode(), str(path))
    except (OSError, ValueError) as error:
        raise PayloadKeyError(f"{path} cannot be read as payload keys ({error}): expected a file with {FORM}") from None


def check_of(key: bytes) -> str:
    """The part of a key that may be stored: it tells the same key again, and gives nothing away of 32 random bytes."""
    return hmac.new(key, b"durable-evolve payload key", hashlib.sha256).hexdigest()[:32]


def agree(keys: PayloadKeys, register: Register) -> None:
    """Raises PayloadKeyError where these are not the keys of the installation."""
    _compare(register.payload_keys(), keys)
    if keys.writes is not None:
        name, key = keys.writes
        _compare(register.keep_payload_key(name, check_of(key)), keys)


def _compare(checks: Mapping[str, str], keys: PayloadKeys) -> None:
    for name, check in checks.items():
        if name not in keys.keys:
            raise PayloadKeyError(
                f"this installation encrypts payloads with the key {name}: expected it in {keys.source}, got "
                f"{', '.join(keys.keys) or 'no key'}. Add it there (docs/operations/deployment.md)"
            )
        key = keys.keys[name]
        if key is not None and check_of(key) != check:
            raise PayloadKeyError(
                f"the key {name} in {keys.source} is not the one with which this installation encrypts: expected one "
                f"with the check {check}, got {check_of(key)}. Copy it from a host that has it"
            )


class Codec(PayloadCodec):
    """Plain payloads are read too, so that encryption may begin in the middle of a run.

    `in_use` says whether the installation encrypts with a key: a payload of such a key that is missing here is an
    error, which the server has tried again. What anybody else encrypted stays as it is, and cannot be read.
    """

    def __init__(self, keys: PayloadKeys, in_use: Callable[[str], bool]) -> None:
        self._keys, self._in_use = keys, in_use

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        if self._keys.writes is None:
            return list(payloads)
        return [_encrypt(payload, *self._keys.writes) for payload in payloads]

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        return [await self._decode(payload) for payload in payloads]

    async def _decode(self, payload: Payload) -> Payload:
        if payload.metadata.get("encoding") != ENCODING:
            return payload
        name = payload.metadata.get(KEY_ID, b"").decode("utf-8", "replace")
        key = self._keys.keys.get(name)
        if key is not None:
            return _decrypt(payload, key)
        # Nothing that a retired key encrypted is kept, so this payload is somebody else's who only knows the name.
        if name not in self._keys.keys and await asyncio.to_thread(self._in_use, name):
            raise PayloadKeyError(
                f"a payload is encrypted with the key {name}, which {self._keys.source} does not have: add it there, "
                "behind the key that encrypts"
            )
        return payload


def _encrypt(payload: Payload, name: str, key: bytes) -> Payload:
    """Data is nonce, ciphertext and tag, one behind the other."""
    nonce = os.urandom(NONCE_BYTES)
    sealed = AESGCM(key).encrypt(nonce, payload.SerializeToString(), None)
    return Payload(metadata={"encoding": ENCODING, KEY_ID: name.encode()}, data=nonce + sealed)


def _decrypt(payload: Payload, key: bytes) -> Payload:
    try:
        plain = AESGCM(key).decrypt(payload.data[:NONCE_BYTES], payload.data[NONCE_BYTES:], None)
        return Payload.FromString(plain)
    except (InvalidTag, ValueError):
        return payload


async def open_payloads(register: Register, home: Path, env: Mapping[str, str] = os.environ) -> DataConverter:
    """Returns when the keys are those of the installation; until then says once what is wrong with them."""
    said = ""
    while True:
        try:
            keys = read_keys(env, home)
            await asyncio.to_thread(agree, keys, register)
            break
        except PayloadKeyError as error:
            if str(error) != said:
                said = str(error)
                print(f"refused (pid {os.getpid()}, {identity()}): {said}", flush=True)
            await asyncio.sleep(AGAIN_SECONDS)
    converter = DataConverter(payload_codec=Codec(keys, lambda name: name in register.payload_keys()))
    if keys.writes is None:
        return converter
    # Message and stack of an error may hold lines of a program, so that they travel as a payload.
    return dataclasses.replace(converter, failure_converter_class=DefaultFailureConverterWithEncodedAttributes)
