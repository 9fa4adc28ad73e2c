"""Signs of life: this process writes every few seconds that it trains here, as workers of other roles do.

`evolve hosts` shows them, and a run that learns starts no second learner where one lives.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timezone
from typing import Any

from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
from temporalio.client import Client
from temporalio.service import RPCError

from .store import TrainerStore

BEAT_SECONDS = 5.0


@asynccontextmanager
async def present(client: Client, store: TrainerStore, queue: str) -> AsyncIterator[None]:
    """A database that does not answer makes the host look silent, and disturbs nothing else."""
    fields = _fields(queue) | {"namespaceId": await _namespace(client)}
    name = f"{fields['host']}:{fields['pid']}:{fields['role']}"

    async def beat() -> None:
        beats = 0
        while True:
            beats += 1
            with suppress(Exception):
                await asyncio.to_thread(store.put_host, name, fields | {"seenAt": _now(), "beats": beats})
            await asyncio.sleep(BEAT_SECONDS)

    beating = asyncio.create_task(beat())
    try:
        yield
    finally:
        beating.cancel()
        with suppress(asyncio.CancelledError):
            await beating
        with suppress(Exception):
            await asyncio.to_thread(store.remove_host, name)


def _now() -> datetime:
    return datetime.now(timezone.utc)


def _fields(queue: str) -> dict[str, Any]:
    return {
        "run": "",
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "role": "learning",
        "version": os.environ.get("EVOLVE_VERSION", "unknown"),
        "since": _now(),
        "queues": [queue],
        "slots": 1,
        "cores": os.cpu_count() or 1,
        "memoryBytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "gpus": 0,
        "labels": [],
    }


async def _namespace(client: Client) -> str:
    """The id that the server gave the namespace; its name where this may not be asked."""
    try:
        asked = DescribeNamespaceRequest(namespace=client.namespace)
        answer = await client.workflow_service.describe_namespace(asked)
        return str(answer.namespace_info.id) or client.namespace
    except RPCError:
        return client.namespace
