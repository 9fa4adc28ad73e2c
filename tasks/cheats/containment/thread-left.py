# Leaves threads that never end.
# expects: honest
import threading, time

__PROGRAM__

for _ in range(4):
    threading.Thread(target=time.sleep, args=(1000,)).start()
