# What an evaluator shows beside its numbers (docs/tasks.md, Artifacts), in one form whatever it gave: a name, a kind and
# a text, all of bounded size. Tables are lines of cells between tabs, PNG and JPEG are base64. What was made here may
# come here again: script/outcome.py makes it beside the program, and scorer.py makes it anew in the trusted container.
# This text stands behind values.py.
import base64, collections.abc, itertools, json, zlib

MOST_ARTIFACTS, LONGEST_NAME, LONGEST_ARTIFACT, LARGEST_PICTURE, LONGEST_CELL = 20, 64, 64 << 10, 512 << 10, 300
# All of a program, as it goes over the wire.
MOST_SHOWN = 1 << 20
MOST_ROWS, MOST_COLUMNS = 2_000, 50
TOO_LARGE = f"[left out: a picture of more than {LARGEST_PICTURE} bytes]"
MAGIC = {"png": b"\x89PNG\r\n\x1a\n", "jpeg": b"\xff\xd8\xff"}


def artifacts_of(given, room=MOST_SHOWN):
    """A list of {name, kind, text}. No more of what comes is looked at than is kept."""
    most = room = min(room, MOST_SHOWN)
    if given is None:
        return []
    if not isinstance(given, collections.abc.Mapping):
        given = {"artifacts": given}
    made, kept = [], MOST_ARTIFACTS if len(given) <= MOST_ARTIFACTS else MOST_ARTIFACTS - 1
    for name, value in itertools.islice(given.items(), kept):
        try:
            kind, text = artifact(value)
            size = len(json.dumps(text))
        except Exception as error:
            kind, text = "text", f"[left out: {type(error).__name__}: {short.repr(str(error))}]"
            size = len(text)
        if size > room:
            kind, text = "text", f"[left out: {size} bytes, and all artifacts together may have {most}]"
        room -= min(room, size)
        made.append({"name": label(str(name)), "kind": kind, "text": text})
    if len(given) > kept:
        made.append({"name": "artifacts", "kind": "text", "text": f"[left out: {len(given) - kept} of {len(given)} artifacts]"})
    return made


def label(name):
    """Names are cut, and those that are cut stay apart."""
    return name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME - 9]}~{zlib.crc32(name.encode('utf-8', 'replace')):08x}"


def artifact(value):
    """The kind and the text of one."""
    if type(value) is dict and set(value) == {"kind", "text"} and all(isinstance(one, str) for one in value.values()):
        kind, text = value["kind"], value["text"]
        if kind == "table" and len(text) <= LONGEST_ARTIFACT:
            return kind, text
        value = f"data:;base64,{text}" if kind in MAGIC else text
    if isinstance(value, str):
        if value.startswith("data:") and ";base64," in value[:100]:
            if len(value) > 2 * LARGEST_PICTURE:
                return "text", TOO_LARGE
            value = base64.b64decode(value.split(",", 1)[1])
        else:
            return worded(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return pictured(value)
    rows = rows_of(value)
    return worded(shown_value(value)) if rows is None else ("table", tabled(*rows))


def worded(text, came=None):
    if text[:1_000].lstrip().startswith("<") and "<svg" in text[:2_000] and text[-100:].rstrip().endswith("</svg>"):
        return ("svg", text) if len(text) <= LARGEST_PICTURE else ("text", TOO_LARGE)
    return "text", text if len(text) <= LONGEST_ARTIFACT else cut(text[:LONGEST_ARTIFACT - 100], came or f"{len(text)} characters")


def pictured(data):
    size = memoryview(data).nbytes
    head = bytes(data[:8])
    kind = next((name for name, magic in MAGIC.items() if head.startswith(magic)), None)
    if kind is not None:
        return (kind, base64.b64encode(data).decode()) if size <= LARGEST_PICTURE else ("text", TOO_LARGE)
    kept = bytes(data[:LARGEST_PICTURE + 1])
    try:
        return worded(kept.decode("utf-8", "strict" if size <= LARGEST_PICTURE else "ignore"), f"{size} bytes")
    except UnicodeDecodeError:
        return "text", f"[left out: {size} bytes that are neither text nor a picture in PNG, JPEG or SVG]"


def cut(text, came):
    return f"{text}\n[cut: {came} came]"


def shown_value(value):
    value = unboxed(value)
    return value if isinstance(value, str) else str(metric(value))


def rows_of(value):
    """(rows, their number), the names of columns first; None where it is no table."""
    came = len(value) if isinstance(value, (list, tuple, collections.abc.Mapping)) or getattr(value, "ndim", 0) in (1, 2) else 0
    if came == 0:
        return None
    if hasattr(value, "tolist"):
        value = value[:MOST_ROWS].tolist()
    if isinstance(value, collections.abc.Mapping):
        items = list(itertools.islice(value.items(), MOST_COLUMNS))
        columns = [column_of(column) for _, column in items]
        if all(column is not None for column in columns):
            rows = itertools.zip_longest(*columns, fillvalue="")
            return itertools.chain([[name for name, _ in items]], rows), 1 + max(len(column) for _, column in items)
        return itertools.chain([["name", "value"]], value.items()), 1 + came
    first = value[:MOST_ROWS]
    if all(isinstance(row, collections.abc.Mapping) for row in first):
        names = list(dict.fromkeys(name for row in first for name in itertools.islice(row, MOST_COLUMNS)))[:MOST_COLUMNS]
        return itertools.chain([names], ([row.get(name, "") for name in names] for row in value)), 1 + came
    if all(isinstance(row, (list, tuple)) for row in first):
        return value, came
    return itertools.chain([["value"]], ([one] for one in value)), 1 + came


def column_of(column):
    """The first values of a column; None where it is none."""
    if getattr(column, "ndim", 0) == 1:
        return column[:MOST_ROWS].tolist()
    return column[:MOST_ROWS] if isinstance(column, (list, tuple)) else None


def tabled(rows, length):
    lines, size = [], 0
    for row in itertools.islice(rows, MOST_ROWS):
        line = "\t".join(cell(value) for value in row[:MOST_COLUMNS])
        size += len(line) + 1
        if size > LONGEST_ARTIFACT - 100:
            break
        lines.append(line)
    return "\n".join(lines) if len(lines) == length else cut("\n".join(lines), f"{length} lines")


def cell(value):
    text = "" if value is None else shown_value(value)[:LONGEST_CELL]
    return text.replace("\t", " ").replace("\n", " ").replace("\r", " ")
