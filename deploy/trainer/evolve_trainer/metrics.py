"""What this process tells of itself: our metrics and those of Temporal's SDK at one port, as every worker has it.

Both are counted by the SDK's runtime, which serves them on a port of this machine alone. The port that others ask takes
them from there, answers `/healthz` too, and stands in `<home>/metrics`, where Prometheus and `evolve doctor` find it.
"""

from __future__ import annotations

import contextlib
import ipaddress
import json
import os
import re
import socket
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from aiohttp import ClientError, ClientSession, ClientTimeout, web
from temporalio.common import MetricMeter
from temporalio.runtime import LoggingConfig, PrometheusConfig, Runtime, TelemetryConfig

from .log import tell
from .protocol import Stopped, TrainerError

NAME = "EVOLVE_METRICS"
SDK_SECONDS = 5.0
#: The SDK is told its port before it takes it, so another process may have been faster.
PORT_ATTEMPTS = 5
#: An update takes seconds on a CPU with the smallest model, and hours with a large one.
BUCKETS = [0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, 10800.0, 43200.0]
#: Operations, in the words of the log.
TOLD = {"update": "an update of a policy", "publish": "publishing a policy"}
LOOPBACK = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True)
class Address:
    host: str
    port: int

    def __str__(self) -> str:
        return f"{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"


def address_in(text: str) -> Address | None:
    """Where metrics are served: `on` is any free port of this machine. None where they are off."""
    if text == "off":
        return None
    if text == "on":
        return Address("127.0.0.1", 0)
    found = re.fullmatch(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9.-]+)):(\d{1,5})", text)
    if found is None or int(found[3]) > 65_535:
        raise SystemExit(f"{NAME}: expected `on`, `off` or an address as 127.0.0.1:9464, got {json.dumps(text[:100])}")
    return Address(found[1] or found[2], int(found[3]))


class Work:
    """Counts what the trainers do."""

    def __init__(self, meter: MetricMeter) -> None:
        self._attempts = meter.create_counter(
            "evolve_training_attempts",
            "Attempts at updates of policies and at publishing them: done, refused, failed, stopped. "
            "What is refused is not tried again.",
        )
        self._seconds = meter.create_histogram_float(
            "evolve_training_seconds", "Time of such an attempt, without its waiting for another one."
        )
        self._queue = meter.create_gauge("evolve_training_queue", "Attempts that wait for the one that is at work.")
        self._waiting = 0
        self._queue.set(0)
        info = {"role": process_name(), "build": "", "version": os.environ.get("EVOLVE_VERSION", "unknown")}
        meter.create_gauge("evolve_worker_info", "1; what this process is.").set(1, info)

    def wait(self, by: int) -> None:
        self._waiting += by
        self._queue.set(self._waiting)

    @contextmanager
    def attempt(self, operation: str, trainer: str) -> Iterator[None]:
        began, outcome = time.monotonic(), "failed"
        try:
            yield
            outcome = "done"
        except Stopped:
            outcome = "stopped"
            raise
        except TrainerError:
            outcome = "refused"
            raise
        finally:
            labels = {"operation": operation, "trainer": trainer}
            seconds = time.monotonic() - began
            self._seconds.record(seconds, labels)
            self._attempts.add(1, labels | {"outcome": outcome})
            level = "info" if outcome in ("done", "stopped") else "warn"
            told = labels | {"outcome": outcome, "wallMs": round(seconds * 1000)}
            tell(level, f"attempt at {TOLD[operation]} {outcome}", told)


def process_name() -> str:
    """The name that the supervisor gave to this process, else the role that `evolve worker` was asked for."""
    return os.environ.get("EVOLVE_CHILD", "").rpartition("/")[2] or os.environ.get("EVOLVE_ROLE") or "learner"


