# The last number of the honest solution becomes something else, all others stay.
# variant nan: float("nan") -> no_solution invalid_output
# variant infinity: float("inf") -> no_solution invalid_output
# variant minus-zero: -0.0
# variant 1e308: 1e308
# variant minus-1e308: -1e308
# variant far-away: 1e6
# variant true: True -> invalid or no_solution
# variant null: None -> invalid or no_solution
# variant text: "1.0" -> invalid or no_solution
# variant one-level-deeper: [value] -> invalid or no_solution
# variant complex: complex(0, 1) -> no_solution invalid_output
# variant 1e30: 10**30
def change(part):
    """The part with its last number changed, and whether it held one."""
    if isinstance(part, dict):
        for key in reversed(part):
            part[key], done = change(part[key])
            if done:
                return part, True
    elif isinstance(part, list):
        for index in reversed(range(len(part))):
            part[index], done = change(part[index])
            if done:
                return part, True
    elif isinstance(part, (int, float)):
        return become(part), True
    return part, False


def become(value):
    return __VARIANT__


def __ENTRY__(instance):
    return change(__HONEST__)[0]
