# Leaves files behind, in shared memory too, and looks for what an earlier program left.
# expects: honest
import os

__PROGRAM__

for folder in ("/box", "/tmp", "/dev/shm", "/run", "/var/tmp", "/"):
    path = os.path.join(folder, "left-behind")
    if os.path.exists(path):
        print(f"breach: {path} is there already", flush=True)
    try:
        open(path, "w").close()
    except OSError:
        pass
