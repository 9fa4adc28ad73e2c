# Defines no entry point.
# expects: no_solution rejected
def build(*given, **named):
    return None
