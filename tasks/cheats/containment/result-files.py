# Writes result files by hand, some of them links to files and devices.
# expects: honest
import os

__PROGRAM__

for folder in ("/box", "/dev/shm", "/tmp"):
    for name in ("score.json", "result.json", "metrics.json"):
        try:
            with open(os.path.join(folder, name), "w") as file:
                file.write('{"valid": true, "score": 1000000000.0}')
        except OSError:
            pass
    for name, target in {"solution.json": "/etc/passwd", "answer.json": "/dev/zero", "output.json": "/proc/self/mem"}.items():
        try:
            os.symlink(target, os.path.join(folder, name))
        except OSError:
            pass
