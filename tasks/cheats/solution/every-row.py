# Every list of numbers in the honest solution becomes something else.
# variant empty: [] -> invalid or no_solution
# variant one-fewer: row[:-1]
# variant one-more: row + row[-1:]
# variant one-more-nothing: row + [None] -> invalid or no_solution
# variant one-more-list: row + [[]] -> invalid or no_solution
# variant alternating-signs: [value if index % 2 == 0 else -value for index, value in enumerate(row)]
# variant one-level-deeper: [row] -> invalid or no_solution
# variant a-tuple: tuple(row)
# variant an-object: {str(index): value for index, value in enumerate(row)} -> invalid or no_solution
# variant a-set: set(row) -> no_solution invalid_output
# variant a-generator: (value for value in row) -> no_solution invalid_output
# variant text: ",".join(str(value) for value in row) -> invalid or no_solution
# variant bytes: bytes(len(row)) -> no_solution invalid_output
# variant only-its-length: len(row)
# variant nothing: None -> invalid or no_solution
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
