"""AdamW with decoupled decay, written out so that its state is plain tensors that a checkpoint carries to the child."""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor, nn

from ..protocol import Adam, NotFinite


class AdamW:
    """`weights` are trained in place. The state is `m.<name>` and `v.<name>`, float32, and the number of steps."""

    def __init__(self, weights: Mapping[str, nn.Parameter], state: Mapping[str, Tensor], steps: int) -> None:
        self.weights = dict(sorted(weights.items()))
        self.steps = steps
        self._first = {name: _moment(state, f"m.{name}", weight) for name, weight in self.weights.items()}
        self._second = {name: _moment(state, f"v.{name}", weight) for name, weight in self.weights.items()}

    def state(self) -> dict[str, Tensor]:
        firsts = {f"m.{name}": value for name, value in self._first.items()}
        return firsts | {f"v.{name}": value for name, value in self._second.items()}

    @torch.no_grad()
    def step(self, adam: Adam, learning_rate: float) -> float:
        """One step along the gradients that the weights hold, which it clears. Returns their norm before the bound."""
        gradients = {name: w.grad for name, w in self.weights.items() if w.grad is not None}
        norm = math.sqrt(sum(float(gradient.double().pow(2).sum()) for gradient in gradients.values()))
        if not math.isfinite(norm):
            raise NotFinite(
                f"The norm of the gradient is {norm}, and a finite number was expected. The update is refused and the "
                f"policy stays. The learning rate is {learning_rate:g} (learning.optimizer.learningRate)."
            )
        if not 0 <= learning_rate <= 1e30:
            raise NotFinite(
                f"The learning rate is {learning_rate:g}, and a number from 0 to 1e30 was expected. The update is "
                "refused and the policy stays. Change learning.optimizer.learningRate."
            )
        scale = min(1.0, adam.grad_norm / (norm + 1e-6)) if adam.grad_norm > 0 else 1.0
        self.steps += 1
        size = learning_rate / (1 - adam.beta1**self.steps)
        root = math.sqrt(1 - adam.beta2**self.steps)
        for name, weight in self.weights.items():
            gradient = gradients.get(name, torch.zeros_like(weight)).float() * scale
            first, second = self._first[name], self._second[name]
            weight.mul_(1 - learning_rate * adam.weight_decay)
            first.mul_(adam.beta1).add_(gradient, alpha=1 - adam.beta1)
            second.mul_(adam.beta2).addcmul_(gradient, gradient, value=1 - adam.beta2)
            weight.addcdiv_(first, (second.sqrt() / root).add_(adam.eps), value=-size)
            weight.grad = None
        return norm


def _moment(state: Mapping[str, Tensor], name: str, weight: Tensor) -> Tensor:
    kept = state.get(name)
    like = torch.zeros_like(weight, dtype=torch.float32)
    return like if kept is None else like.copy_(kept)
