# Empties what it was given before it answers.
# expects: honest or no_solution
__PROGRAM__

honest = __ENTRY__


def __ENTRY__(*given, **named):
    answer = honest(*given, **named)
    for thing in (*given, *named.values()):
        if isinstance(thing, (dict, list)):
            thing.clear()
    return answer
