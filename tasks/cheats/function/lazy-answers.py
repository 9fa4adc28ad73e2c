# Answers with objects that compute, count or lie only when somebody reads them.
# variant lazy: Lazy
# variant an-array-that-lies: Liar.of
# variant a-list-that-lies: ListOfLies
# variant a-generator: lambda answer: (part for part in numpy.atleast_1d(answer))
# variant a-memory-view: lambda answer: memoryview(numpy.ascontiguousarray(answer))
import numpy

__PROGRAM__

honest = __ENTRY__


class Lazy:
    """Does the work only once the clock has stopped, if anybody asks."""

    def __init__(self, answer):
        self.answer = answer

    def __array__(self, *_, **__):
        return numpy.asarray(self.answer)

    __len__ = lambda self: len(self.answer)
    __getitem__ = lambda self, index: self.answer[index]
    __float__ = lambda self: 1e9


class Liar(numpy.ndarray):
    @classmethod
    def of(cls, answer):
        return numpy.atleast_1d(numpy.asarray(answer if not isinstance(answer, tuple) else answer[0], dtype=float)).view(cls)

    def tobytes(self, *_):
        return b"\x00" * 8


class ListOfLies(list):
    def __init__(self, answer):
        super().__init__(numpy.atleast_1d(numpy.asarray(answer if not isinstance(answer, tuple) else answer[0])))

    __len__ = lambda self: 1
    __iter__ = lambda self: iter([1e9])


become = __VARIANT__


def __ENTRY__(*given, **named):
    return become(honest(*given, **named))
