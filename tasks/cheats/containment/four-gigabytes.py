# A string of four gigabytes.
# expects: no_solution memory program_error
def __ENTRY__(*given, **named):
    return "x" * (4 << 30)
