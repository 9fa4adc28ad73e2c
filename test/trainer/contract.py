"""What every trainer must do, whoever wrote it: a table of laws, run against one trainer at a time.

`test_contract.py` runs it against the reference trainer; docs/learning.md says how to run it against a server that
other people wrote. A trainer under test is a `Subject`: how to make it, and which order starts a policy.
"""

from __future__ import annotations

import unittest
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from evolve_trainer.protocol import Adam, Hyper, Lora, Order, Quiet, Rollout, Rollouts, Trainer, UpdateResult

PROMPT = np.array([65, 66, 67, 68, 69, 70], dtype=np.int32)
RESPONSES = [np.array(ids, dtype=np.int32) for ids in ([72, 73, 74], [80, 81, 82, 83, 84], [90, 91], [99, 98, 97, 96])]


@dataclass(frozen=True)
class Subject:
    make: Callable[[], Trainer]
    base: str
    server: str | None = None
    #: None: full fine-tuning.
    lora: Lora | None = None
    #: The norm bound that the trainer honours; 0: none.
    grad_norm: float = 0.0
    #: Of each rollout the trainer's logprobs of the response under a policy [T], for a subject that can say them.
    logprobs: Callable[[Trainer, Order, UpdateResult, Sequence[Rollout]], list[np.ndarray]] | None = None
    #: Whether the same update twice gives the same weights, bit for bit.
    exact: bool = True


class Counting(Quiet):
    """Remembers the operations, and fails after one of them where it is told to."""

    def __init__(self, fail_after: str | None = None) -> None:
        self.operations: list[str] = []
        self._fail_after = fail_after

    @contextmanager
    def operation(self, name: str, payload: object = None) -> Any:
        self.operations.append(name)
        yield
        if name == self._fail_after:
            raise Killed(name)


class Killed(Exception):
    pass


