# Leaves a numpy.py and a json.py where a later program, or the runner, might import them.
# expects: honest
import os

__PROGRAM__

for folder in ("/box", "/", "/tmp", "/dev/shm"):
    for name in ("numpy.py", "json.py", "sitecustomize.py"):
        try:
            with open(os.path.join(folder, name), "w") as file:
                file.write("raise SystemExit(0)")
        except OSError:
            pass
os.chdir("/box")
import numpy
numpy.zeros(1)
