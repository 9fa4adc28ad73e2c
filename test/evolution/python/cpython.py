# What CPython thinks of sources: one JSON array of texts in, one array of {compiles, tokens, tree} out. Called by
# python-tokens.test.ts.
import ast, hashlib, io, json, sys, tokenize, warnings

SKIPPED = {tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER}


def digest(text):
    return hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()


def tokens(source):
    try:
        found = tokenize.generate_tokens(io.StringIO(source, newline=None).readline)
        words = [(t.type, '' if t.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT) else t.string) for t in found if t.type not in SKIPPED]
        return digest(repr(words))
    except (tokenize.TokenError, SyntaxError):
        return None


def tree(source):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            root = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for node in ast.walk(root):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
    return digest(ast.dump(root))


json.dump([{'tokens': tokens(s), 'tree': tree(s)} for s in json.load(sys.stdin)], sys.stdout)
