"""Publishing in vLLM and SGLang, against a server that speaks their routes as far as they are used."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import tempfile
import threading
import unittest
import unittest.mock
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from evolve_trainer.log import LOG, open_log
from evolve_trainer.protocol import ConfigError, Hyper, Order, Place, PolicyNotServed, Quiet, UpdateResult
from evolve_trainer.serving import publish
from evolve_trainer.worker import Activities
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

RESULT = UpdateResult(weights_hash="w" * 64, training_state="p-v0001", sampler_state="p-v0001")


class Played(BaseHTTPRequestHandler):
    """vLLM with LoRAs by name, and SGLang with one set of weights."""

    adapters: dict[str, str] = {}
    weights = "default"
    key = ""
    #: An SGLang into which somebody else loads other weights at once.
    contested = False
    #: What every request is answered, in place of the above.
    hostile: tuple[int, Any] | None = None
    elsewhere = ""
    asked: list[str] = []

    def do_GET(self) -> None:
        Played.asked.append(f"{self.path} {self.headers.get('authorization', '')}")
        self.send_error(404)

    def do_POST(self) -> None:
        Played.key = self.headers.get("authorization", "")
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        status, answer = self.answer(self.path, body)
        data = json.dumps(answer).encode()
        self.send_response(status)
        if status == 302:
            self.send_header("location", self.elsewhere)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def answer(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        if self.hostile is not None:
            return self.hostile
        if path == "/v1/load_lora_adapter":
            if body["lora_name"] in self.adapters:
                return 400, {"message": f"The lora adapter '{body['lora_name']}' has already been loaded."}
            self.adapters[body["lora_name"]] = body["lora_path"]
            return 200, "Success"
        if path == "/update_weights_from_disk":
            Played.weights = "another" if self.contested else body["weight_version"]
            return 200, {"success": True}
        if path == "/v1/completions" and (body["model"] in self.adapters or self.weights != "default"):
            return 200, {
                "model": body["model"],
                "choices": [{"text": "x"}],
                "metadata": {"weight_version": self.weights},
            }
        return 404, {"message": "no such model"}

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


class Serving(unittest.TestCase):
    def setUp(self) -> None:
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Played)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        patched = unittest.mock.patch.dict(os.environ, {"EVOLVE_HOME": self.folder.name})
        patched.start()
        self.addCleanup(patched.stop)
        self.policy = Path(self.folder.name) / "p-v0001"
        self.policy.mkdir()
        (self.policy / "policy.json").write_text("{}", encoding="utf-8")
        Played.adapters, Played.weights, Played.contested = {}, "default", False
        Played.hostile, Played.asked = None, []

    def publish(self, serve: str, url: str | None = "") -> Any:
        address = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        order = Order(
            run="r", step=0, update_id="u" * 64, kind="policy", policy="p-v0001", version=1, trainer="reference",
            base="bytes", seed=0, hyper=Hyper(), serve=serve, serve_url=address if url == "" else url,
        )  # fmt: skip
        (Path(self.folder.name) / "keys.json").write_text(json.dumps({address: "secret"}), encoding="utf-8")
        return publish(order, RESULT, Place(policies=self.folder.name), Quiet())

    def test_vllm_serves_the_adapter_under_the_version_s_name_however_often_it_is_asked(self) -> None:
        (self.policy / "adapter").mkdir()
        for _ in range(2):
            self.assertEqual(self.publish("vllm").model, "p-v0001")
            self.assertEqual(Played.key, "Bearer secret")
        self.assertEqual(Played.adapters, {"p-v0001": str(self.policy / "adapter")})

    def test_vllm_without_an_adapter_is_refused_with_the_setting(self) -> None:
        with self.assertRaisesRegex(ConfigError, "learning.serve.*learning.lora"):
            self.publish("vllm")
        with self.assertRaisesRegex(ConfigError, "learning.serveUrl"):
            self.publish("vllm", None)

    def test_sglang_takes_the_folder_and_must_answer_with_its_weights(self) -> None:
        self.assertEqual(self.publish("sglang").model, "p-v0001")
        Played.contested = True
        with self.assertRaisesRegex(PolicyNotServed, "got 'another'"):
            self.publish("sglang")

    def test_what_a_server_says_is_short_in_errors_and_without_the_key(self) -> None:
        for status in (200, 400, 503):
            Played.hostile = status, {"message": "Bearer secret" + "x" * 3_000_000}
            with self.assertRaises((PolicyNotServed, ConnectionError)) as refused:
                self.publish("sglang")
            self.assertNotIn("secret", str(refused.exception))
            self.assertLess(len(str(refused.exception)), 2_000)
        Played.hostile = 200, {"choices": [1], "metadata": "none"}
        with self.assertRaisesRegex(PolicyNotServed, "got None"):
            self.publish("sglang")

    def test_an_error_leaves_the_worker_short_and_without_a_key(self) -> None:
        (Path(self.folder.name) / "keys.json").write_text('{"tinker": "tml-secret"}', encoding="utf-8")
        store = unittest.mock.Mock()
        activities = Activities(store, Place(policies=self.folder.name), Path(self.folder.name))
        self.addCleanup(LOG.handlers.clear)
        for error, lasts in ((RuntimeError, False), (ConfigError, True)):
            cause = ValueError("tml-secret")
            store.order.side_effect = error("401 for tml-secret " + 10**6 * "x")
            store.order.side_effect.__cause__ = cause
            with self.assertRaises(ApplicationError) as refused, contextlib.redirect_stderr(io.StringIO()) as log:
                open_log("learner", "text")
                asyncio.run(ActivityEnvironment().run(activities.apply_update, {"run": "r", "updateId": "u"}))
            told = refused.exception
            self.assertEqual((told.type, told.non_retryable), (error.__name__, lasts))
            self.assertTrue(str(told).endswith("x ...") and "401 for [key] x" in str(told) and len(str(told)) < 5_000)
            self.assertIsNone(told.__cause__)
            self.assertTrue(told.__suppress_context__)
            self.assertEqual("xxx" in log.getvalue(), not lasts)
            self.assertNotIn("tml-secret", log.getvalue())

    def test_the_key_goes_to_no_other_address(self) -> None:
        Played.elsewhere = f"http://localhost:{self.server.server_address[1]}/elsewhere"
        Played.hostile = 302, {}
        with self.assertRaisesRegex(PolicyNotServed, "got 302"):
            self.publish("sglang")
        self.assertEqual(Played.asked, [])


if __name__ == "__main__":
    unittest.main()
