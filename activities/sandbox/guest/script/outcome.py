# What an evaluator of a `script` task gave, as plain data: numbers and short texts as metrics, other texts as feedback,
# artifacts, and in words whatever is no finite number. It is a claim; scorer.py decides whether it is a score.
import collections.abc, csv, dataclasses, itertools, json, os, stat

MOST_ITEMS, LONGEST_METRIC, LONGEST_REASON, MOST_PRINTED, MOST_LINES = 500, 200, 300, 1 << 20, 2_000
FILES = (".txt", ".log", ".md", ".csv", ".png", ".jpg", ".jpeg", ".svg")
VERDICTS = ("error", "status", "timeout", "correct", "valid", "success")
# What decides comes first, however much there is.
FIRST = ("combined_score", "score", "metrics", "public", "artifacts", "reasons", *VERDICTS)
EXPECTED = "expected a number, a dict, a tuple (score, info) or an object with metrics"


class Refused(Exception):
    """What came back can be no score; says what was expected and what came."""


def mapping_of(value):
    """The names and values in what an evaluator returned; None where it has none."""
    if isinstance(value, collections.abc.Mapping):
        return value
    if isinstance(value, type) or callable(value):
        return None
    if isinstance(getattr(value, "metrics", None), collections.abc.Mapping):
        return {"metrics": value.metrics, "artifacts": getattr(value, "artifacts", None)}
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    for way in ("_asdict", "model_dump", "to_dict"):
        if callable(getattr(value, way, None)):
            return value._asdict() if way == "_asdict" else getattr(value, way)()
    own = getattr(value, "__dict__", None)
    return own if own and not isinstance(value, (BaseException, types.ModuleType)) else None


def whole(value):
    """The returned value as one mapping; a number is the score."""
    value = unboxed(value)
    if is_number(value):
        return {"score": value}
    if type(value) is tuple and len(value) == 2:
        first, info = unboxed(value[0]), value[1]
        told = info if isinstance(info, collections.abc.Mapping) else {} if info is None else {"info": info}
        if is_number(first):
            return {**dict(itertools.islice(told.items(), MOST_ITEMS)), "score": first}
        if isinstance(first, collections.abc.Mapping):
            return {**first, "artifacts": told}
    found = mapping_of(value)
    if found is None:
        raise Refused(f"returned {said(value)}: {EXPECTED}")
    return found


class Claim:
    def __init__(self, found):
        self.metrics, self.odd, self.texts, self.shown = {}, {}, [], {}
        inner = [found.get(name) for name in ("metrics", "public")]
        for part in (found, *(one for one in inner if isinstance(one, collections.abc.Mapping))):
            kept = sorted(part.items(), key=lambda item: item[0] not in FIRST)
            for name, value in kept[:MOST_ITEMS]:
                self.add(label(str(name)), unboxed(value))
            if len(kept) > MOST_ITEMS:
                self.texts.append(f"metrics: {len(kept)} came, and {MOST_ITEMS} of them are kept")

    def add(self, name, value):
        if name in ("metrics", "public", "private") and isinstance(value, collections.abc.Mapping):
            return
        if value is None:
            self.odd[name] = said(value)
            return
        if name == "reasons":
            parts = value if isinstance(value, (list, tuple)) else value.values() if isinstance(value, collections.abc.Mapping) else [value]
            self.texts += [text[:LONGEST_REASON] if isinstance(text, str) else short.repr(text) for text in itertools.islice(parts, MOST_ARTIFACTS)]
            return
        if name == "artifacts":
            self.shown.update(itertools.islice(value.items(), MOST_ITEMS) if isinstance(value, collections.abc.Mapping) else [(name, value)])
            error = self.shown.get("error")
            if isinstance(error, str) and error.strip():
                self.metrics["error"] = error[:LONGEST_REASON]
                # It is the reason.
                self.shown = {key: one for key, one in self.shown.items() if key != "error" or len(error) > LONGEST_REASON}
            return
        # An error is the reason, which shows this much.
        if isinstance(value, str) and (len(value) > LONGEST_REASON if name == "error" else len(value) > LONGEST_METRIC or "\n" in value):
            self.shown[name] = value
        if not is_finite(value):
            self.odd[name] = said(value)
        if name not in self.shown:
            self.metrics[name] = metric(value)
        if name == "error" and not is_finite(value):
            self.metrics[name] = value if isinstance(value, str) else short.repr(value) if value else ""

    def plain(self, room):
        shown = {one.pop("name"): one for one in artifacts_of(self.shown, room)}
        return {"metrics": self.metrics, "odd": self.odd, "texts": self.texts, "artifacts": shown}


def files_in(folder):
    """Texts, tables and pictures that were written there, by name."""
    found = {}
    for name in sorted(os.listdir(folder)):
        place = os.path.join(folder, name)
        if name.endswith(FILES) and stat.S_ISREG(os.lstat(place).st_mode):
            with open(place, "rb") as file:
                found[name] = file.read(LARGEST_PICTURE + 1)
            if name.endswith(".csv"):
                found[name] = list(csv.reader(found[name].decode("utf-8", "replace").splitlines()))
    return found


def read_json(path):
    try:
        with open(path, encoding="utf-8-sig") as file:
            return json.load(file)
    except (ValueError, RecursionError) as error:
        raise Refused(f"wrote {os.path.basename(path)}, which is no JSON: {error}") from None


def holds_result(path):
    """Whether a file that nobody was told to write is a result, and not a log or a list of cases."""
    try:
        found = read_json(path)
    except (OSError, Refused):
        return False
    return is_number(found) or isinstance(found, dict)


def written(folder, own, names):
    """What was written: metrics.json with correct.json, the file of results, or the only JSON file beside them; None where nothing was."""
    there = {name: os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".json")}
    there.update({name: os.path.join(own, name) for name in ("metrics.json", "results.json", "result.json") if name not in names and holds_result(os.path.join(own, name))})
    verdict = there.pop("correct.json", None)
    chosen = there.get("metrics.json") or there.get("results.json") or (next(iter(there.values())) if len(there) == 1 else None)
    found = None if chosen is None else read_json(chosen)
    if verdict is not None:
        found = {**(found if isinstance(found, dict) else {}), **read_json(verdict)}
    return found


class Printed:
    """Passes on what is printed, and keeps the end of it."""

    def __init__(self, stream):
        self.stream, self.parts, self.held = stream, [], 0

    def __getattr__(self, name):
        return getattr(self.stream, name)

    def write(self, text):
        self.parts.append(text)
        self.held += len(text)
        if self.held > 2 * MOST_PRINTED:
            self.parts = [self.tail()]
            self.held = MOST_PRINTED
        return self.stream.write(text)

    def tail(self):
        return "".join(self.parts)[-MOST_PRINTED:]

    def found(self):
        """The last number or object in JSON that begins a line and ends one; None where there is none."""
        text, end = self.tail().rstrip(), None
        for _ in range(MOST_LINES):
            start = text.rfind("\n", 0, end) + 1
            try:
                value, stop = json.JSONDecoder().raw_decode(text, start)
                if text[stop:stop + 1].strip() == "" and (is_number(value) or isinstance(value, dict)):
                    return value
            except (ValueError, RecursionError):
                pass
            if start == 0:
                return None
            end = start - 1
        return None
