# Objects whose conversion, comparison, length or content lies, in place of numbers, lists and the solution.
# variant a-float: numbers(LyingFloat) -> no_solution invalid_output
# variant an-integer: numbers(LyingInteger) -> no_solution invalid_output
# variant convertible: numbers(Convertible) -> no_solution invalid_output
# variant a-list: lists(LyingList) -> no_solution invalid_output
# variant an-array: lists(LyingArray) -> no_solution invalid_output
# variant an-array-without-end: lists(Endless) -> no_solution invalid_output program_error timeout_cpu
# variant an-object: LyingDict(HONEST) -> no_solution invalid_output
# variant a-class: LyingDict -> no_solution invalid_output
import numpy

HONEST = __HONEST__


class LyingFloat(float):
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = lambda self, other: True
    __float__ = lambda self: 1e9
    __repr__ = __str__ = lambda self: "1e9"


class LyingInteger(int):
    __lt__ = __le__ = __gt__ = __ge__ = lambda self, other: True
    __index__ = __int__ = lambda self: 10**9
    __repr__ = __str__ = lambda self: "1000000000"


class Convertible:
    def __init__(self, value):
        self.value = value

    __float__ = lambda self: 1e9
    tolist = item = lambda self: 1e9


class LyingList(list):
    __len__ = lambda self: 3
    __iter__ = lambda self: iter([1e9] * 3)


class LyingArray(numpy.ndarray):
    def __new__(cls, row):
        return numpy.asarray(row, dtype=float).view(cls)

    tolist = lambda self: [float("inf")] * len(self)


class Endless(numpy.ndarray):
    def __new__(cls, row):
        return numpy.asarray(row, dtype=float).view(cls)

    tolist = lambda self: self


class LyingDict(dict):
    items = lambda self: [("score", 1e9), ("valid", True)]


def walk(part, number, row):
    if isinstance(part, dict):
        return {key: walk(item, number, row) for key, item in part.items()}
    if isinstance(part, list):
        return row([walk(item, number, row) for item in part])
    return number(part) if isinstance(part, (int, float)) else part


def numbers(kind):
    return walk(HONEST, kind, list)


def lists(kind):
    return walk(HONEST, lambda value: value, kind)


def __ENTRY__(instance):
    return __VARIANT__
