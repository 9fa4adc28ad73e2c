"""The reference trainer: its loss, its updates, what it refuses, and that it samples as it trains."""

from __future__ import annotations

import contextlib
import json
import math
import os
import shutil
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import torch
from evolve_trainer.reference import checkpoint
from evolve_trainer.reference.base import load_model, make_bytes
from evolve_trainer.reference.loss import Row, micro_batches, policy_loss, sequence_means, token_logprobs
from evolve_trainer.reference.optimizer import AdamW
from evolve_trainer.protocol import (
    Adam,
    BadBatch,
    ConfigError,
    Example,
    Examples,
    Hyper,
    Lora,
    MissingCheckpoint,
    NoSpace,
    NotFinite,
    Order,
    Quiet,
    Rollout,
    Rollouts,
    Stopped,
    Supervised,
    TrainerError,
    UpdateResult,
    WrongBase,
)
from evolve_trainer.reference.trainer import ReferenceTrainer
from evolve_trainer.reference.sampler import Sampling, sample
from evolve_trainer.reference.tokenizer import ByteTokenizer, load_tokenizer

# The numbers that are expected are those of a CPU, also on a host with a GPU.
os.environ.setdefault("EVOLVE_TRAINER_DEVICE", "cpu")
GOLDEN = Path(__file__).parents[1] / "fixtures" / "learning" / "golden.json"
BASE = "bytes:layers=2,width=32,heads=2,inner=48,context=256"
CPU = torch.device("cpu")


def order(kind: str, version: int, parent: UpdateResult | None = None, **hyper: Any) -> Order:
    hyper.setdefault("optimizer", Adam(learning_rate=1e-3))
    return Order(
        run="r",
        step=version,
        update_id=f"{version}" * 64,
        kind=kind,  # type: ignore[arg-type]
        policy=f"r-v{version:04d}-{version}",
        version=version,
        trainer="reference",
        base=BASE,
        seed=11,
        hyper=Hyper(**hyper),
        parent=None if parent is None else parent.training_state,
        parent_state=None if parent is None else parent.training_state,
    )


