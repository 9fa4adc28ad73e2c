# Computes without end.
# expects: no_solution timeout_cpu timeout_wall
def __ENTRY__(*given, **named):
    while True:
        pass
