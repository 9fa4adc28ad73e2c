# Ends well without an answer.
# expects: no_solution invalid_output program_error
import sys


def __ENTRY__(*given, **named):
    sys.exit(0)
