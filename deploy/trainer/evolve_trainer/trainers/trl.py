"""The trainer `trl`: the loss of TRL's GRPOTrainer, on one GPU or a CPU, for models that `transformers` loads.

GRPOTrainer.train() samples by itself and cannot be given a batch that was sampled and rewarded elsewhere. So its loss
function is called directly, `GRPOTrainer.compute_loss` with `loss_type="grpo"` and beta 0, on our tokens, advantages
and importance weights. Everything around it is the reference trainer's: state, optimizer, checkpoints, serving.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ..reference import base as bases
from ..formulas import is_plausible, row_weights
from ..reference.gradient import parts_of, require_base
from ..reference.loss import MicroBatch, Row, chunks
from ..protocol import (
    BadBatch,
    Beat,
    Capabilities,
    ConfigError,
    Hyper,
    NotFinite,
    Order,
    Place,
    Rollout,
    Rollouts,
)
from ..reference.trainer import ReferenceTrainer
from ..reference.state import State


def create(place: Place) -> TrlTrainer:
    try:
        import datasets  # noqa: F401
        import trl  # noqa: F401
    except ImportError as error:
        raise ConfigError(
            f"learning.trainer: trl needs TRL, which is not installed ({error}): `{sys.executable} -m pip install trl`"
        ) from error
    return TrlTrainer(Path(place.policies), place.trainer_url)


class TrlTrainer(ReferenceTrainer):
    def capabilities(self) -> Capabilities:
        return Capabilities(tuning=("full",))

    def gradient(  # type: ignore[override]
        self, state: State, order: Order, batch: Rollouts, beat: Beat
    ) -> tuple[dict[str, Any], MicroBatch]:
        require_base(state, [Row(row.prompt, row.response) for row in batch.rows])
        model = self._as_transformers(state)
        with tempfile.TemporaryDirectory(prefix="evolve-trl-") as folder:
            trainer = grpo_trainer(model, order.hyper, folder, self.device)
            numbers, probe = self._accumulated(trainer, model, order, batch, beat)
        # The parameters are one and the same memory; the gradient moves over by name.
        gradients = {name: weight.grad for name, weight in model.named_parameters()}
        for name, weight in state.trained.items():
            weight.grad = gradients[name]
        return numbers, next(iter(parts_of(state, [Row(probe.prompt, probe.response)], 1)))

    def _as_transformers(self, state: State) -> Any:
        """The model that `transformers` makes of the folder's settings, over the very weights of the state."""
        from transformers import AutoConfig, AutoModelForCausalLM

        config = AutoConfig.from_pretrained(state.folder, local_files_only=True, trust_remote_code=False)
        with torch.device(self.device):
            model = AutoModelForCausalLM.from_config(config, dtype=torch.float32, trust_remote_code=False)
        ours = bases.weights_of(state.model)
        for name, weight in model.named_parameters():
            if name not in ours or ours[name].shape != weight.shape:
                raise ConfigError(
                    f"learning.trainer: trl cannot load {state.folder}: no weights {name} like its model's"
                )
            weight.data = ours[name].data
        # Dropout would make an update depend on chance.
        return model.eval()

    def _accumulated(
        self, trainer: Any, model: Any, order: Order, batch: Rollouts, beat: Beat
    ) -> tuple[dict[str, Any], Rollout]:
        hyper = order.hyper
        used: list[Rollout] = []
        loss_sum = gap_sum = 0.0
        outside = responses = done = 0
        sizes = [len(row.prompt) + len(row.response) for row in batch.rows]
        for places in chunks(list(range(len(sizes))), sizes.__getitem__, hyper.micro_batch_tokens):
            rows = [batch.rows[place] for place in places]
            beat("gradient", done, len(batch.rows))
            done += len(rows)
            before = old_logprobs(trainer, model, rows, self.device)
            if not all(np.isfinite(row).all() for row in before):
                raise NotFinite(
                    f"The parent {order.parent} gives log-probabilities that are not finite: rewind the run."
                )
            kept = [i for i, row in enumerate(rows) if is_plausible(row, before[i], hyper)]
            if not kept:
                continue
            rows, before = [rows[i] for i in kept], [before[i] for i in kept]
            weighted = [row_weights(row, o, hyper) for row, o in zip(rows, before, strict=True)]
            inputs = grpo_inputs(rows, before, [w.weights for w in weighted], self.device)
            # TRL takes the mean over the rows that it is given; N counts those of the other parts, too.
            loss = trainer.compute_loss(model, inputs) * (len(rows) / batch.total)
            loss.backward()
            loss_sum += float(loss.detach())
            used += rows
            responses += sum(len(row.response) for row in rows)
            outside += sum(w.beyond for w in weighted)
            gap_sum += sum(w.mismatch_sum for w in weighted)
        if not used:
            raise BadBatch(
                f"All {len(batch.rows)} rollouts were dropped: the sampler's log-probabilities differ from those of "
                f"{order.parent} by more than {hyper.max_mismatch_nats:g} nats (learning.maxMismatch)."
            )
        return {
            "loss": loss_sum,
            # One optimizer step a batch: the ratio is 1 everywhere, and the clip never binds.
            "clip_fraction": 0.0,
            "is_clip_fraction": outside / responses,
            "mismatch": gap_sum / responses,
            "used": len(used),
            "dropped": len(batch.rows) - len(used),
            "tokens": sum(len(row.prompt) + len(row.response) for row in used),
        }, used[0]


