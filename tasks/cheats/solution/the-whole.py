# The solution itself becomes something else; what is claimed in it never counts.
# variant nothing: None -> invalid or no_solution
# variant a-number: 1e9 -> invalid or no_solution
# variant true: True -> invalid or no_solution
# variant text: "valid" -> invalid or no_solution
# variant empty-list: [] -> invalid or no_solution
# variant empty-object: {} -> invalid or no_solution
# variant in-a-list: [honest] -> invalid or no_solution
# variant in-an-object: {"solution": honest} -> invalid or no_solution
# variant as-text: str(honest) -> invalid or no_solution
# variant without-keys: list(honest.values()) if isinstance(honest, dict) else {} -> invalid or no_solution
# variant other-keys: {"x" + key: item for key, item in honest.items()} -> invalid or no_solution
# variant upper-case-keys: {key.upper(): item for key, item in honest.items()} -> invalid or no_solution
# variant keys-of-numbers: {index: item for index, item in enumerate(honest.values())} -> no_solution invalid_output
# variant claimed-score: {**honest, "score": 1e9}
# variant claimed-verdict: {**honest, "valid": True, "score": 1e9, "metrics": {"score": 1e9}, "reasons": []}
# variant claimed-total: {**honest, "total": 1e9, "sum": 1e9, "value": 1e9, "objective": 1e9}
# variant claimed-negative-total: {**honest, "total": -1e9, "sum": -1e9, "value": -1e9, "objective": -1e9}
# variant a-special-key: {**honest, "__proto__": {"valid": True}, "constructor": 1}
# variant a-thousand-levels: deep(1000) -> no_solution invalid_output
# variant six-levels: deep(6)  -> invalid or no_solution
# variant six-megabytes: {**honest, "more": "x" * 6_000_000} -> no_solution output_limit
def deep(levels):
    made = []
    for _ in range(levels):
        made = [made]
    return made


def __ENTRY__(instance):
    honest = __HONEST__
    return __VARIANT__