class Folder(unittest.TestCase):
    """A trainer in a folder of its own, and rollouts that were sampled from its policies."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.policies = Path(scratch.name) / "policies"
        self.trainer = ReferenceTrainer(self.policies)

    def started(self, **hyper: Any) -> UpdateResult:
        return self.trainer.start(order("start", 0, **hyper), Quiet())

    def rollouts(self, policy: str, temperature: float = 1.0, tokens: int = 20) -> Rollouts:
        """Two groups of four answers; the more of them are small letters, the more an answer is worth."""
        model = load_model(self.policies / policy, CPU, training=False)
        rows = []
        for group in range(2):
            prompt = ByteTokenizer().chat([{"role": "user", "content": f"group {group}"}])
            answers = sample(model, ByteTokenizer(), prompt, 4, Sampling(tokens, temperature, seed=100 * group))
            worth = np.array([np.mean([97 <= i <= 122 for i in answer.ids]) for answer in answers])
            for place, answer in enumerate(answers):
                rows.append(
                    Rollout(
                        id=f"{group}-{place}",
                        group=str(group),
                        prompt=np.array(prompt, dtype=np.int32),
                        response=np.array(answer.ids, dtype=np.int32),
                        logprobs=np.array(answer.logprobs, dtype=np.float32),
                        reward=float(worth[place]),
                        advantage=float(worth[place] - worth.mean()),
                        truncated=answer.finish == "length",
                    )
                )
        return Rollouts(rows, len(rows), "f")


class Loss(unittest.TestCase):
    def test_the_golden_vectors_by_autograd(self) -> None:
        for row in json.loads(GOLDEN.read_text())["tokens"]:
            with self.subTest(**row):
                # float64 holds ln(ratio) to the last bit but one, so that 0.8 exactly would be a matter of luck.
                new = torch.tensor([math.log(row["ratio"])], dtype=torch.float64, requires_grad=True)
                old = torch.zeros(1, dtype=torch.float64)
                sampler = torch.tensor([-math.log(row["weight"])], dtype=torch.float64)
                advantage = torch.tensor([float(row["advantage"])], dtype=torch.float64)
                loss = policy_loss(new, old, sampler, advantage, Hyper())[0].sum()
                loss.backward()
                self.assertAlmostEqual(float(loss), row["loss"], delta=1e-12)
                self.assertAlmostEqual(float(new.grad[0]), row["gradient"], delta=1e-12)

    def test_weights_outside_the_band_are_cut_or_left_out(self) -> None:
        old, sampler = torch.zeros(3, dtype=torch.float64), -torch.tensor([0.1, 1.0, 3.0], dtype=torch.float64).log()
        one = torch.ones(3, dtype=torch.float64)
        for hyper, expected in (
            (Hyper(truncated_is=(0.5, 2.0)), [-0.5, -1.0, -2.0]),
            (Hyper(truncated_is=(0.5, 2.0), icepop=True), [0.0, -1.0, 0.0]),
            (Hyper(truncated_is=None), [-1.0, -1.0, -1.0]),
        ):
            losses, _, outside = policy_loss(old, old, sampler, one, hyper)
            np.testing.assert_allclose(losses.numpy(), expected, atol=1e-12)
            self.assertEqual(outside.tolist(), [hyper.truncated_is is not None, False, hyper.truncated_is is not None])

    def test_micro_batches_order_and_sharing_leave_the_gradient(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            model = make_bytes(BASE, 3, Path(folder))
        draw = np.random.default_rng(0)
        prompts = [draw.integers(0, 256, size) for size in (1, 9, 9, 30)]
        rows = [Row(prompts[i % 4], draw.integers(0, 256, 1 + i)) for i in range(12)]

        def gradient(order_of_rows: list[int], limit: int, share: bool) -> np.ndarray:
            model.zero_grad()
            for part in micro_batches([rows[i] for i in order_of_rows], limit, share):
                chosen = [rows[order_of_rows[place]] for place in part.rows]
                lengths = [len(row.response) for row in chosen]
                factors = torch.tensor([float(len(row.prompt) + len(row.response)) for row in chosen])
                (sequence_means(token_logprobs(model, part, 0.7), lengths) * factors).sum().backward()
            return torch.cat([weight.grad.flatten() for weight in model.parameters()]).numpy().copy()

        whole = gradient(list(range(12)), 10**6, False)
        for limit, share in ((10**6, True), (64, True), (64, False), (1, True)):
            other = gradient(list(range(11, -1, -1)), limit, share)
            self.assertLess(np.abs(other - whole).max() / np.abs(whole).max(), 1e-5)

    def test_adamw_is_that_of_pytorch(self) -> None:
        start = torch.randn(7, 5, generator=torch.Generator().manual_seed(0))
        ours, theirs = torch.nn.Parameter(start.clone()), torch.nn.Parameter(start.clone())
        adam = Adam(learning_rate=1e-2, beta2=0.95, weight_decay=0.1, grad_norm=0.5)
        reference = torch.optim.AdamW([theirs], lr=1e-2, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1)
        state: dict[str, torch.Tensor] = {}
        for step in range(4):
            mine = AdamW({"w": ours}, state, step)
            for weight in (ours, theirs):
                weight.grad = (weight.detach() * (step + 1)).cos()
            norm = torch.nn.utils.clip_grad_norm_([theirs], 0.5)
            reference.step()
            self.assertAlmostEqual(mine.step(adam, adam.learning_rate), float(norm), delta=1e-5)
            state = {name: value.clone() for name, value in mine.state().items()}
        self.assertLess(float((ours - theirs).abs().max()), 1e-6)


class Sampler(Folder):
    def test_logprobs_of_the_sampler_are_those_of_the_trainer(self) -> None:
        policy = self.started().sampler_state
        batch = self.rollouts(policy, temperature=0.7, tokens=120)
        self.assertTrue(any(row.response[-1] == ByteTokenizer.end for row in batch.rows), "no answer ended by itself")
        model = load_model(self.policies / policy, CPU, training=True)
        rows = [Row(row.prompt, row.response) for row in batch.rows]
        for share in (True, False):
            for part in micro_batches(rows, 4096, share):
                with torch.no_grad():
                    ours = token_logprobs(model, part, 0.7).numpy()
                theirs = np.concatenate([batch.rows[place].logprobs for place in part.rows])
                self.assertLess(np.abs(ours - theirs).max(), 1e-5)

    def test_an_answer_depends_on_its_seed(self) -> None:
        model = load_model(self.policies / self.started().sampler_state, CPU, training=False)
        tokenizer = ByteTokenizer()
        first = sample(model, tokenizer, [65, 66], 3, Sampling(12, seed=5))
        again = sample(model, tokenizer, [65, 66], 3, Sampling(12, seed=5))
        self.assertEqual(first, again)
        self.assertEqual(first[2].ids, sample(model, tokenizer, [65, 66], 1, Sampling(12, seed=7))[0].ids)
        self.assertNotEqual(first[0].ids, first[1].ids)
        greedy = sample(model, tokenizer, [65, 66], 2, Sampling(12, temperature=0))
        self.assertEqual(greedy[0], greedy[1])
        narrow = sample(model, tokenizer, [65, 66], 1, Sampling(12, top_p=1e-6, seed=3))[0]
        self.assertEqual(narrow.ids, greedy[0].ids)
        self.assertEqual(narrow.logprobs, [0.0] * len(narrow.ids))


class Updates(Folder):
    def test_the_same_update_gives_the_same_weights(self) -> None:
        hashes = []
        for _ in range(2):
            parent = self.started()
            batch = self.rollouts(parent.sampler_state)
            one = self.trainer.apply(order("policy", 1, parent), batch, Quiet())
            two = self.trainer.apply(order("policy", 2, one), self.rollouts(one.sampler_state), Quiet())
            hashes.append((parent.weights_hash, one.weights_hash, two.weights_hash))
            self.assertEqual(self.trainer.apply(order("policy", 1, parent), batch, Quiet()), one)
            self.assertEqual((one.used, one.dropped), (8, 0))
            self.assertLess(one.mismatch, 1e-5)
            shutil.rmtree(self.policies)
        self.assertEqual(hashes[0], hashes[1])
        self.assertEqual(len(set(hashes[0])), 3)

    def test_supervised_steps_teach_the_answers(self) -> None:
        parent = self.started()
        rows = [Example(str(i), [{"role": "user", "content": f"say {i}"}], f"it is {i}") for i in range(4)]
        hyper = {"supervised": Supervised(steps=120, batch=4, learning_rate=1e-2)}
        taught = self.trainer.apply(order("supervised", 1, parent, **hyper), Examples(rows, "f"), Quiet())
        self.assertLess(taught.loss, 0.2)
        model = load_model(self.policies / taught.sampler_state, CPU, training=False)
        prompt = ByteTokenizer().chat(rows[2].messages)
        answer = sample(model, ByteTokenizer(), prompt, 1, Sampling(20, temperature=0))[0]
        self.assertEqual((ByteTokenizer().decode(answer.ids), answer.finish), ("it is 2", "stop"))

    def test_a_training_in_two_parts_has_one_learning_rate_and_one_optimizer(self) -> None:
        whole = Supervised(8, 2, 1e-2, "cosine", 3)
        parts = [replace(whole, steps=4, first=first, total=8) for first in (0, 4)]
        rates = [part.rate(step) for part in parts for step in range(4)]
        self.assertEqual(rates, [whole.rate(step) for step in range(8)])
        self.assertEqual(max(rates), rates[2])
        rows = [Example(str(i), [{"role": "user", "content": "say"}], "it is") for i in range(4)]
        parent = self.started()
        for version, part in enumerate(parts, 1):
            hyper = {"supervised": part}
            parent = self.trainer.apply(order("supervised", version, parent, **hyper), Examples(rows, "f"), Quiet())
            kept = checkpoint.load_tensors(self.policies / parent.training_state / checkpoint.OPTIMIZER)
            self.assertEqual(int(kept["steps"]), 4 * version)

    def test_lora_trains_a_change_and_leaves_the_base(self) -> None:
        parent = self.started(lora=Lora(rank=4, alpha=8))
        folder = self.policies / parent.training_state
        base = checkpoint.load_tensors(folder / checkpoint.WEIGHTS)
        hyper = {"lora": Lora(rank=4, alpha=8), "optimizer": Adam(learning_rate=1e-2)}
        one = self.trainer.apply(order("policy", 1, parent, **hyper), self.rollouts(parent.sampler_state), Quiet())
        two = self.trainer.apply(order("policy", 2, one, **hyper), self.rollouts(one.sampler_state), Quiet())
        self.assertLess(two.mismatch, 1e-5)
        last = self.policies / two.training_state
        kept, whole = (checkpoint.load_tensors(last / name) for name in (checkpoint.BASE, checkpoint.WEIGHTS))
        self.assertEqual(checkpoint.weights_hash(kept), checkpoint.weights_hash(base))
        adapter = checkpoint.load_tensors(last / "adapter" / "adapter_model.safetensors")
        name = "model.layers.0.self_attn.q_proj"
        low, high = (adapter[f"base_model.model.{name}.{part}.weight"] for part in ("lora_A", "lora_B"))
        change = whole[f"{name}.weight"] - base[f"{name}.weight"]
        self.assertGreater(float(change.abs().max()), 1e-3)
        self.assertLess(float((change - 2.0 * high @ low).abs().max()), 1e-6)
        self.assertTrue(torch.equal(whole["model.embed_tokens.weight"], base["model.embed_tokens.weight"]))

    def test_a_policy_of_another_run_is_a_start(self) -> None:
        parent = self.started()
        one = self.trainer.apply(order("policy", 1, parent), self.rollouts(parent.sampler_state), Quiet())
        other = replace(order("start", 0, one), run="s", policy="s-v0000-0", update_id="a" * 64)
        self.assertEqual(self.trainer.start(other, Quiet()).weights_hash, one.weights_hash)


class Refusals(Folder):
    def refuses(self, error: type[Exception], words: str, wanted: Order, batch: Any) -> None:
        before = sorted(path.name for path in self.policies.iterdir())
        with self.assertRaisesRegex(error, words):
            self.trainer.apply(wanted, batch, Quiet())
        self.assertEqual(sorted(path.name for path in self.policies.iterdir()), before)

    def test_bad_input_is_refused_and_nothing_is_written(self) -> None:
        parent = self.started()
        batch = self.rollouts(parent.sampler_state)
        for rate in (math.nan, 1e39, 1e30, 1e10):
            hyper = {"optimizer": Adam(learning_rate=rate)}
            self.refuses(NotFinite, "learning.optimizer.learningRate", order("policy", 1, parent, **hyper), batch)
        foreign = replace(batch, rows=[replace(batch.rows[0], response=np.array([99, 5000]), logprobs=np.zeros(2))])
        self.refuses(WrongBase, "5000.*262 tokens", order("policy", 1, parent), foreign)
        far = replace(batch, rows=[replace(row, logprobs=row.logprobs - 30) for row in batch.rows])
        self.refuses(BadBatch, "learning.maxMismatch", order("policy", 1, parent), far)
        self.refuses(WrongBase, "learning.lora", order("policy", 1, parent, lora=Lora(2, 2)), batch)
        self.refuses(WrongBase, "learning.base", replace(order("policy", 1, parent), base="bytes"), batch)
        gone = replace(parent, training_state="r-v0009-gone")
        self.refuses(MissingCheckpoint, "no such folder", order("policy", 1, gone), batch)
        with mock.patch("shutil.disk_usage", return_value=mock.Mock(free=10**6)):
            self.refuses(NoSpace, "learning.keep", order("policy", 1, parent), batch)

    def test_a_parent_that_is_half_written_or_damaged(self) -> None:
        parent = self.started()
        batch = self.rollouts(parent.sampler_state)
        folder = self.policies / parent.training_state
        weights = (folder / checkpoint.WEIGHTS).read_bytes()
        (folder / checkpoint.WEIGHTS).write_bytes(weights[:-4] + bytes([1, 2, 3, 4]))
        self.refuses(MissingCheckpoint, "expected the hash", order("policy", 1, parent), batch)
        (folder / checkpoint.WEIGHTS).write_bytes(weights[:-4])
        self.refuses(MissingCheckpoint, "half written", order("policy", 1, parent), batch)
        self.assertEqual(checkpoint.policy_names(self.policies), [])
        self.assertIsNone(self.trainer.find(order("start", 0)))
        self.assertEqual(self.started().weights_hash, parent.weights_hash)  # it can be made again, as it was

    def test_a_base_that_cannot_be(self) -> None:
        for base, error, words in (
            ("bytes:layers=no", ConfigError, "layers=no"),
            ("bytes:width=30", ConfigError, "multiple of the heads"),
            (str(self.policies / "nothing"), MissingCheckpoint, "learning.base"),
        ):
            with self.assertRaisesRegex(error, words):
                self.trainer.start(replace(order("start", 0), base=base), Quiet())
        for name in ("../p", "/tmp/p", "", "a/b"):
            with self.assertRaisesRegex(MissingCheckpoint, "The name of a policy"):
                self.trainer.start(replace(order("start", 0), parent_state=name), Quiet())
            with self.assertRaisesRegex(BadBatch, "The name of a policy"):
                self.trainer.start(replace(order("start", 0), policy=name), Quiet())

    def test_a_folder_of_a_stranger_is_read_as_one(self) -> None:
        folder = self.policies.parent / "base"
        shutil.copytree(self.policies / self.started().training_state, folder)
        config, weights = (folder / "config.json").read_text(), (folder / checkpoint.WEIGHTS).read_bytes()
        wanted = replace(order("start", 0), base=str(folder), policy="s-v0000-0")
        for changes, words in (
            ({"hidden_size": "wide"}, "hidden_size"),
            ({"num_hidden_layers": None}, "num_hidden_layers"),
            ({"vocab_size": 10**9}, "do not fit"),
            ({"num_hidden_layers": 10**7}, "do not fit"),
            ({"vocab_size": -5}, "vocab_size"),
            ({"num_key_value_heads": 3}, "multiple"),
            ({"intermediate_size": 24}, "do not fit"),
        ):
            (folder / "config.json").write_text(json.dumps({**json.loads(config), **changes}))
            with self.assertRaisesRegex(TrainerError, words):
                self.trainer.start(wanted, Quiet())
        (folder / "config.json").write_text("[]")
        with self.assertRaisesRegex(MissingCheckpoint, "an object was expected"):
            self.trainer.start(wanted, Quiet())
        # A context that nobody has memory for costs nothing until it is used.
        (folder / "config.json").write_text(json.dumps({**json.loads(config), "max_position_embeddings": 2**31 - 1}))
        started = self.trainer.start(wanted, Quiet()).sampler_state
        self.assertEqual(len(self.rollouts(started, tokens=2).rows), 8)
        for cut in (weights[:4], weights[:200], weights[:-4], b"\xff" * 16, b""):
            (folder / checkpoint.WEIGHTS).write_bytes(cut)
            with self.assertRaisesRegex(MissingCheckpoint, "safetensors"):
                self.trainer.start(replace(wanted, policy="s-v0000-1"), Quiet())
        self.assertEqual([path.name for path in self.policies.iterdir() if path.name.endswith(".part")], [])

    def test_other_weights_are_no_beginning(self) -> None:
        parent = self.started()
        weights = self.policies / parent.training_state / checkpoint.WEIGHTS
        weights.write_bytes(weights.read_bytes()[:-4] + bytes([1, 2, 3, 4]))
        other = replace(order("start", 0, parent), run="s", policy="s-v0000-0", update_id="a" * 64)
        with self.assertRaisesRegex(MissingCheckpoint, "expected the hash"):
            self.trainer.start(other, Quiet())

    def test_no_code_of_a_folder_runs(self) -> None:
        """Neither code that a folder brings, nor weights that are pickles, are read through `transformers`."""
        played, folder = mock.MagicMock(), self.policies.parent / "foreign"
        folder.mkdir()
        (folder / "config.json").write_text('{"model_type": "other", "auto_map": {"AutoModel": "code.Model"}}')
        with mock.patch.dict("sys.modules", {"transformers": played}), contextlib.suppress(Exception):
            load_model(folder, CPU, training=False)
        with mock.patch.dict("sys.modules", {"transformers": played}), contextlib.suppress(Exception):
            load_tokenizer(folder)
        safe = {"local_files_only": True, "trust_remote_code": False}
        played.AutoModelForCausalLM.from_pretrained.assert_called_once_with(str(folder), use_safetensors=True, **safe)
        played.AutoTokenizer.from_pretrained.assert_called_once_with(str(folder), **safe)

    def test_a_stopped_update_leaves_nothing(self) -> None:
        class Stops(Quiet):
            def __call__(self, what: str, done: int = 0, total: int = 0) -> None:
                raise Stopped(what)

        parent = self.started()
        with self.assertRaises(Stopped):
            self.trainer.apply(order("policy", 1, parent), self.rollouts(parent.sampler_state), Stops())
        self.assertEqual([path.name for path in self.policies.iterdir()], [parent.training_state])

    def test_the_second_of_two_attempts_finds_the_first(self) -> None:
        def fill(digest: str) -> Any:
            def files(part: Path) -> dict[str, Any]:
                (part / checkpoint.WEIGHTS).write_text(digest)
                named = {"policy": "p", "updateId": "u", "base": "bytes", "result": {}}
                return {**named, "weightsHash": digest, "made": str(part)}

            return files

        first = checkpoint.write_policy(self.policies, "p", fill("a"))
        self.assertEqual(checkpoint.write_policy(self.policies, "p", fill("a")), first)
        with self.assertRaisesRegex(TrainerError, "different weights"):
            checkpoint.write_policy(self.policies, "p", fill("b"))
        self.assertEqual([path.name for path in self.policies.iterdir()], ["p"])

    def test_what_killed_attempts_left_is_removed(self) -> None:
        mine = os.getpid()
        left = (f"p.{mine}-aa.part", "p.999999999-bb.part", "q.999999999-cc.part", f"old.{mine}-dd.part")
        for name in left:
            (self.policies / name).mkdir(parents=True)
        os.utime(self.policies / left[3], (0, 0))
        checkpoint.write_policy(self.policies, "p", lambda part: {"weightsHash": "a"})
        names = sorted(path.name for path in self.policies.iterdir())
        self.assertEqual(names, ["p", left[0], left[2]])


if __name__ == "__main__":
    unittest.main()
