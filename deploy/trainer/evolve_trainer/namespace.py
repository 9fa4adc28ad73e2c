"""Whether the Temporal namespace belongs to the worker's database.

Queues are the same in every installation, so a worker of another database must not take work here. Our TypeScript
worker leaves the database's identity in the memo of a workflow; this worker only reads it, and waits.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

#: The memo of this workflow names the database (deploy/servers/installation.ts).
MARKER = "durable-evolve/installation"
AGAIN_SECONDS = 1.0


async def own_namespace(client: Client, identity: Callable[[], str | None]) -> None:
    """Returns when no other database works in the namespace than that of this `identity`; until then says once which.

    `identity` is asked again, because a new database gets one from the worker that starts beside this one. Before any
    installation has worked in a namespace, nobody's work can be taken there.
    """
    told = None
    while (owner := await _owner(client)) is not None and owner != (ours := await asyncio.to_thread(identity)):
        if owner != told:
            print(f"waiting: namespace {client.namespace} works with the database {owner}, not {ours}", flush=True)
            told = owner
        await asyncio.sleep(AGAIN_SECONDS)


async def _owner(client: Client) -> str | None:
    try:
        description = await client.get_workflow_handle(MARKER).describe()
    except RPCError as error:
        if error.status == RPCStatusCode.NOT_FOUND:
            return None
        raise
    return str(await description.memo_value("database", "unknown"))
