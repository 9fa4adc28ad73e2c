"""Batches: from the bytes of an Arrow IPC stream to checked rollouts or examples.

Whatever is wrong is said before anything is computed. The columns are those of the format `evolve-batch/1`: one row a
rollout (`id, group, prompt, response, logprobs, reward, advantage, truncated`) or, for supervised steps, one row an
example (`id, messages, response`); metadata of the schema: `format`, `kind`, `total`, `hyper`.
"""

from __future__ import annotations

import hashlib
import json
import math

import numpy as np
import pyarrow as pa

from .protocol import BadBatch, Batch, Example, Examples, Kind, Rollout, Rollouts

FORMAT = "evolve-batch/1"
ROLLOUT_COLUMNS = ("id", "group", "prompt", "response", "logprobs", "reward", "advantage", "truncated")
EXAMPLE_COLUMNS = ("id", "messages", "response")


def read_batch(data: bytes, file: str, kind: Kind) -> Batch:
    """Reads and checks the batch of an update. `file` is the SHA-256 that the update's document names."""
    came = hashlib.sha256(data).hexdigest()
    if came != file:
        raise BadBatch(
            f"expected a batch with the SHA-256 {file}, got {came} over {len(data)} bytes: its chunks in the "
            "collection `batches` were changed or are not all there; `evolve rebuild <run>` says what is lost"
        )
    try:
        table = pa.ipc.open_stream(pa.BufferReader(data)).read_all()
    except pa.ArrowInvalid as error:
        raise BadBatch(f"expected an Arrow IPC stream, got {len(data)} bytes that are none: {error}") from error
    metadata = {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()}
    if metadata.get("format") != FORMAT:
        raise BadBatch(
            f"expected a batch of the format {FORMAT}, got {metadata.get('format')!r}: the worker and the trainer are "
            "of different versions; start both from one checkout (`evolve down`, `evolve up --learn`)"
        )
    if metadata.get("kind") != kind:
        raise BadBatch(f"expected a batch for an update of the kind {kind}, got one for {metadata.get('kind')!r}")
    if kind == "supervised":
        return Examples(rows=_examples(table), file=file)
    total = int(metadata.get("total", "0"))
    if total < table.num_rows:
        raise BadBatch(f"expected `total` (N of the mean) to be at least the {table.num_rows} rows, got {total}")
    return Rollouts(rows=_rollouts(table), total=total, file=file)


def _rollouts(table: pa.Table) -> tuple[Rollout, ...]:
    columns = _columns(table, ROLLOUT_COLUMNS)
    prompts, responses = _lists(columns["prompt"], np.int32), _lists(columns["response"], np.int32)
    logprobs = _lists(columns["logprobs"], np.float32)
    scalars = {name: columns[name].to_pylist() for name in ("id", "group", "reward", "advantage", "truncated")}
    rows = tuple(
        Rollout(
            id=scalars["id"][i],
            group=scalars["group"][i],
            prompt=prompts[i],
            response=responses[i],
            logprobs=logprobs[i],
            reward=scalars["reward"][i],
            advantage=scalars["advantage"][i],
            truncated=bool(scalars["truncated"][i]),
        )
        for i in range(table.num_rows)
    )
    seen: set[str] = set()
    for row in rows:
        check_rollout(row)
        if row.id in seen:
            raise BadBatch(f"expected each rollout once, got {row.id} twice")
        seen.add(row.id)
    return rows


def check_rollout(row: Rollout) -> None:
    """Refuses a rollout that contradicts itself. A logprob far from the trainer's own is the trainer's to drop."""
    if len(row.logprobs) != len(row.response):
        raise BadBatch(
            f"rollout {row.id}: expected one logprob for each token of the response, got {len(row.response)} tokens "
            f"and {len(row.logprobs)} logprobs; the server of the policy must return both (`return_token_ids`, "
            "`logprobs`), see `model.trainable`"
        )
    if len(row.prompt) == 0 or len(row.response) == 0:
        raise BadBatch(
            f"rollout {row.id}: expected at least one token of prompt and of response, got {len(row.prompt)} and "
            f"{len(row.response)}"
        )
    for name, ids in (("prompt", row.prompt), ("response", row.response)):
        if ids.min() < 0:
            raise BadBatch(f"rollout {row.id}: expected token ids of at least 0 in the {name}, got {ids.min()}")
    for name, value in (("reward", row.reward), ("advantage", row.advantage)):
        if value is None or not math.isfinite(value):
            raise BadBatch(f"rollout {row.id}: expected a finite {name}, got {value}; see `reward` and `learning`")
    if not np.isfinite(row.logprobs).all():
        at = int(np.flatnonzero(~np.isfinite(row.logprobs))[0])
        raise BadBatch(
            f"rollout {row.id}: expected finite logprobs, got {row.logprobs[at]} at token {at} of {len(row.logprobs)}"
        )


def _examples(table: pa.Table) -> tuple[Example, ...]:
    columns = _columns(table, EXAMPLE_COLUMNS)
    ids, texts, responses = (columns[name].to_pylist() for name in EXAMPLE_COLUMNS)
    rows = []
    for id, text, response in zip(ids, texts, responses, strict=True):
        messages = json.loads(text)
        if not messages or not all(
            isinstance(m.get("role"), str) and isinstance(m.get("content"), str) for m in messages
        ):
            raise BadBatch(f"example {id}: expected chat messages with `role` and `content`, got {text[:200]!r}")
        if not response:
            raise BadBatch(f"example {id}: expected a response to learn, got an empty one")
        rows.append(Example(id=id, messages=messages, response=response))
    return tuple(rows)


def _columns(table: pa.Table, expected: tuple[str, ...]) -> dict[str, pa.Array]:
    missing = [name for name in expected if name not in table.column_names]
    if missing:
        raise BadBatch(f"expected the columns {', '.join(expected)}, got {', '.join(table.column_names) or 'none'}")
    return {name: table.column(name).combine_chunks() for name in expected}


def _lists(column: pa.Array, dtype: type) -> list[np.ndarray]:
    """The rows of a list column [rows][length] as arrays of one buffer, without a Python object a number."""
    if isinstance(column, pa.ChunkedArray):
        column = (
            pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], pa.list_(pa.from_numpy_dtype(dtype)))
        )
    if column.null_count or column.values.null_count:
        raise BadBatch("expected lists without gaps in prompt, response and logprobs, got null values")
    values = column.values.to_numpy(zero_copy_only=False).astype(dtype, copy=False)
    offsets = column.offsets.to_numpy(zero_copy_only=False)
    return [values[offsets[i] : offsets[i + 1]] for i in range(len(column))]
