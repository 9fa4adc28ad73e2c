// Golden cases that are written in Python run in the trusted container, beside the evaluator: the same source with a probe behind it.
// Called by check-fixtures.ts.
import type { Task } from '../../evolution/task.ts';

/** An expression, or a script that sets `solution`; all names of the evaluator are there. What it makes travels as JSON would carry it.
 *  Of a `function` task: what the script makes is a dict of numbers, which are compared as they are. */
const PROBE = `
_task_evaluate = evaluate


def evaluate(instance, case):
    import json

    import numpy

    def plain(value):
        if isinstance(value, (numpy.ndarray, numpy.generic)):
            return value.tolist()
        raise TypeError(f"expected plain data, got {type(value).__name__}")

    space = {**globals(), "instance": {**instance, **case["instance"]}, "numpy": numpy, "np": numpy}
    try:
        made = eval(compile(case["python"], "<golden>", "eval"), space)
    except SyntaxError:
        exec(compile(case["python"], "<golden>", "exec"), space)
        made = space["solution"]
    if case["direct"]:
        return {"valid": True, "score": made.get("score", 0.0), "metrics": made, "reasons": []}
    return _task_evaluate({**instance, **case["instance"]}, json.loads(json.dumps(made, default=plain, allow_nan=False)))
`;

export const withProbe = (task: Task): Task => ({ ...task, evaluatorSource: `${task.evaluatorSource}\n${PROBE}` });
