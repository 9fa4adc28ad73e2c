"""`Evaluation` of LLM4AD. A module that defines one gets a function `evaluate_program_text`, which runs the program's
text, takes its last function, and asks the evaluation for the score. Types of the program are not evaluated, as there."""
from __future__ import annotations

import sys


class Evaluation:
    def __init__(self, template_program, task_description="", use_numba_accelerate=False, use_protected_div=False,
                 protected_div_delta=1e-5, random_seed=None, timeout_seconds=None, **others):
        self.template_program, self.task_description = template_program, task_description
        self.random_seed, self.timeout_seconds = random_seed, timeout_seconds

    def __init_subclass__(cls, **others):
        super().__init_subclass__(**others)
        sys.modules[cls.__module__].evaluate_program_text = lambda text: score_of(cls(), text)


def score_of(evaluation, text):
    names = {"__name__": "program"}
    exec(compile(text, "program.py", "exec"), names)
    functions = [one for one in names.values() if getattr(one, "__module__", None) == "program" and callable(one)]
    if evaluation.random_seed is not None:
        import numpy

        numpy.random.seed(evaluation.random_seed)
    score = evaluation.evaluate_program(text, functions[-1])
    if score is None:
        raise ValueError("the evaluation gave no score")
    return score
