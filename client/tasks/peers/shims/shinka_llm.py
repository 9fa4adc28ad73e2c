"""`LLMClient` of ShinkaEvolve: asks the model that the run names for the evaluator, whatever is named here."""
import json
import os
import types
import urllib.request


class LLMClient:
    def __init__(self, model_names=None, **others):
        self.model = model_names if isinstance(model_names, str) else (model_names or ["any"])[0]

    def get_kwargs(self):
        return {"model_name": self.model}

    def query(self, msg, system_msg, msg_history=(), **others):
        said = [{"role": "system", "content": system_msg}, *msg_history, {"role": "user", "content": msg}]
        body = json.dumps({"model": self.model, "messages": said}).encode()
        request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body)
        content = json.load(urllib.request.urlopen(request))["choices"][0]["message"]["content"]
        return types.SimpleNamespace(content=content, cost=None, model_name=self.model)
