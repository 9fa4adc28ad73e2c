# Works through the honest search again and again, far beyond what it may ask for.
# expects: honest or invalid or no_solution or valid
__PROGRAM__

honest = __ENTRY__
left = [200]


def __ENTRY__(*given, **named):
    answer = honest(*given, **named)
    while left[0] > 0:
        left[0] -= 1
        try:
            honest(*given, **named)
        except Exception:
            pass
    return answer
