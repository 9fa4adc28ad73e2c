"""What this process writes to its log: text, or with EVOLVE_LOG=json a line of JSON for each entry, in the fields of the
workers in TypeScript (workers/telemetry/log.ts).

Everything that the process writes is JSON then, what libraries print, warn of or log included. Keys are taken out of both.
"""

from __future__ import annotations

import io
import json
import logging
import os
import re
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import replace
from datetime import datetime, timezone
from types import TracebackType
from typing import Any
from urllib.parse import unquote

from temporalio import activity
from temporalio.runtime import LogForwardingConfig, LoggingConfig

from .serving import MOST_TOLD, keyless

NAME = "EVOLVE_LOG"
#: Characters of a traceback that are shown: its end says most.
TRACE = 3_000
#: A shorter word may mean something else, so that it is taken out of addresses alone.
SHORTEST_SECRET = 8
#: What an entry says of an order, and how the order calls it.
OF_ORDER = {"run": "run", "step": "step", "update": "updateId", "policy": "policy"}
PASSWORD = re.compile(r"(://[^\s:/@]*:)([^\s/@]+)(?=@)")
SECRET_NAME = re.compile(r"(KEY|KEYS|KEY_DATA|TOKEN|SECRET|PASSWORD|AUTH|AUTHORIZATION)$")

_place: ContextVar[Mapping[str, Any]] = ContextVar("place", default={})


@contextmanager
def at(place: Mapping[str, Any]) -> Iterator[None]:
    """Entries that the caller writes say where it is: run, step, activity, attempt."""
    before = _place.set(place)
    try:
        yield
    finally:
        _place.reset(before)


def at_order(order: Mapping[str, Any]) -> AbstractContextManager[None]:
    """The same for an activity and its order."""
    info = activity.info()
    place = {name: order[key] for name, key in OF_ORDER.items() if key in order}
    return at(place | {"activity": info.activity_type, "attempt": info.attempt})


def cleaned(text: str) -> str:
    """The text without the keys and passwords that this process knows, and without those in addresses."""
    for secret in sorted(_secrets(os.environ), key=len, reverse=True):
        text = text.replace(secret, "[key]")
    return keyless(PASSWORD.sub(r"\1[key]", text))


def _secrets(env: Mapping[str, str]) -> set[str]:
    """Keys of the environment, each alone where one variable has several, and passwords of its addresses."""
    named = [part for name, value in env.items() if SECRET_NAME.search(name) for part in re.split(r"[\s,:]", value)]
    passwords = [found[2] for value in env.values() for found in PASSWORD.finditer(value)]
    known = {text.strip() for text in (*named, *passwords, *map(unquote, passwords))}
    return {secret for secret in known if len(secret) >= SHORTEST_SECRET}


class JsonLog:
    """Writes entries. `write` takes a whole line."""

    def __init__(self, process: str, write: Callable[[str], None]) -> None:
        self._process, self._write = process, write

    def entry(self, level: str, message: str, of: Mapping[str, Any], at: float | None = None) -> None:
        moment = datetime.now(timezone.utc) if at is None else datetime.fromtimestamp(at, timezone.utc)
        fields = {"message": message, "process": self._process, **_place.get(), **of}
        line = {
            "time": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": level,
            **{name: cleaned(value)[:MOST_TOLD] if isinstance(value, str) else value for name, value in fields.items()},
        }
        self._write(json.dumps(line, ensure_ascii=False, default=lambda value: cleaned(str(value))))


class _Printed(io.TextIOBase):
    """In the place of a stream: each line that is printed is an entry."""

    encoding = "utf-8"  # type: ignore[assignment]

    def __init__(self, log: JsonLog, level: str) -> None:
        self._log, self._level = log, level
        # Threads print at the same time.
        self._begun = threading.local()

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        *lines, self._begun.text = (getattr(self._begun, "text", "") + text).split("\n")
        for line in lines:
            if line.strip():
                self._log.entry(self._level, line.rstrip(), {})
        return len(text)


class _Records(logging.Handler):
    """What libraries log, and what Temporal's SDK logs of an activity, with the activity's place."""

    def __init__(self, log: JsonLog) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        try:
            level = "error" if record.levelno >= logging.ERROR else "warn"
            self._log.entry(level, record.getMessage(), _fields_of(record), record.created)
        except Exception:  # as the standard handlers: what cannot be logged disturbs nobody
            self.handleError(record)


def _fields_of(record: logging.LogRecord) -> dict[str, Any]:
    info = getattr(record, "temporal_activity", None) or {}
    found = re.match(r"run/([a-z0-9-]+)(?:/step/(\d+))?", str(info.get("workflow_id")))
    named = {
        "run": found and found[1],
        "step": found and found[2] and int(found[2]),
        "activity": info.get("activity_type"),
        "attempt": info.get("attempt"),
        "workflowId": info.get("workflow_id"),
        "runId": info.get("workflow_run_id"),
        "taskQueue": info.get("task_queue"),
        "activityId": info.get("activity_id"),
        "error": record.exc_info and record.exc_info[1] and _trace(record.exc_info[1]),
    }
    return {name: value for name, value in named.items() if value is not None}


def _trace(error: BaseException) -> str:
    return cleaned("".join(traceback.format_exception(error)))[-TRACE:]


_log: JsonLog | None = None


def open_log(process: str, text: str) -> LoggingConfig | None:
    """From now on the process writes as EVOLVE_LOG says. What Temporal's runtime is to be told of its own log, if anything."""
    global _log
    if text == "text":
        return None
    if text != "json":
        raise SystemExit(f"{NAME}: expected `text` or `json`, got {json.dumps(text[:100])}")
    stream, lock = sys.stderr, threading.Lock()

    def write(line: str) -> None:
        with lock:
            stream.write(f"{line}\n")
            stream.flush()

    def uncaught(_: type[BaseException], error: BaseException, __: TracebackType | None) -> None:
        failed(error)

    _log = JsonLog(process, write)
    sys.stdout, sys.stderr = _Printed(_log, "info"), _Printed(_log, "error")
    sys.excepthook = uncaught
    logging.basicConfig(handlers=[_Records(_log)], level=logging.WARNING, force=True)
    logging.captureWarnings(True)
    activity.logger.activity_info_on_message = False
    return replace(LoggingConfig.default, forwarding=LogForwardingConfig(logging.getLogger("temporalio")))


def tell(level: str, message: str, of: Mapping[str, Any]) -> None:
    """What the process tells of its work. It goes nowhere but into a log of JSON."""
    if _log is not None:
        _log.entry(level, message, of)


def failed(error: BaseException) -> None:
    """An error that nobody expected, with its traceback, in either log."""
    if _log is None:
        print(_trace(error), file=sys.stderr, flush=True)
    else:
        _log.entry("error", f"{type(error).__name__}: {error}", {"error": _trace(error)})
