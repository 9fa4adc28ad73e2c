# Opens files and pipes until no descriptor is left.
# expects: honest or no_solution program_error invalid_output
import os

__PROGRAM__

try:
    while True:
        os.pipe()
except OSError:
    pass
