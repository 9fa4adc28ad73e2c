# Searches its own process, the runner's objects included, for anything of the evaluator.
# expects: honest
import gc

__PROGRAM__

SIGN = "hidden" + "_seed"

for found in gc.get_objects():
    if type(found) is dict and SIGN in found:
        print("breach: the hidden keys are in this process", flush=True)
        break
