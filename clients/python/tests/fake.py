"""A server that says what a test wants: for what a real one says seldom."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = "tuple[int, str, Iterable[bytes]]"
SITE = {"version": "1.0.0", "home": {"id": "abc", "name": "fake"}, "readOnly": None}


def as_json(value: object, status: int = 200) -> Answer:
    return status, "application/json", [json.dumps(value).encode()]


def refused(kind: str, message: str, status: int) -> Answer:
    return as_json({"error": {"kind": kind, "message": message}}, status)


class Fake:
    """`answers` by path; a chunk that is None breaks the connection. Paths that are not there are 404 without words."""

    def __init__(self, answers: dict[str, Callable[[], Answer]]) -> None:
        self.answers = {"/site": lambda: as_json(SITE), **answers}
        self.asked: list[tuple[str, str | None]] = []
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                path = self.path.removeprefix("/api/v1")
                fake.asked.append((path, self.headers["Authorization"]))
                status, kind, chunks = fake.answers.get(path, lambda: (404, "text/plain", [b"?"]))()
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                for chunk in chunks:
                    if chunk is None:
                        return self.connection.close()
                    self.wfile.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
                self.wfile.write(b"0\r\n\r\n")

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        # Who reads may go in the middle.
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
