"""The names that an evaluator of GEPA imports beside its own: none of them is used where a program is scored."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return type(name, (), {"__init__": lambda self, *values, **named: self.__dict__.update(named)})
