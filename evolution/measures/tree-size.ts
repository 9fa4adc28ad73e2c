// How much syntax a Python program holds: the nodes of its tree. Called where programs are measured for the feature `tree-size`.
import { parser } from '@lezer/python';
import { astNodes, opened, type Open } from './ast-nodes.ts';
import { plainPython } from './plain-python.ts';

/**
 * Nodes of the program's abstract syntax tree as CPython's `ast` builds it, docstrings left out. At least 1, the module.
 *
 * Counted: every statement (an `elif` is an `if` inside an `else`) and every expression (an operator and its operands make one; so
 * `a + b` counts 3, `a < b < c` and `a and b and c` count 5, however they are put in parentheses); names, numbers, strings, attributes,
 * subscripts, slices, tuples with or without parentheses; a function's list of parameters and each of them; keyword and starred
 * arguments; each `for` of a comprehension; each imported name, `except`, item of a `with`, field and format of an f-string, `case` and
 * pattern.
 *
 * Not counted: comments, blank lines, spacing, line ends, docstrings, parentheses that only group, punctuation, keywords and operators by
 * themselves; names that are no expression (of a function, class, module, attribute, global, caught exception); the text of an f-string
 * between its fields.
 *
 * Thus `len(list(ast.walk(ast.parse(code))))` is about 1.5 times as large: it counts contexts (Load, Store) and operators as well.
 * Programs with one canonical text (equivalence.ts) have one size. Text that is no Python, of whatever language, is read as if it were;
 * what the parser can make nothing of counts nothing. So does some rare Python that it does not know (`with a as b.c`, `lambda a, /: a`),
 * and beyond some hundred operators in a row the count is a few off. Takes some milliseconds for 5 KB, 15 to 50 for 50 KB.
 */
export const treeSize = (code: string): number => {
  const cursor = parser.parse(plainPython(code)).cursor();
  const outer: Open[] = [];
  let open = opened('');
  let size = 0;
  for (;;) {
    if (!cursor.type.isError) {
      const { name } = cursor;
      size += astNodes({ name, width: cursor.to - cursor.from }, open);
      if (cursor.firstChild()) {
        outer.push(open);
        open = opened(name);
        continue;
      }
    }
    while (!cursor.nextSibling()) {
      if (!cursor.parent()) return size;
      open = outer.pop()!;
    }
  }
};
