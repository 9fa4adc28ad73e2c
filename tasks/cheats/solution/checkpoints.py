# Saves solutions on the way that no honest program would.
# variant a-flood: [{"more": "x" * (1 << 20)} for _ in range(14)] -> honest
# variant of-other-form: [None, 1, "text", [], {"score": 1e9}] -> honest
# variant too-large: [{"more": "x" * 6_000_000}] -> honest or no_solution output_limit
def __ENTRY__(instance):
    for saved in __VARIANT__:
        checkpoint(saved)
    return __HONEST__