def grpo_trainer(model: Any, hyper: Hyper, folder: str, device: torch.device) -> Any:
    """A GRPOTrainer whose settings are ours. It is never trained; its loss is called."""
    from datasets import Dataset
    from transformers import PreTrainedTokenizerFast
    from trl import GRPOConfig, GRPOTrainer

    settings = GRPOConfig(
        output_dir=folder,
        loss_type="grpo",
        beta=0.0,
        epsilon=hyper.clip_low,
        epsilon_high=hyper.clip_high,
        temperature=hyper.temperature,
        per_device_train_batch_size=2,
        num_generations=2,
        gradient_checkpointing=False,
        bf16=device.type == "cuda",
        use_cpu=device.type == "cpu",
        disable_dropout=True,
        report_to="none",
        save_strategy="no",
        disable_tqdm=True,
    )
    trainer = GRPOTrainer(
        model=model,
        reward_funcs=lambda prompts, completions, **_: [0.0] * len(completions),
        args=settings,
        train_dataset=Dataset.from_dict({"prompt": ["none", "none"]}),
        processing_class=PreTrainedTokenizerFast(
            tokenizer_object=_no_tokenizer(), pad_token="<pad>", eos_token="<pad>"
        ),
    )
    # By these the loss takes `importance_sampling_ratio` of its input as weights of the tokens. No vLLM is started.
    trainer.use_vllm, trainer.vllm_importance_sampling_correction = True, True
    trainer.current_gradient_accumulation_steps = 1
    return trainer


def grpo_inputs(
    rows: Sequence[Rollout],
    before: Sequence[np.ndarray] | None,
    weights: Sequence[np.ndarray] | None,
    device: torch.device,
) -> dict[str, torch.Tensor]:
    """TRL's input: prompts padded on the left [B, P], responses on the right [B, T], with masks."""
    prompts, prompt_mask = _padded([row.prompt for row in rows], left=True)
    responses, response_mask = _padded([row.response for row in rows], left=False)
    inputs = {
        "prompt_ids": prompts,
        "prompt_mask": prompt_mask,
        "completion_ids": responses,
        "completion_mask": response_mask,
        "advantages": torch.tensor([row.advantage for row in rows], dtype=torch.float32),
    }
    if before is not None and weights is not None:
        inputs["old_per_token_logps"] = _padded(before, left=False, dtype=torch.float32)[0]
        inputs["importance_sampling_ratio"] = _padded(weights, left=False, dtype=torch.float32)[0]
    return {name: value.to(device) for name, value in inputs.items()}


@torch.no_grad()
def old_logprobs(trainer: Any, model: Any, rows: Sequence[Rollout], device: torch.device) -> list[np.ndarray]:
    """TRL's own logprobs of each response [T], before the update, double."""
    inputs = grpo_inputs(rows, None, None, device)
    logps = trainer._get_per_token_logps_and_entropies(
        model,
        torch.cat([inputs["prompt_ids"], inputs["completion_ids"]], dim=1),
        torch.cat([inputs["prompt_mask"], inputs["completion_mask"]], dim=1),
        inputs["completion_ids"].size(1),
    )[0]
    return [logps[i, : len(row.response)].double().cpu().numpy() for i, row in enumerate(rows)]


def _padded(
    values: Sequence[np.ndarray], left: bool, dtype: torch.dtype = torch.long
) -> tuple[torch.Tensor, torch.Tensor]:
    longest = max(len(value) for value in values)
    padded = torch.zeros(len(values), longest, dtype=dtype)
    mask = torch.zeros(len(values), longest, dtype=torch.long)
    for i, value in enumerate(values):
        at = slice(longest - len(value), longest) if left else slice(0, len(value))
        padded[i, at] = torch.from_numpy(np.ascontiguousarray(value)).to(dtype)
        mask[i, at] = 1
    return padded, mask


def _no_tokenizer() -> Any:
    """TRL asks for a tokenizer; no text is turned into tokens here."""
    from tokenizers import Tokenizer, models

    return Tokenizer(models.WordLevel({"<pad>": 0}, unk_token="<pad>"))
