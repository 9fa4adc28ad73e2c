"""Requests for completions as OpenAI's clients and vLLM's extensions write them: read without trust, and answered."""

from __future__ import annotations

import math
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Union

from .sampler import Answer, Sampling
from .tokenizer import ROLES, Message, Tokenizer

MAX_ANSWERS = 1024
LEAST_TEMPERATURE = 1e-3  # logits that are divided by less may become infinite
Prompt = Union[str, list[int], list[Message]]


class Bad(Exception):
    """An error in OpenAI's form, with its HTTP status."""

    def __init__(
        self,
        status: int,
        message: str,
        parameter: str | None = None,
        code: str | None = None,
        kind: str = "invalid_request_error",
    ) -> None:
        super().__init__(message)
        self.status, self.parameter, self.code, self.kind = status, parameter, code, kind

    def body(self) -> dict[str, Any]:
        error = {"message": str(self), "type": self.kind, "param": self.parameter, "code": self.code}
        return {"error": error}


@dataclass(frozen=True)
class Request:
    """A request whose fields were checked. `keep`: only so many of a prompt's last tokens are used."""

    chat: bool
    model: str
    prompts: Sequence[Prompt]
    count: int
    sampling: Sampling
    max_tokens: int | None
    keep: int | None
    logprobs: bool
    token_ids: bool

    def prompt_ids(self, prompt: Prompt, tokenizer: Tokenizer, context: int, vocabulary: int) -> tuple[list[int], int]:
        """The prompt's ids as they are used, and how many tokens were cut off its beginning.

        A byte-level model keeps half of its context for the answer; another model's prompt must leave room for one.
        """
        if isinstance(prompt, str):
            ids = tokenizer.encode(prompt)
        elif self.chat:
            ids = tokenizer.chat(prompt)  # type: ignore[arg-type]
        else:
            ids = list(prompt)  # type: ignore[arg-type]
        whole = len(ids)
        if self.keep is not None:
            ids = ids[-self.keep :]
        if tokenizer.cuts_left:
            ids = ids[-(context // 2) :]
        if not ids:
            raise Bad(400, "The prompt has no tokens, and at least one was expected.", "prompt")
        if len(ids) >= context:
            raise Bad(
                400,
                f"The prompt has {len(ids)} tokens and the policy's context has {context}, which the answer must "
                "share. Shorten the prompt, or send truncate_prompt_tokens.",
                "prompt",
                "context_length_exceeded",
            )
        if min(ids) < 0 or max(ids) >= vocabulary:
            raise Bad(400, f"Token ids of the prompt must be from 0 to {vocabulary - 1}.", "prompt")
        return ids, whole - len(ids)

    def sampling_for(self, ids: Sequence[int], context: int) -> Sampling:
        room = context - len(ids)
        wanted = room if self.max_tokens is None else min(room, self.max_tokens)
        settings = self.sampling
        return Sampling(wanted, settings.temperature, settings.top_p, settings.seed, settings.stop)


def read_request(body: Any, chat: bool) -> Request:
    """Checks a body. Fields that are not known here are left alone, as other servers do."""
    if not isinstance(body, dict):
        raise Bad(400, "The body of the request must be a JSON object.")
    model = body.get("model")
    if not isinstance(model, str):
        raise Bad(400, "`model` must be the name of a policy, see /v1/models.", "model")
    if body.get("stream"):
        raise Bad(400, "This server does not stream. Leave `stream` out.", "stream")
    stop = body.get("stop")
    stops = [stop] if isinstance(stop, str) else stop or []
    if not isinstance(stops, list) or len(stops) > 64 or not all(isinstance(text, str) and text for text in stops):
        raise Bad(400, "`stop` must be a text or a list of at most 64 texts, none of them empty.", "stop")
    completion_tokens = "max_completion_tokens" if body.get("max_completion_tokens") is not None else "max_tokens"
    max_tokens = _number(body, completion_tokens, None if chat else 16, 1, math.inf, whole=True)
    keep = _number(body, "truncate_prompt_tokens", None, -1, math.inf, whole=True)
    if keep == 0:
        raise Bad(400, "`truncate_prompt_tokens` must be -1 or at least 1.", "truncate_prompt_tokens")
    temperature = float(_number(body, "temperature", 1.0, 0, 100) or 0.0)
    if 0 < temperature < LEAST_TEMPERATURE:
        raise Bad(
            400, f"`temperature` must be 0 or at least {LEAST_TEMPERATURE:g}; {temperature!r} came.", "temperature"
        )
    seed = _number(body, "seed", None, -(2**63), 2**63 - 1, whole=True)
    return Request(
        chat=chat,
        model=model,
        prompts=[_messages(body.get("messages"))] if chat else _prompts(body.get("prompt")),
        count=int(_number(body, "n", 1, 1, MAX_ANSWERS, whole=True) or 1),
        sampling=Sampling(
            max_tokens=1,
            temperature=temperature,
            top_p=float(_number(body, "top_p", 1.0, 1e-6, 1) or 1.0),
            seed=int(uuid.uuid4().int % 2**62 if seed is None else seed),
            stop=tuple(stops),
        ),
        max_tokens=None if max_tokens is None else int(max_tokens),
        keep=None if keep is None or keep < 0 else int(keep),
        # The number 0 asks for logprobs too, of the sampled tokens alone; it only looks like False.
        logprobs=body.get("logprobs") is not None and body["logprobs"] is not False,
        token_ids=bool(body.get("return_token_ids")),
    )


def completion(
    request: Request, tokenizer: Tokenizer, prompts: Sequence[tuple[list[int], int]], groups: Sequence[Sequence[Answer]]
) -> dict[str, Any]:
    """The answer in OpenAI's form, with vLLM's fields `prompt_token_ids` and `token_ids` where they were asked for."""
    choices: list[dict[str, Any]] = []
    for (ids, _cut), answers in zip(prompts, groups):
        for answer in answers:
            choice = _choice(request, tokenizer, answer) | {"index": len(choices), "finish_reason": answer.finish}
            if request.token_ids:
                choice |= {"token_ids": answer.ids} | ({} if request.chat else {"prompt_token_ids": ids})
            choices.append(choice)
    read = sum(len(ids) for ids, _ in prompts)
    written = sum(len(answer.ids) for answers in groups for answer in answers)
    result: dict[str, Any] = {
        "id": f"{'chatcmpl' if request.chat else 'cmpl'}-{uuid.uuid4().hex}",
        "object": "chat.completion" if request.chat else "text_completion",
        "created": int(time.time()),
        "model": request.model,
        "choices": choices,
        "usage": {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written},
        # Tokens cut off the beginning of the prompts, because the context is shorter.
        "prompt_tokens_cut": sum(cut for _, cut in prompts),
    }
    if request.chat and request.token_ids:
        result["prompt_token_ids"] = prompts[0][0]
    return result


def _choice(request: Request, tokenizer: Tokenizer, answer: Answer) -> dict[str, Any]:
    text = tokenizer.decode(answer.ids)
    cuts = [at for at in (text.find(stop) for stop in request.sampling.stop) if at >= 0]
    text = text[: min(cuts)] if cuts else text
    texts = [tokenizer.decode([token]) for token in answer.ids] if request.logprobs else []
    if request.chat:
        listed = None
        if request.logprobs:
            entries = zip(answer.ids, texts, answer.logprobs)
            content = [
                {"token": word or f"token_id:{token}", "logprob": logprob, "bytes": None, "top_logprobs": []}
                for token, word, logprob in entries
            ]
            listed = {"content": content}
        return {"message": {"role": "assistant", "content": text}, "logprobs": listed}
    columns = {"tokens": texts, "token_logprobs": answer.logprobs, "top_logprobs": None, "text_offset": None}
    return {"text": text, "logprobs": columns if request.logprobs else None}


def _messages(value: Any) -> list[Message]:
    expected = "`messages` must be a list of at least one {role, content}, role one of " + ", ".join(ROLES) + "."
    if not isinstance(value, list) or not value:
        raise Bad(400, expected, "messages")
    messages = []
    for message in value:
        if not isinstance(message, dict) or message.get("role") not in tuple(ROLES):
            raise Bad(400, expected, "messages")
        content = message.get("content")
        if isinstance(content, list) and all(
            isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)
            for part in content
        ):
            content = "".join(part["text"] for part in content)
        if not isinstance(content, str):
            raise Bad(400, expected + " The content must be text.", "messages")
        messages.append({"role": message["role"], "content": content})
    return messages


def _prompts(value: Any) -> list[Prompt]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list) and value:
        if _are_ids(value):
            return [value]
        if len(value) <= MAX_ANSWERS and all(isinstance(item, str) or (item and _are_ids(item)) for item in value):
            return value
    raise Bad(400, "`prompt` must be a text, a list of token ids, or a list of such.", "prompt")


def _are_ids(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, int) and not isinstance(item, bool) for item in value)


def _number(
    body: dict[str, Any], name: str, default: float | None, low: float, high: float, whole: bool = False
) -> float | None:
    value = body.get(name)
    if value is None:
        return default
    right = isinstance(value, int) if whole else isinstance(value, (int, float))
    if not right or isinstance(value, bool) or not low <= value <= high:
        kind = "a whole number" if whole else "a number"
        bounds = f"at least {low:g}" if high == math.inf else f"from {low:g} to {high:g}"
        raise Bad(400, f"`{name}` must be {kind}, {bounds}; {value!r:.80} came.", name)
    return value
