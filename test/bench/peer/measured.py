"""Runs a command to its end and prints, as the last line of stdout, {"code", "cpuSeconds"} of it and all its descendants.

python3 measured.py <command> [argument ...]
"""
import ctypes
import json
import os
import resource
import subprocess
import sys

PR_SET_CHILD_SUBREAPER = 36

ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
code = subprocess.run(sys.argv[1:], stdout=sys.stderr).returncode
try:
    # Descendants whose parent ended first are children of this process.
    while True:
        os.wait()
except ChildProcessError:
    pass
use = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"code": code, "cpuSeconds": use.ru_utime + use.ru_stime}))
