# Reads an address that is not mapped.
# expects: no_solution program_error
import ctypes


def __ENTRY__(*given, **named):
    ctypes.string_at(1)
