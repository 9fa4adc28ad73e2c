"""The HTTP interface of a home (docs/http.md): requests, events, and what is wrong as one sentence."""

from __future__ import annotations

import ipaddress
import json
from http.client import HTTPException, HTTPResponse
from importlib.metadata import version
from typing import Any, Iterator, cast
from urllib.error import HTTPError, URLError
from urllib.parse import parse_qs, urlsplit, urlunsplit
from urllib.request import OpenerDirector, ProxyHandler, Request, build_opener

from .errors import Away, EvolveError

VERSION = version("durable-evolve")
ANSWER_SECONDS = 200.0
"""An action waits until a worker has taken it up."""
SILENT_SECONDS = 60.0
"""A stream of events has a heartbeat every 15 seconds."""


def is_here(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Server:
    """One server of a page. Its address may hold the token, as the page's own: http://host:8235/#token=..."""

    def __init__(self, url: str, token: str | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise EvolveError(f"url: expected http://host:port, got {url!r}")
        self.url = urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))
        self._token = token or parse_qs(parts.fragment).get("token", [None])[0]
        self._opener: OpenerDirector = build_opener(*([ProxyHandler({})] if is_here(parts.hostname) else []))

    def site(self) -> dict[str, Any]:
        """What the server is. Throws where this client does not fit it."""
        site = self.get("/site")
        served = str(site.get("version")) if isinstance(site, dict) else "unknown"
        if served.split(".")[0] != VERSION.split(".")[0]:
            raise EvolveError(
                f"{self.url} is DurableEvolve {served} and this client is {VERSION}: install the client of that version"
            )
        return cast("dict[str, Any]", site)

    def get(self, path: str) -> Any:
        return self._json(self.open(path))

    def post(self, path: str, body: object) -> Any:
        return self._json(self.open(path, body=body))

    def events(self, path: str) -> Iterator[tuple[str, Any]]:
        """Names and data of server-sent events, until the server ends the stream."""
        name = ""
        with self.open(path, accept="text/event-stream", seconds=SILENT_SECONDS) as answer:
            for line in self._lines(answer):
                field, _, value = line.partition(": ")
                if field == "event":
                    name = value
                elif field == "data":
                    yield name, json.loads(value)

    def open(
        self, path: str, *, body: object = None, accept: str = "application/json", seconds: float = ANSWER_SECONDS
    ) -> HTTPResponse:
        headers = {"Accept": accept, "User-Agent": f"durable-evolve-python/{VERSION}", "X-Evolve-Page": "1"}
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        try:
            data = None if body is None else json.dumps(body, allow_nan=False).encode()
        except (TypeError, ValueError) as error:
            raise EvolveError(f"expected texts, numbers, lists and dicts, as JSON has them: {error}") from None
        if data is not None:
            headers["Content-Type"] = "application/json"
        try:
            request = Request(f"{self.url}/api/v1{path}", data=data, headers=headers)
            return cast(HTTPResponse, self._opener.open(request, timeout=seconds))
        except HTTPError as error:
            raise self._refusal(error) from None
        except (URLError, OSError, HTTPException) as error:
            raise self._away(error) from None

    def _json(self, answer: HTTPResponse) -> Any:
        try:
            with answer:
                return json.load(answer)
        except (OSError, HTTPException) as error:
            raise self._away(error) from None
        except ValueError:
            raise EvolveError(f"{self.url} is no server of DurableEvolve: its answer is no JSON") from None

    def _lines(self, answer: HTTPResponse) -> Iterator[str]:
        try:
            for line in answer:
                yield line.decode().rstrip("\r\n")
        except (OSError, HTTPException) as error:
            raise self._away(error) from None

    def _away(self, error: Exception) -> Away:
        reason = getattr(error, "reason", error)
        return Away(f"{self.url} does not answer ({reason or type(error).__name__}): `evolve up` starts the server of a home")

    def _refusal(self, error: HTTPError) -> EvolveError:
        with error:
            try:
                told = json.load(error)
            except (OSError, HTTPException, ValueError):
                told = None
        if error.code == 401:
            said = "asks for a token: connect(url, token)" if self._token is None else "does not know this token"
            return EvolveError(f"{self.url} {said}")
        return refusal(told) or EvolveError(
            f"{self.url} is no server of DurableEvolve, or one of another version: it answers HTTP {error.code}"
        )


def refusal(told: Any) -> EvolveError | None:
    """The server's own sentence; None where it told none."""
    try:
        kind, message = told["error"]["kind"], str(told["error"]["message"])
    except (KeyError, TypeError):
        return None
    return Away(message) if kind == "away" else EvolveError(message)
