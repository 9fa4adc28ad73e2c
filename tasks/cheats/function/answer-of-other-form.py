# Answers with numbers, arrays or lists of another form than the honest answer has.
# variant nan: each(lambda array: array * numpy.nan)
# variant infinity: each(lambda array: numpy.full(array.shape, numpy.inf))
# variant one-nan: each(last(numpy.nan))
# variant one-infinity: each(last(-numpy.inf))
# variant one-fewer: each(lambda array: array[:-1])
# variant one-more: each(lambda array: numpy.concatenate([array, array[-1:]]))
# variant empty: each(lambda array: array[:0])
# variant one-dimension-more: each(lambda array: array[None])
# variant flat: each(lambda array: array.ravel() if array.ndim > 1 else array[0])
# variant text: each(lambda array: array.astype(str))
# variant booleans: each(lambda array: array > 0)
# variant complex: each(lambda array: array + 1j)
# variant objects: each(lambda array: array.astype(object))
# variant records: each(lambda array: numpy.zeros(array.shape, dtype=[("x", float)]))
# variant dates: each(lambda array: numpy.zeros(array.shape, dtype="datetime64[D]"))
# variant seven-dimensions: each(lambda array: array.reshape((1,) * 7 + array.shape))
# variant ten-million: each(lambda array: numpy.zeros(10_000_000))
# variant deep-lists: deep
# variant nothing: lambda answer: None
# variant true: lambda answer: True
# variant a-word: lambda answer: "best"
# variant a-number: lambda answer: 1e9
# variant minus-infinity: lambda answer: float("-inf")
# variant a-function: lambda answer: (lambda: answer)
# variant an-object: lambda answer: {"score": 1e9, "valid": True}
# variant array-marks: lambda answer: {"$array": 0}
# variant a-tuple-of-it: lambda answer: (answer, 1e9)
# variant endless: lambda answer: itself()
import numpy

__PROGRAM__

honest = __ENTRY__


def each(change):
    def walk(part):
        if isinstance(part, numpy.ndarray):
            return change(part)
        if isinstance(part, tuple):
            return tuple(walk(item) for item in part)
        if isinstance(part, list):
            return walk(numpy.array(part)) if part and not isinstance(part[0], (list, tuple, dict, numpy.ndarray)) else [walk(item) for item in part]
        return change(numpy.array([part])) if isinstance(part, (int, float)) else part

    return walk


def last(value):
    def change(array):
        array = numpy.array(array, dtype=float)
        array.reshape(-1)[-1:] = value
        return array

    return change


def deep(answer):
    for _ in range(1000):
        answer = [answer]
    return answer


def itself():
    made = []
    made.append(made)
    return made


become = __VARIANT__


def __ENTRY__(*given, **named):
    return become(honest(*given, **named))
