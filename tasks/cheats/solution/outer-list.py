# The outermost list of the honest solution becomes something else.
# variant empty: []  -> invalid or no_solution
# variant one-fewer: whole[:-1]
# variant one-more: whole + whole[-1:]
# variant two-only: whole[:2]
# variant a-hundred-times: whole * 100
# variant until-the-cap: whole * (200000 // max(1, len(str(whole))))
# variant all-the-same: [whole[0]] * len(whole) if isinstance(whole[0], list) else whole
# variant flat: [value for row in whole for value in row] if isinstance(whole[0], list) else whole
# variant first-ragged: [whole[0][:-1], *whole[1:]] if isinstance(whole[0], list) else whole
# variant last-ragged: [*whole[:-1], whole[-1] + whole[-1][-1:]] if isinstance(whole[0], list) else whole
# variant one-level-deeper: [whole] -> invalid or no_solution
# variant an-object: dict((str(index), item) for index, item in enumerate(whole)) -> invalid or no_solution
# variant text: str(whole) -> invalid or no_solution
# variant a-number: 1.0 -> invalid or no_solution
# variant contains-itself: [whole] * 2 + [itself] -> no_solution invalid_output
def change(part):
    """The part with its first list, from outside, changed."""
    if isinstance(part, dict):
        key = next((key for key in part if isinstance(part[key], (dict, list))), None)
        return part if key is None else {**part, key: change(part[key])}
    return become(part)


def become(whole):
    itself = []
    itself.append(itself)
    return __VARIANT__


def __ENTRY__(instance):
    return change(__HONEST__)
