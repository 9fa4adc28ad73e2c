# The gate's side inside its container: compiles sources and never executes them.
import ast, functools, pkgutil, sys, warnings

warnings.simplefilter("ignore")
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def binds(statements, name):
    """Whether a module-level statement binds the name; bodies of functions and classes are not entered."""
    for node in statements:
        if isinstance(node, SCOPES):
            if node.name == name:
                return True
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            if any((alias.asname or alias.name) == name for alias in node.names):
                return True
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(part, ast.Name) and part.id == name for target in targets for part in ast.walk(target)):
                return True
        else:
            bodies = [getattr(node, field, []) for field in ("body", "orelse", "finalbody")]
            bodies += [handler.body for handler in getattr(node, "handlers", [])]
            if any(isinstance(body, list) and binds(body, name) for body in bodies):
                return True
    return False


@functools.cache
def installed():
    return {*sys.stdlib_module_names, *(module.name for module in pkgutil.iter_modules())}


def is_installed(path):
    """Whether others could import this file, as a module or a package, in place of one that is installed."""
    return path.removesuffix("/__init__.py").removesuffix(".py").rsplit("/", 1)[-1] in installed()


def check(text, entry, own):
    try:
        everything = program_files(text)
        files = [(path, source) for path, source in everything if path.endswith(".py")]
        taken = next((path for path, _ in everything[own:] if path.endswith(".py") and is_installed(path)), None)
        if taken is not None:
            return f"the new file {taken[:100]} has the name of an installed module: expected another name"
        for path, source in files[1:]:
            compile(source, f"<{path}>", "exec", dont_inherit=True)
        source = files[0][1] if files else ""
        tree = ast.parse(source, "<program>")
        compile(tree, "<program>", "exec", dont_inherit=True)
        if entry and not binds(tree.body, entry):
            return f"expected a function {entry}, the program defines none"
    except SyntaxError as error:
        return f"{type(error).__name__}: {error.msg} (line {error.lineno})"[:300]
    except BaseException as error:
        return f"{type(error).__name__}: {error}"[:300]
    return None


serve(lambda ask, _: [check(**one) for one in ask])
