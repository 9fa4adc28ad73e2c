"""The server of policies, asked over HTTP: answers that can be learned from, and requests that make no sense."""

from __future__ import annotations

import json
import os
import tempfile
import unittest
from pathlib import Path
from typing import Any

import torch
from aiohttp.test_utils import TestClient, TestServer
from evolve_trainer.reference.base import load_model
from evolve_trainer.protocol import Hyper, Order, Quiet
from evolve_trainer.reference.trainer import ReferenceTrainer
from evolve_trainer.reference.sampler import Sampling, sample
from evolve_trainer.server import Server
from evolve_trainer.reference.tokenizer import ByteTokenizer

# The numbers that are expected are those of a CPU, also on a host with a GPU.
os.environ.setdefault("EVOLVE_TRAINER_DEVICE", "cpu")
BASE = "bytes:layers=1,width=16,heads=2,inner=16,context=64"
HELLO = [{"role": "user", "content": "hello"}]


class Serving(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.policies = Path(scratch.name) / "policies"
        self.start("r-v0000-a", 0)
        self.client = TestClient(TestServer(Server(self.policies).application()))
        await self.client.start_server()
        self.addAsyncCleanup(self.client.close)

    def start(self, policy: str, seed: int) -> None:
        order = Order("r", 0, policy, "start", policy, 0, "reference", BASE, seed, Hyper())
        ReferenceTrainer(self.policies).start(order, Quiet())

    async def ask(self, route: str, **body: Any) -> tuple[int, dict[str, Any]]:
        answer = await self.client.post(f"/v1/{route}", json={"model": "r-v0000-a", **body})
        return answer.status, await answer.json()

    async def test_a_chat_answers_with_token_ids_and_logprobs(self) -> None:
        wishes = {"messages": HELLO, "n": 3, "seed": 5, "max_tokens": 12, "temperature": 0.8}
        status, answer = await self.ask("chat/completions", **wishes, logprobs=True, return_token_ids=True)
        self.assertEqual((status, answer["model"], answer["prompt_tokens_cut"]), (200, "r-v0000-a", 0))
        tokenizer = ByteTokenizer()
        prompt = tokenizer.chat(HELLO)
        self.assertEqual(answer["prompt_token_ids"], prompt)
        model = load_model(self.policies / "r-v0000-a", torch.device("cpu"), training=False)
        expected = sample(model, tokenizer, prompt, 3, Sampling(12, 0.8, seed=5))
        for choice, whole in zip(answer["choices"], expected, strict=True):
            self.assertEqual(choice["token_ids"], whole.ids)
            self.assertEqual([entry["logprob"] for entry in choice["logprobs"]["content"]], whole.logprobs)
            self.assertEqual(choice["message"]["content"], tokenizer.decode(whole.ids))
            self.assertEqual(choice["finish_reason"], whole.finish)
        written = sum(len(whole.ids) for whole in expected)
        usage = {"prompt_tokens": len(prompt), "completion_tokens": written, "total_tokens": len(prompt) + written}
        self.assertEqual(answer["usage"], usage)
        self.assertEqual((await self.ask("chat/completions", **wishes))[1]["choices"][0]["logprobs"], None)

    async def test_a_completion_takes_texts_or_token_ids(self) -> None:
        wishes = {"seed": 5, "max_tokens": 6, "logprobs": 0, "return_token_ids": True, "stop": ["\n"]}
        _, text = await self.ask("completions", prompt=["ab", "c"], **wishes)
        _, ids = await self.ask("completions", prompt=[[97, 98], [99]], **wishes)
        self.assertEqual(text["choices"], ids["choices"])
        self.assertEqual([choice["prompt_token_ids"] for choice in ids["choices"]], [[97, 98], [99]])
        for choice in ids["choices"]:
            self.assertEqual(len(choice["logprobs"]["token_logprobs"]), len(choice["token_ids"]))

    async def test_a_prompt_that_is_too_long_loses_its_beginning_and_the_answer_says_so(self) -> None:
        _, answer = await self.ask("completions", prompt="x" * 90 + "y" * 10, return_token_ids=True, max_tokens=500)
        self.assertEqual(answer["choices"][0]["prompt_token_ids"], [120] * 22 + [121] * 10)
        self.assertEqual(answer["prompt_tokens_cut"], 68)
        self.assertLessEqual(answer["usage"]["completion_tokens"], 32)
        wishes = {"truncate_prompt_tokens": 2, "return_token_ids": True}
        _, shorter = await self.ask("completions", prompt="x" * 90 + "yz", **wishes)
        self.assertEqual(shorter["choices"][0]["prompt_token_ids"], [121, 122])

    async def test_policies_are_found_when_they_are_asked_for(self) -> None:
        status, error = await self.ask("chat/completions", model="r-v0001-b", messages=HELLO)
        self.assertEqual((status, error["error"]["code"]), (404, "model_not_found"))
        self.assertIn("r-v0000-a", error["error"]["message"])
        self.start("r-v0001-b", 1)
        (self.policies / "half").mkdir()
        (self.policies / "half" / "policy.json").write_text('{"files": {"model.safetensors": 5}}')
        listed = await (await self.client.get("/v1/models")).json()
        self.assertEqual([model["id"] for model in listed["data"]], ["r-v0000-a", "r-v0001-b"])
        self.assertEqual((await self.ask("chat/completions", model="r-v0001-b", messages=HELLO, max_tokens=2))[0], 200)
        self.assertEqual((await self.client.get("/health")).status, 200)

    async def test_pages_of_a_browser_are_not_answered(self) -> None:
        body = json.dumps({"model": "r-v0000-a", "prompt": "x", "max_tokens": 1})
        for headers, status in (
            ({"Host": "rebound.example:8000"}, 403),
            ({"Host": "127.0.0.1.rebound.example"}, 403),
            ({"Host": ""}, 403),
            ({"Origin": "https://page.example"}, 403),
            ({"Host": "localhost:8000"}, 200),
            ({"Host": "[::1]:8000"}, 200),
        ):
            answer = await self.client.post("/v1/completions", data=body, headers=headers)
            self.assertEqual(answer.status, status, headers)

    async def test_other_weights_under_the_name_of_a_policy_are_not_served(self) -> None:
        weights = self.policies / "r-v0000-a" / "model.safetensors"
        whole = weights.read_bytes()
        weights.write_bytes(whole[:-4] + bytes([1, 2, 3, 4]))
        status, error = await self.ask("completions", prompt="x", max_tokens=1)
        self.assertEqual(status, 500)
        self.assertIn("expected the hash", error["error"]["message"])
        weights.write_bytes(whole)
        self.assertEqual((await self.ask("completions", prompt="x", max_tokens=1))[0], 200)

    async def test_nonsense_is_answered_and_the_server_goes_on(self) -> None:
        for body in (b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b'{"model": 5}', b'{"model": "../r"}'):
            answer = await self.client.post("/v1/chat/completions", data=body)
            self.assertIn(answer.status, (400, 404), body[:20])
            self.assertIn("error", json.loads(await answer.text()))
        for field, value in (
            ("messages", [{"role": "nobody", "content": "x"}]),
            ("messages", [{"role": "user", "content": 5}]),
            ("n", 0),
            ("n", 10**9),
            ("max_tokens", -1),
            ("max_tokens", True),
            ("temperature", "hot"),
            ("temperature", -1),
            ("temperature", 1e-320),
            ("messages", [{"role": [], "content": "x"}]),
            ("top_p", 0),
            ("seed", 1.5),
            ("stop", [5]),
            ("stream", True),
            ("truncate_prompt_tokens", 0),
        ):
            status, error = await self.ask("chat/completions", **{"messages": HELLO, field: value})
            self.assertEqual((status, error["error"]["param"]), (400, field))
        for prompt in ("", [], [[]], [999], [-1], {"a": 1}):
            self.assertEqual((await self.ask("completions", prompt=prompt))[0], 400, prompt)
        self.assertEqual((await self.client.get("/v1/nothing")).status, 404)
        self.assertEqual((await self.ask("completions", prompt="x", seed=-(2**63), max_tokens=1))[0], 200)


if __name__ == "__main__":
    unittest.main()
