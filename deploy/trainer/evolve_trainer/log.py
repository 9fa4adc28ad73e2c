"""The log of this process: text, or with EVOLVE_LOG=json a line of JSON for each entry, in the fields of the workers in
TypeScript (workers/telemetry/log.ts).

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
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any
from urllib.parse import unquote

from temporalio import activity
from temporalio.runtime import LogForwardingConfig, LoggingConfig

from .serving import MOST_TOLD, keyless

NAME = "EVOLVE_LOG"
#: Our own entries. `extra={"fields": ...}` adds fields. A log of text has the errors alone.
LOG = logging.getLogger("evolve_trainer")
#: Characters of a traceback that are shown: its end says most.
TRACE = 3_000
#: A shorter word may mean something else, so that it is taken out of addresses alone.
SHORTEST_SECRET = 8
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


def cleaned(text: str) -> str:
    """The text without the keys and passwords that this process knows, and without those in addresses."""
    for secret in sorted(_secrets(os.environ), key=len, reverse=True):
        text = text.replace(secret, "[key]")
    return keyless(PASSWORD.sub(r"\1[key]", text))


def _secrets(env: Mapping[str, str]) -> set[str]:
    """Keys of the environment, each alone where one variable has several, and passwords of its addresses."""
    named = [part for name, value in env.items() if SECRET_NAME.search(name) for part in re.split(r"[\s,:]", value)]
    passwords = [match[2] for value in env.values() for match in PASSWORD.finditer(value)]
    secrets = {text.strip() for text in (*named, *passwords, *map(unquote, passwords))}
    return {secret for secret in secrets if len(secret) >= SHORTEST_SECRET}


class _Text(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return _trace(record) or cleaned(record.getMessage())


class _Json(logging.Formatter):
    def __init__(self, process: str) -> None:
        super().__init__()
        self._process = process

    def format(self, record: logging.LogRecord) -> str:
        level = "error" if record.levelno >= logging.ERROR else "warn" if record.levelno >= logging.WARNING else "info"
        moment = datetime.fromtimestamp(record.created, timezone.utc).isoformat(timespec="milliseconds")
        place = {"process": self._process, **_place.get()}
        fields = {"message": record.getMessage(), **place, **_activity_of(record), **getattr(record, "fields", {})}
        error = _trace(record)
        line = {
            "time": moment.replace("+00:00", "Z"),
            "level": level,
            **{name: cleaned(value)[:MOST_TOLD] if isinstance(value, str) else value for name, value in fields.items()},
            **({"error": error} if error else {}),
        }
        return json.dumps(line, ensure_ascii=False, default=lambda value: cleaned(str(value)))


def _activity_of(record: logging.LogRecord) -> dict[str, Any]:
    """The activity of an entry of Temporal's SDK, in our names."""
    info = getattr(record, "temporal_activity", None) or {}
    place = re.match(r"run/([a-z0-9-]+)(?:/step/(\d+))?", str(info.get("workflow_id")))
    fields = {
        "run": place and place[1],
        "step": place and place[2] and int(place[2]),
        "activity": info.get("activity_type"),
        "attempt": info.get("attempt"),
        "workflowId": info.get("workflow_id"),
        "runId": info.get("workflow_run_id"),
        "taskQueue": info.get("task_queue"),
        "activityId": info.get("activity_id"),
    }
    return {name: value for name, value in fields.items() if value is not None}


def _trace(record: logging.LogRecord) -> str:
    if not record.exc_info or record.exc_info[1] is None:
        return ""
    return cleaned("".join(traceback.format_exception(record.exc_info[1])))[-TRACE:]


class _Printed(io.TextIOBase):
    """In the place of a stream: each line that is printed is an entry."""

    encoding = "utf-8"  # type: ignore[assignment]

    def __init__(self, level: int) -> None:
        self._level = level
        # Threads print at the same time.
        self._begun = threading.local()

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        *lines, self._begun.text = (getattr(self._begun, "text", "") + text).split("\n")
        for line in lines:
            if line.strip():
                LOG.log(self._level, "%s", line.rstrip())
        return len(text)


def open_log(process: str, text: str) -> LoggingConfig | None:
    """From now on the process writes as EVOLVE_LOG says. Returns the log of Temporal's runtime where it needs one."""
    if text not in ("text", "json"):
        raise SystemExit(f"{NAME}: expected `text` or `json`, got {json.dumps(text[:100])}")
    handler = logging.StreamHandler(sys.stderr)
    if text == "text":
        handler.setFormatter(_Text())
        LOG.addHandler(handler)
        LOG.setLevel(logging.ERROR)
        LOG.propagate = False
        return None
    handler.setFormatter(_Json(process))
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.captureWarnings(True)
    LOG.setLevel(logging.INFO)
    sys.stdout, sys.stderr = _Printed(logging.INFO), _Printed(logging.ERROR)
    sys.excepthook = lambda _kind, error, _trace: failed(error)
    activity.logger.activity_info_on_message = False
    return replace(LoggingConfig.default, forwarding=LogForwardingConfig(logging.getLogger("temporalio")))


def failed(error: BaseException) -> None:
    """An error that nobody expected, with its traceback, in either log."""
    LOG.error("%s: %s", type(error).__name__, error, exc_info=error)
