"""The identity of this process, its signs of life every few seconds, and the check that the work here is its own.

`evolve hosts` shows the signs, and a run that learns starts no second learner where one lives.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from .store import TrainerStore, now

BEAT_SECONDS = 5.0
#: The memo of this workflow names the database (deploy/servers/installation.ts).
MARKER = "durable-evolve/installation"
AGAIN_SECONDS = 1.0


def process_name() -> str:
    """The name that the supervisor gave to this process, else the role that `evolve worker` was asked for."""
    return os.environ.get("EVOLVE_CHILD", "").rpartition("/")[2] or os.environ.get("EVOLVE_ROLE") or "learner"


def identity() -> str:
    """Boot and start of this process, as deploy/host/process-identity.ts reads them."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()[:8]
        return f"{boot}-{Path('/proc/self/stat').read_text().rpartition(')')[2].split()[19]}"
    except (OSError, IndexError):
        return "unknown"


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
                await asyncio.to_thread(store.put_host, name, fields | {"seenAt": now(), "beats": beats})
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


def _fields(queue: str) -> dict[str, Any]:
    return {
        "run": "",
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "role": "learning",
        "version": os.environ.get("EVOLVE_VERSION", "unknown"),
        "since": now(),
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
        request = DescribeNamespaceRequest(namespace=client.namespace)
        answer = await client.workflow_service.describe_namespace(request)
        return str(answer.namespace_info.id) or client.namespace
    except RPCError:
        return client.namespace


async def own_namespace(client: Client, database: Callable[[], str | None]) -> None:
    """Returns when no other database works in the namespace than that of this identity; until then says once which.

    Queues are the same in every installation, so a worker of another database must not take work here. The identity is
    asked for again, because a new database gets one from the worker that starts beside this one.
    """
    said = None
    while (owner := await _owner(client)) is not None and owner != (ours := await asyncio.to_thread(database)):
        if owner != said:
            print(f"waiting: namespace {client.namespace} works with the database {owner}, not {ours}", flush=True)
            said = owner
        await asyncio.sleep(AGAIN_SECONDS)


async def _owner(client: Client) -> str | None:
    """The database of the namespace; None before any installation has worked there, when nobody's work can be taken."""
    try:
        description = await client.get_workflow_handle(MARKER).describe()
    except RPCError as error:
        if error.status == RPCStatusCode.NOT_FOUND:
            return None
        raise
    return str(await description.memo_value("database", "unknown"))
