# Every number of the honest solution becomes something else.
# variant nan: float("nan") -> no_solution invalid_output
# variant infinity: float("inf") -> no_solution invalid_output
# variant minus-infinity: float("-inf") -> no_solution invalid_output
# variant minus-zero: -0.0
# variant largest: 1.7976931348623157e308
# variant 1e308: 1e308
# variant minus-1e308: -1e308
# variant smallest: 5e-324
# variant times-1e300: value * 1e300
# variant times-1e-161: value * 1e-161
# variant times-1e-6: value * 1e-6
# variant times-1e6: value * 1e6
# variant negated: -value
# variant true: True -> invalid or no_solution
# variant null: None -> invalid or no_solution
# variant text: f"{value + 0.0}" -> invalid or no_solution
# variant text-of-nan: "nan" -> invalid or no_solution
# variant text-of-infinity: "1e999" -> invalid or no_solution
# variant huge-integer-as-text: str(10**400) -> invalid or no_solution
# variant beyond-2-to-53: 10**30
# variant beyond-any-double: 10**400
# variant ten-thousand-digits: 10**10000 -> no_solution invalid_output
# variant complex: complex(value, 1e9) -> no_solution invalid_output
# variant complex-without-imaginary-part: complex(value, 0) -> no_solution invalid_output
# variant one-level-deeper: [value] -> invalid or no_solution
# variant an-object: {"value": value} -> invalid or no_solution
# variant an-empty-list: [] -> invalid or no_solution
# variant a-function: (lambda: value) -> no_solution invalid_output
def change(part):
    if isinstance(part, dict):
        return {key: change(item) for key, item in part.items()}
    if isinstance(part, list):
        return [change(item) for item in part]
    return become(part) if isinstance(part, (int, float)) else part


def become(value):
    return __VARIANT__


def __ENTRY__(instance):
    return change(__HONEST__)
