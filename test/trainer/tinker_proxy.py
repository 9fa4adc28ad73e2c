"""Lets the newest SDK of Tinker talk to a server that knows JSON only, such as SkyRL 0.3.0. Not a part of `npm test`.

    python tinker_proxy.py 8766 http://127.0.0.1:8765

Requests go through as they are, but for those that newer SDKs make in another way. `forward_backward` is protobuf and
becomes JSON on its way in, and its result becomes protobuf on its way out. `load_weights` makes the model, too, whose
name the SDK then makes up by itself.
"""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import numpy as np
from tinker.proto import tinker_public_pb2 as proto

PROTOBUF = "application/x-protobuf"


def to_json(message: Any) -> dict[str, Any]:
    kinds = {proto.DTYPE_FLOAT32: np.float32, proto.DTYPE_INT64: np.int64}
    data = []
    for datum in message.data:
        chunks = [np.frombuffer(chunk.encoded_text.tokens, np.int32).tolist() for chunk in datum.model_input]
        inputs = {
            name: {"data": np.frombuffer(value.dense, kinds[value.dtype]).tolist()}
            for name, value in datum.loss_fn_inputs.items()
        }
        text = [{"type": "encoded_text", "tokens": tokens} for tokens in chunks]
        data.append({"model_input": {"chunks": text}, "loss_fn_inputs": inputs})
    asked: dict[str, Any] = {"data": data, "loss_fn": message.loss_fn}
    if message.loss_fn_config:
        asked["loss_fn_config"] = dict(message.loss_fn_config)
    field = "forward_input" if message.forward_only else "forward_backward_input"
    return {"model_id": message.model_id, "seq_id": message.seq_id, field: asked}


def to_protobuf(result: dict[str, Any]) -> bytes:
    outputs = result["loss_fn_outputs"]
    message = proto.ForwardBackwardOutput(loss_fn_output_type=result.get("loss_fn_output_type") or "ArrayRecord")
    for name, value in (result.get("metrics") or {}).items():
        message.metrics[name] = value
    record = message.loss_fn_outputs.add(num_datums=len(outputs))
    for name in outputs[0]:
        arrays = [np.array(output[name]["data"], np.float32) for output in outputs]
        field = record.fields[name]
        field.dtype, field.data = proto.DTYPE_FLOAT32, b"".join(array.tobytes() for array in arrays)
        field.offsets = np.cumsum([0, *(array.nbytes for array in arrays)]).astype(np.int64).tobytes()
    return message.SerializeToString()


class Proxy(BaseHTTPRequestHandler):
    server_address_behind = ""
    #: The SDK's name of a model, and the server's.
    models: dict[str, str] = {}

    def do_GET(self) -> None:
        self.passed(None)

    def do_POST(self) -> None:
        self.passed(self.rfile.read(int(self.headers.get("content-length") or 0)))

    def passed(self, body: bytes | None) -> None:
        path, kind = self.path, self.headers.get("content-type") or "application/json"
        if body is not None and kind == PROTOBUF:
            message = proto.ForwardBackwardRequest.FromString(body)
            path = "/api/v1/forward" if message.forward_only else path
            body, kind = json.dumps(to_json(message)).encode(), "application/json"
        if path == "/api/v1/load_weights" and body is not None:
            body = self.model_for(json.loads(body))
        for name, known in self.models.items():
            body = None if body is None else body.replace(name.encode(), known.encode())
        request = Request(self.server_address_behind + path, body, {"content-type": kind}, method=self.command)
        try:
            with urlopen(request, timeout=600) as response:
                status, answer = response.status, response.read()
        except HTTPError as error:
            status, answer = error.code, error.read()
        kind = "application/json"
        if status == 200 and PROTOBUF in (self.headers.get("accept") or "") and b'"loss_fn_outputs"' in answer:
            answer, kind = to_protobuf(json.loads(answer)), PROTOBUF
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def model_for(self, asked: dict[str, Any]) -> bytes:
        """Makes the model that the state belongs to, and asks for the state in it."""
        if "model_id" not in asked:
            saved = self.answer("weights_info", {"tinker_path": asked["path"]})
            made = self.answer(
                "create_model",
                {
                    "session_id": asked["session_id"],
                    "model_seq_id": asked["model_seq_id"],
                    "base_model": saved["base_model"],
                    "lora_config": {"rank": saved["lora_rank"]},
                },
            )
            # The answer comes when the model is made.
            self.answer("retrieve_future", {"request_id": made["request_id"]})
            self.models[f"{asked['session_id']}:train:{asked['model_seq_id']}"] = made["model_id"]
            asked = {"model_id": made["model_id"], "path": asked["path"], "optimizer": asked["optimizer"], "seq_id": 0}
        return json.dumps({**asked, "type": "load_weights"}).encode()

    def answer(self, route: str, body: dict[str, Any]) -> Any:
        url = f"{self.server_address_behind}/api/v1/{route}"
        with urlopen(Request(url, json.dumps(body).encode(), {"content-type": "application/json"})) as response:
            return json.load(response)

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


if __name__ == "__main__":
    Proxy.server_address_behind = sys.argv[2]
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Proxy).serve_forever()
