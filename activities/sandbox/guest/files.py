# Splits a program of several files in one text, imports them from memory, and leaves them as files where they are wanted.
# This text stands before runner.py and gate.py.
import os, re, sys

_FILE_HEAD = re.compile(r"^# === FILE: ([^\r\n]*) ===$", re.M)
_NO_PATH = re.compile(r"[\x00-\x1f\x7f\\]")


def _is_path(name):
    """Whether it stays within its folder."""
    return not _NO_PATH.search(name) and not any(part in ("", ".", "..") for part in name.split("/"))


def program_files(code):
    """[(path, source)], the program's own file first. Where the first line names no file, or a name is no path, there is one, program.py."""
    heads = list(_FILE_HEAD.finditer(code))
    if not heads or heads[0].start() != 0 or not all(_is_path(head.group(1)) for head in heads):
        return [("program.py", code)]
    ends = [head.start() - 1 for head in heads[1:]] + [len(code)]
    return [(head.group(1), code[head.end() + 1:end]) for head, end in zip(heads, ends)]


def offer_files(files):
    """Makes every file but the first importable by its path, before anything installed."""
    import importlib.abc, importlib.util, linecache

    sources = {path[:-3].replace("/", "."): source for path, source in files[1:]}
    packages = {name.rsplit(".", depth)[0] for name in sources for depth in range(1, name.count(".") + 1)}

    class Files(importlib.abc.MetaPathFinder, importlib.abc.Loader):
        def find_spec(self, name, path=None, target=None):
            if name in sources or name in packages:
                return importlib.util.spec_from_loader(name, self, is_package=name in packages)
            return None

        def exec_module(self, module):
            source, file = sources.get(module.__name__, ""), f"<{module.__name__}>"
            linecache.cache[file] = (len(source), None, source.splitlines(True), file)
            exec(compile(source, file, "exec"), module.__dict__)

    sys.meta_path.insert(0, Files())


def leave_files(files):
    """Writes the files where Python processes that the program starts find them: pools that do not fork import the program there. Returns
    the place of the program's own file."""
    folder = os.path.join(os.environ.get("TMPDIR", "/tmp"), ".program")
    try:
        for path, source in [("program.py", files[0][1]), *files[1:]]:
            place = os.path.join(folder, path)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "wb") as file:
                file.write(source.encode("utf-8", "surrogatepass"))
    except OSError:
        pass
    sys.path.append(folder)
    return os.path.join(folder, "program.py")