def runtime_with(metrics: bool, logging: LoggingConfig | None = None) -> tuple[Runtime | None, int | None]:
    """The SDK's runtime, and the port at which it serves. None for what neither metrics nor the log need."""
    wanted = logging or LoggingConfig.default
    for attempt in range(PORT_ATTEMPTS if metrics else 0):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = int(free.getsockname()[1])
        prometheus = PrometheusConfig(
            bind_address=f"127.0.0.1:{port}",
            counters_total_suffix=True,
            unit_suffix=True,
            durations_as_seconds=True,
            histogram_bucket_overrides={"evolve_training_seconds": BUCKETS},
        )
        try:
            return Runtime(telemetry=TelemetryConfig(logging=wanted, metrics=prometheus)), port
        except (RuntimeError, ValueError):
            if attempt == PORT_ATTEMPTS - 1:
                raise
    return (None if logging is None else Runtime(telemetry=TelemetryConfig(logging=logging))), None


@asynccontextmanager
async def served(address: Address | None, sdk_port: int | None, home: Path) -> AsyncIterator[None]:
    """Serves the metrics at the address while the caller is at work, and says in the home where that is."""
    if address is None or sdk_port is None:
        yield
        return
    runner = web.AppRunner(_application(address, sdk_port), access_log=None)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, address.host, address.port).start()
        except OSError as error:
            raise SystemExit(
                f"{NAME}: expected an address on which this process can listen, got {address} "
                f"({error.strerror or error}): choose another port, or `off`"
            ) from error
        file = _announce(home, Address(address.host, int(runner.addresses[0][1])))
        try:
            yield
        finally:
            file.unlink(missing_ok=True)
    finally:
        await runner.cleanup()


def _application(address: Address, sdk_port: int) -> web.Application:
    async def metrics(_: web.Request) -> web.Response:
        text = ""
        with contextlib.suppress(ClientError, OSError, TimeoutError):
            async with (
                ClientSession(timeout=ClientTimeout(total=SDK_SECONDS)) as session,
                session.get(f"http://127.0.0.1:{sdk_port}/metrics") as answer,
            ):
                text = await answer.text() if answer.status == 200 else ""
        return web.Response(text=text, headers={"content-type": "text/plain; version=0.0.4; charset=utf-8"})

    async def healthz(_: web.Request) -> web.Response:
        return web.Response(text="ok\n")

    @web.middleware
    async def own_name(request: web.Request, handler: Any) -> web.StreamResponse:
        # A page in a browser of this machine, whose name was made to mean 127.0.0.1, reaches this port, too.
        name = urlsplit(f"//{request.headers.get('Host', 'localhost')}").hostname
        if address.host in LOOPBACK and name not in LOOPBACK:
            return web.Response(status=403, text="expected 127.0.0.1 or localhost in the header Host\n")
        return await handler(request)  # type: ignore[no-any-return]

    application = web.Application(middlewares=[own_name])
    application.add_routes([web.get("/metrics", metrics), web.get("/healthz", healthz)])
    return application


def _announce(home: Path, address: Address) -> Path:
    """One file of Prometheus' file_sd, as deploy/host/telemetry.ts writes and reads them."""
    folder = home / "metrics"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Who asks from this machine asks there, also where the process listens on all of its addresses.
    with contextlib.suppress(ValueError):
        if ipaddress.ip_address(address.host).is_unspecified:
            address = Address("127.0.0.1", address.port)
    labels = {"process": process_name(), "__pid": str(os.getpid()), "__identity": _identity()}
    file = folder / f"{process_name()}-{os.getpid()}.json"
    part = file.with_suffix(".part")
    part.touch(mode=0o600)
    part.write_text(json.dumps([{"targets": [str(address)], "labels": labels}]) + "\n", encoding="utf-8")
    part.replace(file)
    return file


def _identity() -> str:
    """Boot and start of this process, as deploy/host/process-identity.ts reads them."""
    try:
        stat = Path("/proc/self/stat").read_text("utf-8")
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("utf-8").strip()[:8]
    except OSError:
        return "unknown"
    return f"{boot}-{stat[stat.rindex(')') + 2 :].split(' ')[19]}"