class Contract(unittest.TestCase):
    """Needs `subject`; a class of its own for each trainer sets it."""

    subject: Subject
    _count = 0

    def setUp(self) -> None:
        self.trainer = self.subject.make()

    def hyper(self, rate: float = 1e-3, decay: float = 0.0, **changes: Any) -> Hyper:
        adam = Adam(learning_rate=rate, weight_decay=decay, grad_norm=self.subject.grad_norm)
        return Hyper(optimizer=adam, lora=self.subject.lora, **changes)

    def order(self, kind: str, version: int, parent: UpdateResult | None = None, **changes: Any) -> Order:
        Contract._count += 1
        update_id = f"{Contract._count:012x}".ljust(64, "0")
        return replace(
            Order(
                run="contract",
                step=max(version - 1, 0),
                update_id=update_id,
                kind=kind,  # type: ignore[arg-type]
                policy=f"contract-v{version:04d}-{Contract._count:08x}",
                version=version,
                trainer="contract",
                base=self.subject.base,
                seed=7,
                hyper=self.hyper(),
                parent=None if parent is None else "parent",
                parent_state=None if parent is None else parent.training_state,
                batch_file=None if kind == "start" else f"{Contract._count:064x}",
                server=self.subject.server,
            ),
            **changes,
        )

    def started(self) -> UpdateResult:
        return self.trainer.start(self.order("start", 0), Quiet())

    def logprobs(self, result: UpdateResult, rows: Sequence[Rollout]) -> list[np.ndarray]:
        assert self.subject.logprobs is not None
        return self.subject.logprobs(self.trainer, self.order("policy", 1), result, rows)

    def rollouts(self, parent: UpdateResult, advantages: Sequence[float], shift: float = 0.0) -> Rollouts:
        """Responses whose sampler's logprobs are the parent's own, `shift` nats lower on every token."""
        rows = [
            Rollout(f"r{i}", "g", PROMPT, response, np.zeros(len(response), dtype=np.float32), a, a, False)
            for i, (response, a) in enumerate(zip(RESPONSES, advantages))
        ]
        own = self.logprobs(parent, rows)
        rows = [replace(row, logprobs=(o - shift).astype(np.float32)) for row, o in zip(rows, own)]
        return Rollouts(rows=rows, total=len(rows), file="f" * 64)

    def applied(self, parent: UpdateResult, batch: Rollouts, **changes: Any) -> UpdateResult:
        return self.trainer.apply(self.order("policy", 1, parent, **changes), batch, Quiet())

    def means(self, result: UpdateResult, batch: Rollouts) -> np.ndarray:
        return np.array([row.mean() for row in self.logprobs(result, batch.rows)])

    def test_an_advantage_above_zero_raises_logprobs_and_one_below_lowers_them(self) -> None:
        start = self.started()
        for sign in (1.0, -1.0):
            batch = self.rollouts(start, [sign, 0.0, 0.0, 0.0])
            after = self.applied(start, batch)
            change = self.means(after, batch) - self.means(start, batch)
            self.assertGreater(sign * change[0], 0.0, f"advantage {sign}: changes of the means {change}")

    def test_no_advantage_and_no_decay_changes_nothing(self) -> None:
        start = self.started()
        batch = self.rollouts(start, [0.0, 0.0, 0.0, 0.0])
        after = self.applied(start, batch)
        np.testing.assert_allclose(self.means(after, batch), self.means(start, batch), atol=1e-6)
        self.assertEqual(after.loss, 0.0)

    def test_the_loss_is_the_mean_of_means_with_the_importance_weight_cut(self) -> None:
        start = self.started()
        advantages = [1.0, -0.5, 2.0, 0.25]
        # r = 1 before the step: the loss is -(1/N) sum A w, whatever the lengths.
        for shift, weight, beyond in ((0.0, 1.0, 0.0), (1.0, 2.0, 1.0), (-0.5, np.exp(-0.5), 0.0)):
            batch = self.rollouts(start, advantages, shift)
            result = self.applied(start, batch)
            self.assertAlmostEqual(result.loss, -weight * sum(advantages) / 4, delta=2e-3)
            self.assertEqual((result.clip_fraction, result.is_clip_fraction), (0.0, beyond))
            self.assertAlmostEqual(result.mismatch, abs(shift), delta=1e-4)
            self.assertEqual((result.used, result.dropped), (4, 0))

    def test_what_was_left_out_still_counts_in_the_mean(self) -> None:
        start = self.started()
        whole = self.rollouts(start, [1.0, -1.0, 0.0, 0.0])
        fewer = Rollouts(rows=whole.rows[:2], total=4, file=whole.file)
        first, second = self.applied(start, whole), self.applied(start, fewer)
        self.assertAlmostEqual(first.loss, second.loss, delta=1e-5)
        np.testing.assert_allclose(self.means(first, whole), self.means(second, whole), atol=2e-5)

    def test_the_order_of_rollouts_changes_nothing(self) -> None:
        start = self.started()
        batch = self.rollouts(start, [1.0, -0.5, 2.0, 0.25])
        turned = Rollouts(rows=list(reversed(batch.rows)), total=4, file=batch.file)
        first, second = self.applied(start, batch), self.applied(start, turned)
        np.testing.assert_allclose(self.means(first, batch), self.means(second, batch), atol=2e-5)

    def test_a_rollout_that_these_weights_cannot_have_sampled_is_dropped_and_counted(self) -> None:
        start = self.started()
        batch = self.rollouts(start, [1.0, -0.5, 2.0, 0.25])
        odd = replace(batch.rows[0], logprobs=batch.rows[0].logprobs - np.float32(50.0))
        result = self.applied(start, Rollouts(rows=[odd, *batch.rows[1:]], total=4, file=batch.file))
        self.assertEqual((result.used, result.dropped), (3, 1))

    def test_the_optimizer_goes_on_from_the_parent_s_moments(self) -> None:
        start = self.started()
        batch = self.rollouts(start, [1.0, -0.5, 2.0, 0.25])
        first = self.applied(start, batch)
        still = self.rollouts(first, [0.0, 0.0, 0.0, 0.0])
        second = self.applied(first, still)
        # Without a gradient, and without decay, a step moves by the momentum that the parent carries.
        self.assertGreater(float(np.abs(self.means(second, still) - self.means(first, still)).max()), 1e-6)

    def test_an_attempt_that_was_broken_off_anywhere_leaves_the_same_update(self) -> None:
        start = self.started()
        batch = self.rollouts(start, [1.0, -0.5, 2.0, 0.25])
        watched = Counting()
        undisturbed = self.trainer.apply(self.order("policy", 1, start), batch, watched)
        for operation in dict.fromkeys(watched.operations):
            order = self.order("policy", 1, start)
            with self.assertRaises(Killed):
                self.trainer.apply(order, batch, Counting(fail_after=operation))
            # What was complete when it broke off is found, whatever was not is made anew.
            again = self.trainer.find(order) or self.trainer.apply(order, batch, Quiet())
            if self.subject.exact:
                self.assertEqual(again.weights_hash, undisturbed.weights_hash, f"broken off after {operation}")
            else:
                np.testing.assert_allclose(self.means(again, batch), self.means(undisturbed, batch), atol=2e-5)

    def test_an_update_that_was_applied_is_found(self) -> None:
        start = self.started()
        batch = self.rollouts(start, [1.0, -0.5, 2.0, 0.25])
        order = self.order("policy", 1, start)
        result = self.trainer.apply(order, batch, Quiet())
        self.assertEqual(self.trainer.find(replace(order, stored=result)), result)
