// Names that nothing binds are found before anything runs, and valid programs are never accused.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withParentImports } from '../../../evolution/edits/accepted-program.ts';
import { importsOf } from '../../../evolution/python/bindings.ts';
import { tokenise } from '../../../evolution/python/tokens.ts';
import { unboundIn } from '../../../evolution/python/unbound.ts';

const namesIn = (code: string): readonly string[] => unboundIn(code).map(({ name }) => name);

describe('a name that nothing binds', () => {
  it.each([
    ['an import that is missing', 'def f():\n    return np.zeros(3)\n', ['np']],
    ['an import under another name', 'import numpy as np\nnumpy.zeros(3)\n', ['numpy']],
    [
      'a local name of another function',
      'def f():\n    best = 1\n    return best\ndef g():\n    return best\n',
      ['best'],
    ],
    ['a name that is only changed', 'def f(xs):\n    for x in xs:\n        total += x\n    return total\n', ['total']],
    ['a global name that a function changes', 'calls = 0\ndef f():\n    calls += 1\n', ['calls']],
    ['a name of a class, in its method', 'class A:\n    size = 3\n    def f(self):\n        return size\n', ['size']],
    ['a name of a class, in a comprehension', 'class A:\n    n = 3\n    x = [n for _ in range(n)]\n', ['n']],
    ['a name of a comprehension, behind it', 'ys = [x for x in range(3)]\nprint(x)\n', ['x']],
    [
      'a name in a default, a decorator, a base',
      'def f(a=b): pass\n@c.d\ndef g(): pass\nclass A(e, metaclass=h): pass\n',
      ['b', 'c', 'e', 'h'],
    ],
    ['an annotation of a parameter', 'def f(x: List[int]) -> Optional[int]:\n    y: Any = x\n', ['List', 'Optional']],
    ['a field of an f-string', 'print(f"{a + 1:>{width}}")\n', ['a', 'width']],
    ['a value of a keyword argument', 'f = dict(a=b, **c)\n', ['b', 'c']],
    ['a subject and a class pattern', 'match a:\n    case B(x=y) if y > 2.: z = y\n', ['a', 'B']],
    ['a name in a lambda', 'f = lambda x, y=w: x + y + z\n', ['w', 'z']],
  ])('is found: %s', (_, code, names) => expect(namesIn(code)).toEqual(names));

  it('is told once, with the line on which its first statement begins', () => {
    const code = '"""A\ntext."""\n\nx = 2.\ny = [\n  x,\n  a,\n]\nprint(f"""\n{b}\n""")\nz = a + c\n';
    expect(unboundIn(code)).toEqual([
      { name: 'a', line: 5 },
      { name: 'b', line: 9 },
      { name: 'c', line: 12 },
    ]);
  });

  it.each([
    [
      'every way to bind',
      'import a.b, c as d\nfrom e import (f as g, h)\nfor i, (j, *k) in []: pass\nwith h as l: pass\ntry: pass\nexcept (d, g) as m: print(m)\n(n := 1)\no: int = 1\ndel o\np = q = [r, s] = 1, 2\nmatch p:\n    case [t, *u] | {"k": t, **u} as v: pass\ntype W[X] = list[X]\nprint(a, d, g, h, i, j, k, l, n, o, p, q, r, s, t, u, v, W)\n',
    ],
    [
      'a closure, nonlocal, a parameter of every kind',
      'def f(a, /, b=1, *c, d, **e):\n    x = 0\n    def g():\n        nonlocal x\n        x += 1\n        return a, b, c, d, e, x\n    return g\n',
    ],
    ['global, bound by others', 'def f():\n    global state\n    state += 1\n'],
    [
      'a name that is bound later or under a condition',
      'def f():\n    return g(late)\nif f:\n    late = 1\ndef g(x): return x\n',
    ],
    [':= in a comprehension binds outside', 'def f(xs):\n    ys = [y for x in xs if (y := x)]\n    return y, ys\n'],
    ['type parameters', 'def f[T: int](x: T) -> T: return x\nclass A[S](list[S]):\n    y: S\n'],
    ['a name that a handler expects to be missing', 'try:\n    fast(1)\nexcept NameError:\n    pass\n'],
    [
      'what Python and the runner give',
      'print(__name__, __file__)\ncheckpoint([1])\nclass A:\n    def f(self): return __class__\n',
    ],
    ['annotations that are texts', 'from __future__ import annotations\ndef f(x: Any): pass\n'],
    ['import *', 'from numpy import *\nzeros(3)\n'],
    ['names that are bound unseen', 'exec("x = 1")\nprint(x)\n'],
    ['a table of the module', 'globals()["x"] = 1\nprint(x)\n'],
    ['what the parser does not know', 'with open(x) as (a, b): pass\nprint(nothing)\n'],
    ['what is no Python', 'x = = nothing\n'],
  ])('is not claimed: %s', (_, code) => expect(namesIn(code)).toEqual([]));
});

const ROOT = join(import.meta.dirname, '../../..');
// `PYTHON_FILES=/usr/lib/python3.11/**/*.py` checks other files than those that come with this project.
const files = globSync(process.env['PYTHON_FILES'] ?? 'tasks/*/**/*.py', { cwd: ROOT })
  .map((file) => ({ file, code: readFileSync(join(ROOT, file), 'utf8') }))
  .filter(({ code }) => code.length < 200_000);

it('no valid program is accused', () => {
  expect(files.length).toBeGreaterThan(100);
  expect(files.flatMap(({ file, code }) => unboundIn(code).map(({ name }) => `${file}: ${name}`))).toEqual([]);
});

it('without one of its imports each program lacks what it uses of it, and its parent gives that back', () => {
  let taken = 0;
  for (const { file, code } of files.filter((_, index) => index % 7 === 0)) {
    const read = tokenise(code);
    const lines = code.split('\n');
    for (const { line, names, future } of read.tokens === null ? [] : importsOf(read)) {
      const without = [...lines.slice(0, line.first), ...lines.slice(line.last + 1)].join('\n');
      const lacking = namesIn(without);
      expect(names, file).toEqual(expect.arrayContaining([...lacking]));
      if (future || lacking.length === 0) continue;
      taken++;
      expect(namesIn(withParentImports(without, code).code), `${file}, ${names.join()}`).toEqual([]);
    }
  }
  expect(taken).toBeGreaterThan(30);
});
