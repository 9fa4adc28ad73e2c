"""The part of ThetaEvolve's `openevolve.modular_utils` that its evaluators and programs import: a program runs as a
script, saves its solution with `save_search_results`, and the problem's own functions check and score that."""
import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


class EvaluationResult:
    def __init__(self, metrics, artifacts):
        self.metrics, self.artifacts = metrics, artifacts


class ErrorCodes:
    EXECUTION_ERROR = EXECUTION_FAILED = TIMEOUT_OCCURRED = NO_SOLUTION_FOUND = -0.2
    VALIDATION_FAILED = -0.1


def get_current_problem_config():
    with open(os.path.join(HERE, "variables.json"), encoding="utf-8") as file:
        named = json.load(file)
    core, bounds = named.get("core_parameters") or {}, named.get("KNOWN_BOUNDS") or {}
    kind = named.get("PROBLEM_TYPE", "Unknown")
    bound = bounds.get(kind)
    config = {"problem_type": kind, "core_parameters": core, "time_limit": named.get("MAX_RUNTIME", 300), "known_bounds": bounds, "known_bound": bound}
    others = {"current_sota": named.get("CURRENT_SOTA"), "target_value": core.get("target_value") or named.get("TARGET_VALUE"), "score_transform": named.get("score_transform")}
    config.update({name: value for name, value in others.items() if value is not None})
    return config if bound is None else {**config, "target_n": bound + 1}


def saved_in(folder):
    kind = get_current_problem_config()["problem_type"].lower()
    for old, new in (("(", ""), (")", ""), (",", "_"), (" ", "_")):
        kind = kind.replace(old, new)
    return os.path.join(folder, f"{kind}_search_data", "search_info.json")


def save_search_results(best_perfect_solution, current_solution, base_dir=".", **others):
    place = saved_in(base_dir)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "w", encoding="utf-8") as file:
        json.dump({"best_perfect_solution": best_perfect_solution, "current_solution": current_solution, **others}, file)
    return place


class ObjectiveBasedProblemEvaluator:
    def __init__(self, validate_func, compute_objective_func, score_transform_config=None, maximize=True):
        self.validate, self.objective, self.maximize = validate_func, compute_objective_func, maximize


class Controller:
    def __init__(self, evaluator, config):
        self.evaluator, self.limit = evaluator, config["time_limit"]

    def evaluate(self, program_path, temp_dir=None):
        start, folder = time.time(), temp_dir or tempfile.mkdtemp()
        try:
            ran = subprocess.run([sys.executable or "python3", program_path], capture_output=True, text=True, timeout=self.limit, cwd=folder)
        except subprocess.TimeoutExpired:
            return failed(ErrorCodes.EXECUTION_ERROR, f"Program timed out after {self.limit}s", start)
        if ran.returncode != 0:
            return failed(ErrorCodes.EXECUTION_ERROR, f"Program execution failed (exit code: {ran.returncode}) | Error: {ran.stderr.strip()}", start)
        if not os.path.exists(saved_in(folder)):
            return failed(ErrorCodes.EXECUTION_ERROR, "No solution found in program output", start)
        with open(saved_in(folder), encoding="utf-8") as file:
            solution = json.load(file)["current_solution"].get("data")
        if not solution:
            return failed(ErrorCodes.EXECUTION_ERROR, "No solution found in program output", start)
        valid, reason = self.evaluator.validate(solution)
        if not valid:
            return failed(ErrorCodes.VALIDATION_FAILED, f"Validation failed: {reason}", start)
        try:
            value = self.evaluator.objective(solution)
        except Exception as fault:
            return failed(ErrorCodes.EXECUTION_ERROR, f"Scoring failed: {fault}", start)
        score = value if self.evaluator.maximize else 1 / (value + 1e-8)
        metrics = {"combined_score": score, "validity": 1.0, "eval_time": time.time() - start, "objective_value": value}
        return EvaluationResult(metrics, {"program_output": ran.stdout})


def failed(code, reason, start):
    return EvaluationResult({"combined_score": code, "validity": 0.0, "eval_time": time.time() - start}, {"error": reason})


def create_evaluation_controller(base_problem_evaluator, config):
    return Controller(base_problem_evaluator, config)
