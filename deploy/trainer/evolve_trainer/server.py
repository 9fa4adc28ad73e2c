"""The server of policies: OpenAI's completions, with the token ids and log-probabilities that training needs.

    python -m evolve_trainer.server [--port 8000] [--policies FOLDER]

It serves every complete folder of policies under its name, and looks for them at each request, so that it can be killed
at any time and needs to be told nothing. It listens on this machine only. Requests are computed one after another.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import sys
import time
import uuid
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from aiohttp import web

from .reference import base as bases
from .reference import checkpoint
from .reference.request import Bad, Request, completion, read_request
from .reference.sampler import Answer, sample
from .reference.tokenizer import load_tokenizer

LOADED = 4  # policies that stay in memory
MAX_SECONDS = 1800.0  # one request computes no longer than this
MAX_BODY_BYTES = 16 * 2**20
ADDRESS = re.compile(r"[0-9.]+|[0-9a-f:]*:[0-9a-f:.]*")  # of IPv4 or IPv6


class Abandoned(Exception):
    """Nobody waits for this request any more."""


class Policies:
    """The policies of a folder, and the few that were used last in memory. Used by one thread."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.device = bases.device_of_trainer()
        self._loaded: OrderedDict[tuple[str, str], tuple[Any, Any, int]] = OrderedDict()

    def names(self) -> list[str]:
        return checkpoint.policy_names(self.folder)

    def get(self, name: str) -> tuple[Any, Any, int]:
        """Model, tokenizer and context of a policy."""
        known = checkpoint.NAME.fullmatch(name) is not None and not name.endswith(".part")
        card = checkpoint.card_of(self.folder / name) if known else None
        if card is None:
            there = self.names()
            listed = ", ".join(there[-20:]) if there else "none yet"
            raise Bad(
                404,
                f"There is no policy {name!r:.200} in {self.folder}. Policies there ({len(there)}): {listed}.",
                "model",
                "model_not_found",
            )
        key = (name, card["weightsHash"])
        if key not in self._loaded:
            folder = self.folder / name
            # Answers of other weights would be learned from as this policy's own.
            checkpoint.unchanged(folder, card)
            model = bases.load_model(folder, self.device, training=False)
            self._loaded[key] = (model, load_tokenizer(folder), bases.context_of(folder))
            while len(self._loaded) > LOADED:
                self._loaded.popitem(last=False)
        self._loaded.move_to_end(key)
        return self._loaded[key]


class Server:
    def __init__(self, folder: Path) -> None:
        self.policies = Policies(folder)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sampler")
        self._closing = False

    def application(self) -> web.Application:
        application = web.Application(client_max_size=MAX_BODY_BYTES, middlewares=[_errors_as_json, _no_pages])
        application.on_shutdown.append(self.close)
        application.router.add_get("/health", self.health)
        application.router.add_get("/v1/models", self.models)
        application.router.add_post("/v1/completions", self.complete)
        application.router.add_post("/v1/chat/completions", self.complete)
        return application

    async def close(self, _: web.Application) -> None:
        """Ends the request that is computed, so that the process can go."""
        self._closing = True

    async def health(self, _: web.Request) -> web.Response:
        return web.json_response({"status": "ok", "device": str(self.policies.device)})

    async def models(self, _: web.Request) -> web.Response:
        names = await asyncio.get_running_loop().run_in_executor(None, self.policies.names)
        entries = [{"id": name, "object": "model", "created": 0, "owned_by": "evolve"} for name in names]
        return web.json_response({"object": "list", "data": entries})

    async def complete(self, http: web.Request) -> web.Response:
        try:
            body = json.loads(await http.text())
        except (ValueError, RecursionError) as error:
            raise Bad(400, f"The body of the request is not JSON in UTF-8: {error}.") from error
        request = read_request(body, chat=http.path.endswith("/chat/completions"))
        waiting = {"gone": False}
        work = asyncio.get_running_loop().run_in_executor(self._thread, self._answer, request, waiting)
        try:
            while not work.done():
                await asyncio.wait({work}, timeout=1.0)
                if http.transport is None or http.transport.is_closing():
                    waiting["gone"] = True
            return web.json_response(work.result())
        except Abandoned as error:
            raise Bad(503, str(error), kind="server_error") from error
        finally:
            waiting["gone"] = True

    def _answer(self, request: Request, waiting: dict[str, bool]) -> dict[str, Any]:
        """Computes one request, in the thread that has the models."""
        latest: float | None = None

        def going() -> None:
            if waiting["gone"] or self._closing:
                raise Abandoned("The client has gone, or the server is stopping.")
            if latest is not None and time.monotonic() > latest:
                raise Abandoned(f"The request took more than {MAX_SECONDS:.0f} s. Ask for fewer or shorter answers.")

        going()
        model, tokenizer, context = self.policies.get(request.model)
        vocabulary = bases.vocabulary_of(self.policies.folder / request.model)
        prompts = [request.prompt_ids(prompt, tokenizer, context, vocabulary) for prompt in request.prompts]
        latest = time.monotonic() + MAX_SECONDS
        groups: list[list[Answer]] = []
        for ids, _cut in prompts:
            sampling = request.sampling_for(ids, context)
            groups.append(sample(model, tokenizer, ids, request.count, sampling, going))
        return completion(request, tokenizer, prompts, groups)


@web.middleware
async def _errors_as_json(http: web.Request, handler: Any) -> web.StreamResponse:
    """Every error is answered in OpenAI's form; the server goes on."""
    try:
        return await handler(http)
    except Bad as error:
        return web.json_response(error.body(), status=error.status)
    except web.HTTPException as error:
        bad = Bad(error.status, f"{error.reason}: {http.method} {http.path}")
        return web.json_response(bad.body(), status=error.status)
    except asyncio.CancelledError:
        raise
    except Exception as error:  # a damaged policy, memory that is used up: this request fails, the next one may not
        reference = uuid.uuid4().hex[:8]
        print(f"{reference} {http.path}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
        message = f"{type(error).__name__}: {error} (reference {reference} in the server's log)"
        return web.json_response(Bad(500, message, kind="server_error").body(), status=500)


@web.middleware
async def _no_pages(http: web.Request, handler: Any) -> web.StreamResponse:
    """Refuses what a page in a browser of this machine sends: it says its origin, or comes by a name of its own site
    that was made to lead here. Programs use the address, or localhost."""
    name = urlsplit(f"//{http.host}").hostname or ""
    if http.headers.get("Origin") is not None or not (name == "localhost" or ADDRESS.fullmatch(name)):
        raise Bad(403, f"Only programs of this machine are answered, at http://127.0.0.1; {name!r:.80} was asked for.")
    return await handler(http)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m evolve_trainer.server", description=__doc__)
    named = urlsplit(os.environ.get("EVOLVE_TRAINER_URL", "")).port
    parser.add_argument("--port", type=int, default=named or 8000, help="port on 127.0.0.1 (from EVOLVE_TRAINER_URL)")
    parser.add_argument("--policies", type=Path, default=checkpoint.policies_folder(), help="folder of policies")
    options = parser.parse_args()
    bases.settle_numbers()
    options.policies.mkdir(parents=True, exist_ok=True)
    application = Server(options.policies).application()

    async def say(_: web.Application) -> None:
        print(f"Policies of {options.policies} are served at http://127.0.0.1:{options.port}/v1", flush=True)

    application.on_startup.append(say)
    web.run_app(application, host="127.0.0.1", port=options.port, access_log=None, print=None, shutdown_timeout=2.0)


if __name__ == "__main__":
    main()
