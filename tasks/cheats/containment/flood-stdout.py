# Writes to stdout without end.
# expects: no_solution output_limit timeout_cpu
def __ENTRY__(*given, **named):
    while True:
        print("x" * 100000)
