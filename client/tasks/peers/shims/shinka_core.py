"""`run_shinka_eval` of ShinkaEvolve: runs a function of the program several times, checks each result, and writes
metrics.json and correct.json. It stops early at no time, and draws nothing."""
import importlib.util
import json
import os
import time


def save_json_results(results_dir, metrics, correct, error=None, verbose=True):
    os.makedirs(results_dir, exist_ok=True)
    for name, value in (("correct", {"correct": correct, "error": error}), ("metrics", metrics)):
        with open(os.path.join(results_dir, f"{name}.json"), "w", encoding="utf-8") as file:
            json.dump(value, file, default=lambda one: one.tolist() if hasattr(one, "tolist") else str(one))


def load_program(program_path):
    spec = importlib.util.spec_from_file_location("program", program_path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_shinka_eval(program_path, results_dir, experiment_fn_name, num_runs, get_experiment_kwargs=None,
                    aggregate_metrics_fn=None, validate_fn=None, default_metrics_on_error=None, **others):
    results, seconds, faults = [], [], []
    try:
        experiment = getattr(load_program(program_path), experiment_fn_name)
        for index in range(num_runs):
            arguments = get_experiment_kwargs(index) if get_experiment_kwargs else {"seed": index + 1}
            start = time.perf_counter()
            results.append(experiment(**arguments))
            seconds.append(time.perf_counter() - start)
            valid, fault = validate_fn(results[-1]) if validate_fn else (True, None)
            if not valid:
                faults.append(fault or "the result is not valid")
        metrics = aggregate_metrics_fn(results) if aggregate_metrics_fn else {"num_successful_runs": len(results)}
        metrics.setdefault("execution_time_mean", sum(seconds) / max(1, len(seconds)))
        correct, error = not faults, f"Validation failed: {faults[0]}" if faults else None
    except Exception as fault:
        metrics = dict(default_metrics_on_error or {"combined_score": 0.0})
        correct, error = False, f"{type(fault).__name__}: {fault}"
    save_json_results(results_dir, metrics, correct, error)
    return metrics, correct, error
