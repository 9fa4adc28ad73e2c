"""`execute_code` of GEPA: runs a text and calls a function of it, in this process, which a sandbox holds."""
import contextlib
import io
import traceback
from dataclasses import dataclass, field


class ExecutionMode:
    SUBPROCESS = IN_PROCESS = "in process"


@dataclass
class CodeExecutionResult:
    success: bool
    stdout: str = ""
    stderr: str = ""
    error: str = None
    traceback: str = ""
    variables: dict = field(default_factory=dict)


def execute_code(code, timeout=None, mode=None, entry_point=None, entry_point_args=(), entry_point_kwargs=None, **others):
    out, err, names = io.StringIO(), io.StringIO(), {"__name__": "program", **(others.get("global_vars") or {})}
    if others.get("seed") is not None:
        import numpy, random

        numpy.random.seed(others["seed"])
        random.seed(others["seed"])
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            exec(compile(code, "program.py", "exec"), names)
            if entry_point is not None:
                names["__return__"] = names[entry_point](*entry_point_args, **(entry_point_kwargs or {}))
    except Exception as fault:
        return CodeExecutionResult(False, out.getvalue(), err.getvalue(), f"{type(fault).__name__}: {fault}", traceback.format_exc())
    return CodeExecutionResult(True, out.getvalue(), err.getvalue(), variables=names)
