# How an evaluator of a `script` task wants to be called. Where task.yaml does not say it, its source does: the function
# that it defines, the names of the parameters, and what it does with the first of them. This text stands before
# outcome.py and harness.py.
import ast, inspect, re

PATH, FOLDER_WORDS = {"path", "file", "filename", "filepath"}, {"dir", "directory", "folder"}
RESULTS = {"results", "result", "output", "out", "json"} | PATH | FOLDER_WORDS
TEXT, FUNCTION = {"code", "source", "src", "text", "string"}, {"function", "func", "fn", "callable"}
# What a call does with a name that it gets says what the name holds.
TAKES_TEXT, TAKES_OBJECT = {"exec", "eval", "compile", "parse", "literal_eval"}, {"getattr", "hasattr"}
TEXT_METHODS = {name for name in dir(str) if not name.startswith("_")}
PATH_METHODS = {"read_text", "read_bytes", "exists", "parent", "suffix", "stem", "name", "resolve", "open"}


def words(name):
    return {word.lower() for word in re.findall(r"[A-Za-z][a-z]*", name)}


def top_level(tree):
    """Functions by name, and all other names that a statement at the top level binds."""
    functions = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}
    bound = {alias.asname or alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    bound |= {target.id for node in tree.body if isinstance(node, ast.Assign) for target in node.targets if isinstance(target, ast.Name)}
    return functions, bound


def parameters(node):
    return [*node.args.posonlyargs, *node.args.args]


def function_of(source, tree):
    """The name of the function to call; None for a script, which is run by its arguments."""
    functions, bound = top_level(tree)
    main = functions.get("main")
    if "evaluate" in bound or "evaluate" in functions and (parameters(functions["evaluate"]) or functions["evaluate"].args.vararg):
        return "evaluate"
    if main is not None and parameters(main) and PATH & words(parameters(main)[0].arg):
        return "main"
    public = [name for name, node in functions.items() if not name.startswith("_") and parameters(node)]
    runs = "__main__" in source or "sys.argv" in source or "argparse" in source
    return public[0] if len(public) == 1 and not runs else None


def shape_of(name, annotation, node):
    """What the first parameter holds: path, text, function or module."""
    said, typed = words(name), ast.unparse(annotation) if annotation is not None else ""
    for shape, fits in (
        ("function", "Callable" in typed), ("path", "Path" in typed or bool(PATH & said)), ("text", bool(TEXT & said)),
        ("function", bool(FUNCTION & said)), ("module", "Module" in typed),
    ):
        if fits:
            return shape
    return next((use for one in ast.walk(node) if isinstance(one, ast.Call) and (use := use_of(one, name))), "path")


def use_of(call, name):
    """What a call says about the name, or None."""
    function = call.func
    if isinstance(function, ast.Name) and function.id == name:
        return "function"
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == name:
        return "path" if function.attr in PATH_METHODS else "text" if function.attr in TEXT_METHODS else "module"
    called = function.id if isinstance(function, ast.Name) else function.attr if isinstance(function, ast.Attribute) else ""
    if not (call.args and isinstance(call.args[0], ast.Name) and call.args[0].id == name):
        return None
    return "text" if called in TAKES_TEXT else "module" if called in TAKES_OBJECT else None


def first_shape(function, name, tree):
    """The shape that the source says, where its first parameter can be seen."""
    node = top_level(tree)[0].get(name)
    if node is None or not parameters(node):
        first = next(iter(inspect.signature(function).parameters), "path")
        return shape_of(first, None, ast.Module([], []))
    return shape_of(parameters(node)[0].arg, parameters(node)[0].annotation, node)


def others_of(function, folder, file, wanted):
    """The arguments behind the first: a folder for results, or a file in it, to parameters that are called so."""
    more = list(inspect.signature(function).parameters.values())[1:]
    found, unknown = {}, []
    for index, parameter in enumerate(more):
        said = words(parameter.name)
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if FOLDER_WORDS & said or wanted == "path-folder" and index == 0:
            found[parameter.name] = folder
        elif RESULTS & said:
            found[parameter.name] = file
        elif parameter.default is parameter.empty:
            unknown.append(parameter.name)
    return found, unknown


def argv_of(source, tree, program, folder, file):
    """The command line of a script: the program, and a place for results where the source asks for one."""
    options = [
        node.args[0].value for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add_argument"
        and node.args and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str)
    ]
    place = lambda name: folder if FOLDER_WORDS & words(name) else file
    if options:
        where = next((name for name in options if {"program", "candidate", "solution", "code"} & words(name)), options[0])
        results = [name for name in options if name != where and RESULTS & words(name)][:1]
        given = [(where, program), *((name, place(name)) for name in results)]
        return [part for name, value in given for part in ((name, value) if name.startswith("-") else (value,))]
    second = re.search(r"(\w*)[^\n=]*=[^\n]*sys\.argv\[2\]", source)
    return [program, *([place(second[1])] if second else [])]
