"""The trainers' part of the database: documents of `updates`, chunks of `batches`, and the signs of life in `hosts`.

Only plain reads by `_id` and guarded updates are used, so that the embedded database behaves as MongoDB does.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any
from urllib.parse import parse_qsl

from pymongo import MongoClient
from pymongo.errors import DuplicateKeyError

from .protocol import BadBatch, MissingCheckpoint, Order, Served, UpdateResult

DATABASE = "durable_evolve"
#: The document in `identity` with the checks of keys of payloads.
PAYLOAD_KEYS = "payload-keys"
#: The newest schema of stored data that this worker knows (activities/store/documents/schema.ts).
SCHEMA = 4
#: Operations that a document remembers: those of its last attempts.
KEPT_OPERATIONS = 100


def majority_of(uri: str) -> dict[str, str]:
    """As activities/store/mongo/connect-store.ts: writes to a replica set count when most of its members have them."""
    address, _, query = uri.partition("?")
    named = {name.lower() for name, _ in parse_qsl(query)}
    members = address.partition("://")[2].partition("/")[0].rpartition("@")[2]
    several = "replicaset" in named or "," in members or address.startswith("mongodb+srv:")
    return {"w": "majority"} if several and "w" not in named else {}


class NewerSchema(Exception):
    """A newer version of this project works in the database, so that this one must not write there."""

    def __init__(self, what: str, schema: int) -> None:
        super().__init__(
            f"expected stored data of schema {SCHEMA} or older, but {what} has schema {schema}: a newer version of "
            "this project writes to this database. Update this one, or use another data directory (EVOLVE_HOME) or "
            "database (MONGODB_URI)"
        )


class TrainerStore:
    """`uri` is that of the TypeScript workers. The driver's own retries are off: every write may be repeated."""

    def __init__(self, uri: str, database: str = DATABASE) -> None:
        self._client: MongoClient[dict[str, Any]] = MongoClient(
            uri,
            serverSelectionTimeoutMS=15_000,
            socketTimeoutMS=60_000,
            retryWrites=False,
            retryReads=False,
            **majority_of(uri),
        )
        self._db = self._client[database]

    def close(self) -> None:
        self._client.close()

    def ping(self) -> None:
        self._db.command("ping")

    def check_schema(self) -> None:
        """Raises NewerSchema where the database wants software that knows a later schema."""
        document = self._db["identity"].find_one({"_id": "database"}) or {}
        least = int(document.get("leastSchema") or 0)
        if least > SCHEMA:
            raise NewerSchema("the database", least)

    def identity(self) -> str | None:
        """The random id that the database has given itself; None where no worker of ours has met it."""
        document = self._db["identity"].find_one({"_id": "database"})
        return None if document is None else str(document["id"])

    def payload_keys(self) -> dict[str, str]:
        """Checks of the keys that the installation encrypts payloads with, by id (activities/store/upkeep/installation.ts)."""
        document = self._db["identity"].find_one({"_id": PAYLOAD_KEYS}) or {}
        return {str(name): str(check) for name, check in document.get("checks") or []}

    def keep_payload_key(self, name: str, check: str) -> dict[str, str]:
        """Keeps a check unless there is one of this id; returns those that are then there."""
        while True:
            known = self.payload_keys()
            if name in known:
                return known
            checks = {**known, name: check}
            try:
                # Whoever adds a key has to know all others: the count tells whether somebody was faster.
                self._db["identity"].update_one(
                    {"_id": PAYLOAD_KEYS, "count": len(known)},
                    {"$set": {"count": len(checks), "checks": [list(entry) for entry in checks.items()]}},
                    upsert=True,
                )
                return checks
            except DuplicateKeyError:
                continue

    def put_host(self, name: str, fields: Mapping[str, Any]) -> None:
        self._db["hosts"].replace_one({"_id": name}, dict(fields), upsert=True)

    def remove_host(self, name: str) -> None:
        self._db["hosts"].delete_one({"_id": name})

    def order(self, run: str, update_id: str) -> Order:
        return Order.from_document(self._update(run, update_id))

    def batch_bytes(self, run: str, update_id: str) -> bytes:
        """The Arrow bytes of an update's batch, joined from its chunks."""
        batch = self._update(run, update_id)["batch"]
        chunks = []
        for n in range(int(batch["chunks"])):
            chunk = self._db["batches"].find_one({"_id": f"{batch['file']}:{n:04d}"})
            if chunk is None:
                raise BadBatch(
                    f"expected chunk {n + 1} of {batch['chunks']} of the batch {batch['file']} in the collection "
                    "`batches`, got none; `evolve rebuild <run>` says what is lost"
                )
            chunks.append(bytes(chunk["data"]))
        return b"".join(chunks)

    def operations(self, run: str, update_id: str) -> list[dict[str, Any]]:
        return list(self._update(run, update_id).get("operations") or [])

    def write_operations(self, run: str, update_id: str, operations: list[dict[str, Any]]) -> None:
        """Replaces the record of what was sent for an update; two attempts at once may overwrite each other's."""
        self._db["updates"].update_one(
            {"_id": _id(run, update_id)}, {"$set": {"operations": operations[-KEPT_OPERATIONS:]}}
        )

    def applied(self, run: str, update_id: str, result: UpdateResult) -> UpdateResult:
        """Stores the result. Of two attempts the first one counts: what is stored is returned."""
        self._db["updates"].update_one(
            {"_id": _id(run, update_id), "state": "planned"}, {"$set": {"state": "applied", "result": result.to_json()}}
        )
        document = self._update(run, update_id)
        stored = document.get("result")
        if stored is not None and stored["weightsHash"] == result.weights_hash:
            return UpdateResult.from_json(stored)
        if document["state"] == "committed":
            raise MissingCheckpoint(
                f"the policy {document['policy']} is committed with the weights {stored and stored['weightsHash']}, "
                f"its files are gone, and the update made again gave {result.weights_hash}: put its folder back from "
                "a copy, or rewind the run behind this step (`evolve rewind`)"
            )
        before = {"weightsHash": stored["weightsHash"]} if stored else None
        self._replace(run, update_id, document["state"], before, result)
        return result

    def published(self, run: str, update_id: str, served: Served) -> None:
        """Stores where the policy is served, also where an earlier attempt had it served elsewhere."""
        for state in ("applied", "published"):
            self._db["updates"].update_one(
                {"_id": _id(run, update_id), "state": state},
                {"$set": {"state": "published", "served": {"baseUrl": served.base_url, "model": served.model}}},
            )

    def _replace(
        self, run: str, update_id: str, state: str, before: Mapping[str, Any] | None, result: UpdateResult
    ) -> None:
        """A result whose checkpoint is gone gives way to that of the same update made again."""
        guard: dict[str, Any] = {"_id": _id(run, update_id), "state": state}
        if before is not None:
            guard["result.weightsHash"] = before["weightsHash"]
        self._db["updates"].update_one(guard, {"$set": {"state": "applied", "result": result.to_json()}})

    def _update(self, run: str, update_id: str) -> dict[str, Any]:
        document = self._db["updates"].find_one({"_id": _id(run, update_id)})
        if document is None:
            raise BadBatch(
                f"expected the update {_id(run, update_id)} in the collection `updates`, got none: the worker reads "
                "another database than the one that planned it; both take MONGODB_URI"
            )
        schema = int(document.get("schema") or 0)
        if schema > SCHEMA:
            raise NewerSchema(f"document '{document['_id']}'", schema)
        return document


def now() -> datetime:
    """The driver stores an aware time as a date of the database."""
    return datetime.now(timezone.utc)


def _id(run: str, update_id: str) -> str:
    return f"{run}:{update_id}"
