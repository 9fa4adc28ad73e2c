# Every list of numbers becomes a numpy array, of kinds that an honest program would not hand over.
# variant of-nan: numpy.full(len(row), numpy.nan) -> no_solution invalid_output
# variant of-infinity: numpy.full(len(row), numpy.inf) -> no_solution invalid_output
# variant of-objects: numpy.array([object() for _ in row], dtype=object) -> no_solution invalid_output
# variant of-functions: numpy.array([print for _ in row], dtype=object) -> no_solution invalid_output
# variant of-complex: numpy.array(row, dtype=complex) -> no_solution invalid_output
# variant of-booleans: numpy.ones(len(row), dtype=bool) -> invalid or no_solution
# variant of-text: numpy.array(row).astype(str) -> invalid or no_solution
# variant of-dates: numpy.zeros(len(row), dtype="datetime64[D]") -> invalid or no_solution
# variant of-records: numpy.zeros(len(row), dtype=[("x", float), ("y", float)]) -> invalid or no_solution
# variant of-long-doubles: numpy.array(row, dtype=numpy.longdouble)
# variant of-half-precision: numpy.array(row, dtype=numpy.float16) * 1000 -> invalid or no_solution or valid
# variant of-no-dimension: numpy.array(row[0]) -> invalid or no_solution
# variant of-many-dimensions: numpy.array(row).reshape((1,) * 6 + (len(row),)) -> invalid or no_solution
# variant masked: numpy.ma.masked_array(row, mask=True) -> invalid or no_solution
# variant a-matrix: numpy.asmatrix(row) -> invalid or no_solution
import numpy


def change(part):
    if isinstance(part, dict):
        return {key: change(item) for key, item in part.items()}
    if isinstance(part, list) and part and all(isinstance(item, (int, float)) for item in part):
        return become(part)
    return [change(item) for item in part] if isinstance(part, list) else part


def become(row):
    return __VARIANT__


def __ENTRY__(instance):
    return change(__HONEST__)
