"""The metrics of this process, ours and those of Temporal's SDK, which counts and serves both at one port.

The port stands in `<home>/metrics`, where Prometheus and `evolve doctor` find it.
"""

from __future__ import annotations

import ipaddress
import json
import logging
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from temporalio.common import MetricMeter
from temporalio.runtime import LoggingConfig, PrometheusConfig, Runtime, TelemetryConfig

from .log import LOG
from .presence import identity, process_name
from .protocol import Stopped, TrainerError

NAME = "EVOLVE_METRICS"
#: The SDK is told its port before it takes it, so another process may have been faster.
PORT_ATTEMPTS = 5
#: An update takes seconds on a CPU with the smallest model, and hours with a large one.
BUCKETS = [0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, 10800.0, 43200.0]
#: Operations, in the words of the log.
OPERATIONS = {"update": "an update of a policy", "publish": "publishing a policy"}

#: A host and its port.
Address = tuple[str, int]


def address_in(text: str) -> Address | None:
    """The address that serves metrics: `on` is any free port of this machine, None is off."""
    if text == "off":
        return None
    if text == "on":
        return "127.0.0.1", 0
    with suppress(ValueError):
        address = urlsplit(f"//{text}")
        if address.netloc == text and address.hostname and address.port is not None:
            return address.hostname, address.port
    raise SystemExit(f"{NAME}: expected `on`, `off` or an address as 127.0.0.1:9464, got {json.dumps(text[:100])}")


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
            level = logging.INFO if outcome in ("done", "stopped") else logging.WARNING
            fields = labels | {"outcome": outcome, "wallMs": round(seconds * 1000)}
            LOG.log(level, "attempt at %s %s", OPERATIONS[operation], outcome, extra={"fields": fields})


def runtime_at(address: Address | None, log: LoggingConfig | None) -> tuple[Runtime | None, str]:
    """The SDK's runtime, None where neither metrics nor the log need one, and the address at which it serves."""
    attempts = 0 if address is None else PORT_ATTEMPTS
    for attempt in range(attempts):
        free = _free(*address)
        prometheus = PrometheusConfig(
            bind_address=free,
            counters_total_suffix=True,
            unit_suffix=True,
            durations_as_seconds=True,
            histogram_bucket_overrides={"evolve_training_seconds": BUCKETS},
        )
        try:
            telemetry = TelemetryConfig(logging=log or LoggingConfig.default, metrics=prometheus)
            return Runtime(telemetry=telemetry), free
        except (RuntimeError, ValueError):
            if attempt == attempts - 1:
                raise
    return (None if log is None else Runtime(telemetry=TelemetryConfig(logging=log))), ""


def _free(host: str, port: int) -> str:
    """The address with a port that is free now."""
    try:
        family, *_, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.create_server(place[:2], family=family) as server:
            number, free = server.getsockname()[:2]
    except OSError as error:
        raise SystemExit(
            f"{NAME}: expected an address on which this process can listen, got {host}:{port} "
            f"({error.strerror or error}): choose another port, or `off`"
        ) from error
    return f"[{number}]:{free}" if ":" in number else f"{number}:{free}"


@contextmanager
def announced(address: str, home: Path) -> Iterator[None]:
    """Says in the home where metrics are served, while the caller is at work: a file of Prometheus' file_sd, as
    deploy/host/telemetry.ts writes and reads them."""
    if not address:
        yield
        return
    host, _, port = address.rpartition(":")
    # Programs of this machine ask there, also where the process listens on all of its addresses.
    target = f"127.0.0.1:{port}" if ipaddress.ip_address(host.strip("[]")).is_unspecified else address
    labels = {"process": process_name(), "__pid": str(os.getpid()), "__identity": identity()}
    folder = home / "metrics"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = folder / f"{process_name()}-{os.getpid()}.json"
    part = file.with_suffix(".part")
    part.touch(mode=0o600)
    part.write_text(json.dumps([{"targets": [target], "labels": labels}]) + "\n", encoding="utf-8")
    part.replace(file)
    try:
        yield
    finally:
        file.unlink(missing_ok=True)
