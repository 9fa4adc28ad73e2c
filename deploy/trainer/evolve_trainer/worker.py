"""The Temporal worker of the queue `evolve-rl`: python -m evolve_trainer.worker

It has two activities, `applyUpdate` and `publishPolicy`, and gives both to the trainer that the update names. An update
is exactly once however often it is tried: what is to be sent is written into the update's document before it is sent,
an update that was applied is found instead of being applied again, and whatever is not complete is done anew from a
fresh model (so that what an earlier attempt left behind counts for nothing).
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

from temporalio import activity
from temporalio.client import Client
from temporalio.common import MetricMeter
from temporalio.envconfig import ClientConfig
from temporalio.exceptions import ApplicationError
from temporalio.worker import Worker

from .batch import read_batch
from .log import NAME as LOG_SETTING
from .log import at, failed, open_log
from .metrics import NAME as METRICS_SETTING
from .metrics import Work, address_in, announced, runtime_at
from .payloads import open_payloads
from .presence import own_namespace, present, process_name
from .protocol import ConfigError, Order, Place, Stopped, Trainer, TrainerError, UpdateResult
from .serving import without_keys
from .store import NewerSchema, TrainerStore, now

QUEUE = "evolve-rl"
HEARTBEAT_SECONDS = 1.0
#: A module a trainer, each with `create(place)`. They are loaded when they are asked for: each needs its own packages.
TRAINERS = {name: f".trainers.{name}" for name in ("tinker", "trl", "slime")} | {"reference": ".reference.trainer"}
#: Servers of policies that a trainer hands its weights to.
SERVERS = ("vllm", "sglang")

#: The fields of an order that its entries of the log have.
PLACE = {"run": "run", "step": "step", "update": "updateId", "policy": "policy"}

T = TypeVar("T")


class StoredBeat:
    """The progress of an attempt: in memory for the heartbeat, and each operation in the store before it is sent."""

    def __init__(self, store: TrainerStore, order: Order, attempt: int, home: Path) -> None:
        self._store, self._order, self._home = store, order, home
        self._attempt = attempt
        self._operations = store.operations(order.run, order.update_id)
        self._stopped = threading.Event()
        self.details: dict[str, Any] = {"what": "reading the batch", "done": 0, "total": 0}

    def __call__(self, what: str, done: int = 0, total: int = 0) -> None:
        self.details = {"what": what, "done": done, "total": total}
        if self._stopped.is_set():
            raise Stopped(f"the update was cancelled: {what}")

    @contextmanager
    def operation(self, name: str, payload: object = None) -> Iterator[None]:
        self(name)
        text = json.dumps(payload, sort_keys=True, separators=(",", ":"), default=str)
        entry: dict[str, Any] = {
            "name": name,
            "payloadHash": hashlib.sha256(text.encode()).hexdigest(),
            "at": now(),
            "done": False,
            "attempt": self._attempt,
        }
        self._operations.append(entry)
        self._write()
        yield
        die_after(name, self._home)
        entry["done"] = True
        self._write()

    def _write(self) -> None:
        self._store.write_operations(self._order.run, self._order.update_id, self._operations)

    def stop(self) -> None:
        self._stopped.set()


def die_after(operation: str, home: Path) -> None:
    """A switch for tests: behind each operation that EVOLVE_TRAINER_DIE_AFTER names, the process kills itself once."""
    if operation not in os.environ.get("EVOLVE_TRAINER_DIE_AFTER", "").split(","):
        return
    mark = home / f".died-after-{operation.replace(' ', '-')}"
    try:
        mark.touch(exist_ok=False)
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


class Activities:
    """The two activities. Training runs in one thread, so that the heartbeat goes on beside it."""

    def __init__(self, store: TrainerStore, place: Place, home: Path, counted: Work | None = None) -> None:
        self._store, self._place, self._home = store, place, home
        self._counted = counted or Work(MetricMeter.noop)
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="trainer")
        self._trainers: dict[str, Trainer] = {}

    @activity.defn(name="applyUpdate")
    async def apply_update(self, order: dict[str, Any]) -> dict[str, Any]:
        return (await self._beating(order, self._apply, "update")).to_json()

    @activity.defn(name="publishPolicy")
    async def publish_policy(self, order: dict[str, Any]) -> dict[str, Any]:
        return await self._beating(order, self._publish, "publish")

    def _apply(self, order: Order, beat: StoredBeat) -> UpdateResult:
        trainer = self._trainer(order.trainer)
        result = trainer.find(order) or self._anew(trainer, order, beat)
        return self._store.applied(order.run, order.update_id, result)

    def _anew(self, trainer: Trainer, order: Order, beat: StoredBeat) -> UpdateResult:
        check_order(trainer, order)
        if order.kind == "start":
            return trainer.start(order, beat)
        if order.batch_file is None:
            raise ConfigError(f"expected a batch for the update {order.update_id} ({order.kind}), got none")
        batch = read_batch(self._store.batch_bytes(order.run, order.update_id), order.batch_file, order.kind)
        return trainer.apply(order, batch, beat)

    def _publish(self, order: Order, beat: StoredBeat) -> dict[str, Any]:
        trainer = self._trainer(order.trainer)
        # A policy that is gone since is made again from the same batch, and must have the same weights.
        result = trainer.find(order) or self._apply(order, beat)
        if order.serve in SERVERS:
            served = _module(".serving").publish(order, result, self._place, beat)
        else:
            served = trainer.publish(order, result, beat)
        self._store.published(order.run, order.update_id, served)
        return {"baseUrl": served.base_url, "model": served.model}

    def _trainer(self, name: str) -> Trainer:
        if name not in TRAINERS:
            raise ConfigError(f"learning.trainer: expected one of {', '.join(sorted(TRAINERS))}, got {name!r}")
        if name not in self._trainers:
            self._trainers[name] = _module(TRAINERS[name]).create(self._place)
        return self._trainers[name]

    async def _beating(self, order: Mapping[str, Any], work: Callable[[Order, StoredBeat], T], operation: str) -> T:
        """Runs `work` in the thread, with a heartbeat beside it; a cancelled attempt ends before it is answered."""
        beat: StoredBeat | None = None
        stopped = threading.Event()

        def run() -> T:
            nonlocal beat
            self._counted.wait(-1)
            stored = self._store.order(order["run"], order["updateId"])
            beat = StoredBeat(self._store, stored, info.attempt, self._home)
            if stopped.is_set():
                beat.stop()
            trainer = stored.trainer if stored.trainer in TRAINERS else "other"
            with at(place), self._counted.attempt(operation, trainer):
                return work(stored, beat)

        info = activity.info()
        place = {name: order[key] for name, key in PLACE.items() if key in order}
        place |= {"activity": info.activity_type, "attempt": info.attempt}
        self._counted.wait(1)
        future: Future[T] = self._pool.submit(run)
        waiting = asyncio.wrap_future(future)
        try:
            while True:
                done, _ = await asyncio.wait({waiting}, timeout=HEARTBEAT_SECONDS)
                if done:
                    return waiting.result()
                activity.heartbeat(
                    beat.details if beat else {"what": "waiting for another update", "done": 0, "total": 0}
                )
        except asyncio.CancelledError:
            stopped.set()
            if beat is not None:
                beat.stop()
            raise
        except NewerSchema as error:
            # As the workers in TypeScript end (workers/process/process.ts). Another worker may know the schema.
            print(f"ending: {error}", file=sys.stderr, flush=True)
            os.kill(os.getpid(), signal.SIGTERM)
            raise ApplicationError(str(error), type=type(error).__name__) from None
        except Exception as error:
            # `from None`: what caused it may say more than may leave this process, so that stands in the log alone.
            if not isinstance(error, TrainerError | Stopped):
                with at(place):
                    failed(error)
            refused = isinstance(error, TrainerError)
            raise ApplicationError(
                without_keys(str(error) or type(error).__name__), type=type(error).__name__, non_retryable=refused
            ) from None


def check_order(trainer: Trainer, order: Order) -> None:
    """Refuses what the trainer cannot honour, before anything begins."""
    able = trainer.capabilities()
    wanted = "full" if order.hyper.lora is None else "lora"
    if wanted not in able.tuning:
        raise ConfigError(
            f"learning.lora: the trainer {order.trainer} does {' and '.join(able.tuning)} fine-tuning, got "
            f"{'null (full fine-tuning)' if wanted == 'full' else 'a LoRA'}"
        )
    if order.kind not in able.kinds:
        raise ConfigError(
            f"the trainer {order.trainer} does {', '.join(able.kinds)}, got an update of the kind {order.kind}"
        )


def _module(name: str) -> Any:
    return importlib.import_module(name, package=__package__)


def _need(name: str) -> str:
    value = os.environ.get(name)
    if not value:
        raise SystemExit(f"expected {name} in the environment of the trainers' worker; `evolve up --learn` sets it")
    return value


async def main() -> None:
    log = open_log(process_name(), os.environ.get(LOG_SETTING) or "text")
    home = Path(_need("EVOLVE_HOME"))
    metrics = address_in(os.environ.get(METRICS_SETTING) or "on")
    policies = os.environ.get("EVOLVE_POLICIES") or str(home / "policies")
    place = Place(policies=policies, trainer_url=os.environ.get("EVOLVE_TRAINER_URL") or None)
    store = TrainerStore(_need("MONGODB_URI"))
    await asyncio.to_thread(store.ping)
    try:
        await asyncio.to_thread(store.check_schema)
    except NewerSchema as error:
        raise SystemExit(str(error)) from None
    runtime, address = runtime_at(metrics, log)
    activities = Activities(store, place, home, Work(MetricMeter.noop if runtime is None else runtime.metric_meter))
    _need("TEMPORAL_ADDRESS")
    converter = await open_payloads(store, home)
    connection = ClientConfig.load_client_connect_config()
    client = await Client.connect(**connection, data_converter=converter, runtime=runtime)
    await own_namespace(client, store.identity)
    worker = Worker(
        client,
        task_queue=QUEUE,
        activities=[activities.apply_update, activities.publish_policy],
        # One is at work, and the others wait here with a heartbeat: one that waits in the queue could not be told from
        # one that nobody will ever take.
        max_concurrent_activities=100,
        # Memory is worth nothing to another attempt, so a stop waits for the present step only.
        graceful_shutdown_timeout=timedelta(seconds=int(os.environ.get("EVOLVE_GRACE") or 5)),
        max_heartbeat_throttle_interval=timedelta(seconds=5),
        default_heartbeat_throttle_interval=timedelta(seconds=5),
    )
    end = asyncio.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(name, end.set)
    with announced(address, home):
        async with worker, present(client, store, QUEUE):
            print(
                f"ready: trainers of {QUEUE} on {client.service_client.config.target_host} (pid {os.getpid()})", flush=True
            )
            await end.wait()
    store.close()


if __name__ == "__main__":
    try:
        asyncio.run(main())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        # A step that is under way in the trainer's thread does not keep a stopped process alive.
        if sys.exc_info()[0] is None:
            os._exit(0)
