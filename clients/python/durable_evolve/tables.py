"""Rows of the server as a frame: pandas or polars, whichever is installed, else an Arrow table."""

from __future__ import annotations

from http.client import HTTPException
from importlib.util import find_spec
from typing import Any, Sequence

import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]

from .errors import Away, EvolveError
from .server import Server

Frame = Any
"""pandas.DataFrame, else polars.DataFrame, else pyarrow.Table."""


def frame_of(server: Server, path: str, columns: Sequence[str] | None = None) -> Frame:
    table = table_of(server, path, columns)
    if find_spec("pandas"):
        from pandas import DataFrame  # type: ignore[import-untyped, unused-ignore]

        series = {}
        # A column goes when its series has come, so that no table is held twice.
        for name in table.column_names:
            series[name] = table[name].to_pandas()
            table = table.drop_columns([name])
            pa.default_memory_pool().release_unused()
        return DataFrame(series, copy=False)
    if find_spec("polars"):
        import polars  # type: ignore[import-not-found, unused-ignore]

        return polars.from_arrow(table)
    return table


def table_of(server: Server, path: str, columns: Sequence[str] | None = None) -> pa.Table:
    """The rows of `path`. They come in batches, and only the columns that were asked for are kept."""
    with server.open(path, accept="application/vnd.apache.arrow.stream") as answer:
        try:
            reader = pa.ipc.open_stream(answer)
            names = reader.schema.names
            unknown = [name for name in columns or [] if name not in names]
            if unknown:
                raise EvolveError(f"columns: expected some of {', '.join(names)}, got {', '.join(unknown)}")
            schema = pa.schema([reader.schema.field(name) for name in columns or names])
            return pa.Table.from_batches([_copied(batch.select(schema.names)) for batch in reader], schema)
        except (OSError, HTTPException, pa.ArrowInvalid) as error:
            raise Away(f"{server.url} ended its answer in the middle ({error}): ask again") from None


def _copied(batch: pa.RecordBatch) -> pa.RecordBatch:
    """A copy of the columns: without it each column keeps the whole batch in memory."""
    return batch.take(pa.array(range(batch.num_rows)))
