# Computes without end before its function is ever called.
# expects: no_solution timeout_cpu timeout_wall
def __ENTRY__(*given, **named):
    return None


while True:
    pass
