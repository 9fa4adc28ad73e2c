# Splits a program of several files in one text, and imports them from memory. This text stands before runner.py and
# gate.py.
import re

_FILE_HEAD = re.compile(r"^# === FILE: ([A-Za-z_]\w*(?:/[A-Za-z_]\w*)*)\.py ===$", re.M)


def program_files(code):
    """[(path without .py, source)], the program's own file first. Where the first line names no file, there is one, named "program"."""
    heads = list(_FILE_HEAD.finditer(code))
    if not heads or heads[0].start() != 0:
        return [("program", code)]
    ends = [head.start() for head in heads[1:]] + [len(code)]
    return [(head.group(1), code[head.end() + 1:end]) for head, end in zip(heads, ends)]


def offer_files(files):
    """Makes every file but the first importable by its path, before anything installed."""
    import importlib.abc, importlib.util, linecache, sys

    sources = {path.replace("/", "."): source for path, source in files[1:]}
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
