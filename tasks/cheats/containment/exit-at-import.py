# Ends well before its function is ever called.
# expects: no_solution invalid_output program_error
import os


def __ENTRY__(*given, **named):
    return None


os._exit(0)
