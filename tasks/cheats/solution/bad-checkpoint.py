# Saves what is refused, catches the refusal and goes on.
# expects: honest
def __ENTRY__(instance):
    for saved in (float("nan"), 1j, object(), {1: 2}):
        try:
            checkpoint(saved)
            print("breach: a checkpoint of", saved, flush=True)
        except (ValueError, TypeError):
            pass
    return __HONEST__
