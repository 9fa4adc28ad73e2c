"""The names that an evaluator of GEPA imports beside its own. Where a program is scored only `optimize_anything` is
used: an evaluator that is defined inside of a function is taken from its call, and the module that imports this gets a
function `evaluate_candidate`."""
import sys


class Called(Exception):
    pass


def optimize_anything(**named):
    raise Called(named["evaluator"])


def evaluate_candidate(code):
    if not FOUND:
        try:
            IMPORTER.main()
        except Called as called:
            FOUND.extend(called.args)
    evaluator = FOUND[0]
    return evaluator(*[code, None][:evaluator.__code__.co_argcount])


def importer():
    frame = sys._getframe(2)
    while frame.f_globals["__name__"].startswith("importlib"):
        frame = frame.f_back
    return sys.modules[frame.f_globals["__name__"]]


FOUND, IMPORTER = [], importer()
IMPORTER.evaluate_candidate = evaluate_candidate


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return type(name, (), {"__init__": lambda self, *values, **named: self.__dict__.update(named)})
