# Messages between an evaluator and a candidate: plain JSON data in which numpy arrays travel as little-endian bytes,
# never pickled. A message is a u32 length, JSON {"value", "arrays"}, then the arrays' bytes. This text stands before
# runner.py (candidate) and scorer.py (trusted side).
import json, math, struct, sys

WIRE_DTYPES = ("<f8", "<f4", "<i8", "<i4", "|b1")
WIRE_DEPTH = 6
WIRE_DIMENSIONS = 3


class WireError(Exception):
    """A message is not of the agreed form; says what was expected and what came."""


def wire_encode(value):
    arrays = []
    header = {"value": _flatten(value, arrays, 0), "arrays": [{"dtype": array.dtype.str, "shape": list(array.shape)} for array in arrays]}
    text = json.dumps(header, allow_nan=False, separators=(",", ":")).encode()
    return b"".join([struct.pack(">I", len(text)), text, *(array.tobytes() for array in arrays)])


def _flatten(value, arrays, depth):
    kind = type(value)
    if value is None or kind is bool or kind is str or kind is int:
        return value
    if kind is float:
        if not math.isfinite(value):
            raise WireError(f"expected finite numbers, got {value!r}")
        return value
    if depth >= WIRE_DEPTH:
        raise WireError(f"expected at most {WIRE_DEPTH} levels of nesting")
    if kind is list or kind is tuple:
        return [_flatten(item, arrays, depth + 1) for item in value]
    if kind is dict:
        bad = next((key for key in value if type(key) is not str), None)
        if bad is not None or "$array" in value:
            raise WireError(f"expected string keys without \"$array\", got {bad if bad is not None else '$array'!r}")
        return {key: _flatten(item, arrays, depth + 1) for key, item in value.items()}
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic):
        return _flatten(value.item(), arrays, depth)
    if numpy is not None and isinstance(value, numpy.ndarray):
        arrays.append(_portable(numpy, value))
        return {"$array": len(arrays) - 1}
    raise WireError(f"expected lists, numbers, strings, dicts or numpy arrays, got {kind.__name__}")


def _portable(numpy, array):
    kinds = {"f": "<f4" if array.dtype.itemsize == 4 else "<f8", "i": "<i8", "u": "<i8", "b": "|b1"}
    if array.dtype.kind not in kinds:
        raise WireError(f"expected an array of real numbers, integers or booleans, got dtype {array.dtype}")
    if array.ndim > WIRE_DIMENSIONS:
        raise WireError(f"expected at most {WIRE_DIMENSIONS} dimensions, got {array.ndim}")
    return numpy.ascontiguousarray(array, dtype=kinds[array.dtype.kind]).reshape(array.shape)


def wire_decode(payload):
    """Strict: finite numbers, each key once, known dtypes, every byte accounted for. Arrays are fresh and writable."""
    if len(payload) < 4:
        raise WireError("expected a message of at least 4 bytes")
    length = struct.unpack(">I", payload[:4])[0]
    if 4 + length > len(payload):
        raise WireError("expected a whole header")
    try:
        header = json.loads(payload[4:4 + length].decode("utf-8"), parse_constant=_refuse_constant, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise WireError(f"expected strict JSON: {error}"[:200]) from None
    if type(header) is not dict or set(header) != {"value", "arrays"} or type(header["arrays"]) is not list:
        raise WireError("expected a header with value and arrays")
    arrays, end = [], 4 + length
    for entry in header["arrays"]:
        array, end = _array(entry, payload, end)
        arrays.append(array)
    if end != len(payload):
        raise WireError(f"expected {end} bytes, got {len(payload)}")
    used = [False] * len(arrays)
    value = _restore(header["value"], arrays, used, 0)
    if not all(used):
        raise WireError("expected every array to be used once")
    return value


def _refuse_constant(name):
    raise ValueError(f"{name} is not a number")


def _unique(pairs):
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("expected every key once")
    return made


def _array(entry, payload, start):
    if type(entry) is not dict or set(entry) != {"dtype", "shape"} or entry["dtype"] not in WIRE_DTYPES:
        raise WireError(f"expected an array of dtype {', '.join(WIRE_DTYPES)}")
    shape = entry["shape"]
    if type(shape) is not list or len(shape) > WIRE_DIMENSIONS or any(type(size) is not int or not 0 <= size <= 2**31 for size in shape):
        raise WireError(f"expected a shape of at most {WIRE_DIMENSIONS} sizes")
    import numpy
    dtype = numpy.dtype(entry["dtype"])
    end = start + math.prod(shape) * dtype.itemsize
    if end > len(payload):
        raise WireError(f"expected {end} bytes, got {len(payload)}")
    if dtype.kind == "b" and (numpy.frombuffer(payload, "u1", end - start, start) > 1).any():
        raise WireError("expected booleans")
    array = numpy.frombuffer(payload, dtype, math.prod(shape), start).reshape(shape).copy() if end > start else numpy.zeros(shape, dtype)
    if dtype.kind == "f" and not numpy.isfinite(array).all():
        raise WireError("expected finite numbers in an array")
    return array, end


def _restore(value, arrays, used, depth):
    kind = type(value)
    if kind is float and not math.isfinite(value):
        raise WireError("expected finite numbers")
    if kind is not list and kind is not dict:
        return value
    if depth > WIRE_DEPTH:
        raise WireError(f"expected at most {WIRE_DEPTH} levels of nesting")
    if kind is list:
        return [_restore(item, arrays, used, depth + 1) for item in value]
    if "$array" in value:
        index = value["$array"]
        if set(value) != {"$array"} or type(index) is not int or not 0 <= index < len(arrays) or used[index]:
            raise WireError("expected each array to be named once")
        used[index] = True
        return arrays[index]
    return {key: _restore(item, arrays, used, depth + 1) for key, item in value.items()}
