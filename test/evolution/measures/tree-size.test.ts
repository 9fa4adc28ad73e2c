// The size of a program's syntax tree: against CPython's own tree, and blind to everything that is layout.
import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { normalise } from '../../../evolution/edits/equivalence.ts';
import { treeSize } from '../../../evolution/measures/tree-size.ts';

/** [nodes as treeSize documents them, all nodes], of each text; null: does not compile. */
const CPYTHON = `
import ast, json, sys, warnings
warnings.simplefilter('ignore')
BARE = (ast.expr_context, ast.operator, ast.boolop, ast.unaryop, ast.cmpop)
SCOPES = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)

def weight(node):
    if isinstance(node, BARE): return 0
    if isinstance(node, ast.BoolOp): return len(node.values) - 1
    if isinstance(node, ast.Compare): return len(node.ops)
    if isinstance(node, ast.JoinedStr): return 1 - sum(isinstance(part, ast.Constant) for part in node.values)
    return 1

def sizes(source):
    try: root = ast.parse(source)
    except (SyntaxError, ValueError): return None
    every = len(list(ast.walk(root)))
    for node in ast.walk(root):
        if isinstance(node, SCOPES) and ast.get_docstring(node, clean=False) is not None and (len(node.body) > 1 or isinstance(node, ast.Module)): node.body = node.body[1:]
    return sum(map(weight, ast.walk(root))), every

json.dump([sizes(source) for source in json.load(sys.stdin)], sys.stdout)
`;
type Sizes = readonly [nodes: number, every: number] | null;
const cpython = (sources: readonly string[]): readonly Sizes[] =>
  JSON.parse(
    execFileSync('python3', ['-c', CPYTHON], { input: JSON.stringify(sources), maxBuffer: 1 << 28 }).toString(),
  ) as Sizes[];

const root = join(import.meta.dirname, '..', '..', '..');
const library = execFileSync('python3', ['-c', 'import sysconfig; print(sysconfig.get_paths()["stdlib"])'])
  .toString()
  .trim();
const libraryFiles = readdirSync(library)
  .filter((name) => name.endsWith('.py'))
  .sort()
  .filter((_, index) => index % 8 === 0)
  .map((name) => readFileSync(join(library, name), 'utf8'));
const initialPrograms = readdirSync(join(root, 'tasks'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('initial.py'))
  .map((file) => readFileSync(join(root, 'tasks', file), 'utf8'));

const SNIPPETS: readonly string[] = [
  '',
  'pass',
  'x = 1',
  'x: int = -2.',
  'x, *y = a, b = 1, (2,)',
  'x += 1, 2',
  'del a, b.c',
  'return_ = [i for i, j in z if i for k in j]',
  'f(a, *b, c=1, **d)',
  'f(i async for i in j)',
  'f(a := 1)',
  'a[1:2, ::3, ...]',
  'a[:]',
  'a < b < c and not d or e',
  'x = a if b else lambda c, *d, e=1, **f: c',
  'import a.b as c, d\nfrom . import (e, f as g,)\nfrom ...h import *',
  'if a: b\nelif c: d\nelse: e',
  'try:\n  a\nexcept (B, C) as d:\n  raise\nexcept:\n  pass\nfinally:\n  e',
  'with a as b, c: pass',
  'for i, j in k: continue\nelse: break',
  'while (a := b()): print(a)',
  '@a.b(1)\n@c\nclass D(E, metaclass=F):\n  "doc"\n  x = 1',
  'async def f(a: int, /, b=1, *, c: "d" = 2, **e) -> g:\n  global h, i\n  await j\n  yield k, l\n  x = yield\n  return m, n',
  'x = f"{a!r:>{b}} text {c, d}" "more"',
  'x = {1: 2, **a}; y = {1, *b}; z = {i: j for i, j in k}',
  'assert a, b',
  'print',
  'x = "a" "b" b"c" if None is True else ...',
  'def f(): "only a docstring"',
  'match a:\n  case 1 | None: b\n  case [c, *_] if d: e',
].map((text) => (text.includes('async for') ? `async def g():\n  ${text}` : text));

describe('the size of the syntax tree', () => {
  it('is what CPython counts, on snippets of every kind of syntax', () => {
    const exact = SNIPPETS.filter((text) => !/\bmatch\b|b"c"/.test(text));
    const expected = cpython(exact);
    for (const [index, text] of exact.entries()) expect(treeSize(text), text).toBe(expected[index]![0]);
  });

  it('is what CPython counts, on the initial programs of all tasks and on most files of its standard library', () => {
    const sources = [...initialPrograms, ...libraryFiles];
    const expected = cpython(sources);
    let equal = 0;
    for (const [index, source] of sources.entries()) {
      if (expected[index] === null) continue;
      const [nodes, every] = expected[index]!;
      const size = treeSize(source);
      if (size === nodes) equal++;
      expect(Math.abs(size - nodes)).toBeLessThanOrEqual(index < initialPrograms.length ? 0 : 0.02 * nodes);
      expect(size).toBeLessThanOrEqual(every);
    }
    expect(sources.length).toBeGreaterThan(15);
    expect(equal / sources.length).toBeGreaterThan(0.9);
  });

  it('is one for programs with one canonical text', () => {
    for (const source of [...initialPrograms, ...libraryFiles.slice(0, 6), ...SNIPPETS]) {
      expect(treeSize(normalise(source).replace(/^\u0001/, ''))).toBe(treeSize(source));
    }
  });

  const word = fc.constantFrom(
    'a',
    'b',
    'f(a, 1.)',
    '[a, b]',
    '(a + b)',
    'x.y',
    '-a',
    'a[1:]',
    '"text".x',
    'f"{a}"',
    'not b',
    '(a, b)',
    'print(a)',
    'lambda: 0',
  );
  const simple = fc.oneof(
    fc.tuple(word, word).map(([left, right]) => `x = ${left} , ${right}`),
    word,
    fc.constantFrom('pass', 'import a', 'del x'),
    word.map((value) => `y += ${value}`),
  );
  const { block } = fc.letrec<{ block: readonly string[]; statement: readonly string[] }>((tie) => ({
    statement: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      simple.map((line) => [line]),
      fc
        .tuple(
          fc.constantFrom('if a:', 'for i in x:', 'def g(a, *b):', 'class A:', 'while b:', 'with a as c:'),
          tie('block'),
        )
        .map(([header, body]) => [header, ...body.map((line) => `\t${line}`)]),
    ),
    block: fc.array(tie('statement'), { minLength: 1, maxLength: 4 }).map((statements) => statements.flat()),
  }));

  it('does not see comments, blank lines, spacing, indentation, line ends and docstrings (law)', () => {
    const layout = fc.record({
      indent: fc.constantFrom(' ', '   ', '\t'),
      end: fc.constantFrom('\n', '\r\n', '\n\n', '  # note\n', '\n# note: x = (\n'),
      space: fc.constantFrom(' ', '  ', ' \\\n '),
    });
    fc.assert(
      fc.property(block, layout, fc.boolean(), (lines, { indent, end, space }, documented) => {
        const plain = `${lines.join('\n')}\n`;
        const laidOut =
          lines
            .map((line) => {
              const depth = line.length - line.trimStart().length;
              const docstring =
                documented && /^\s*(?:def|class)/.test(line) ? `\n${indent.repeat(depth + 1)}"""Says\nwhat."""` : '';
              return indent.repeat(depth) + line.trimStart().replaceAll(' , ', `${space},${space}`) + docstring;
            })
            .join(end) + end;
        expect(normalise(laidOut)).toBe(normalise(plain));
        expect(treeSize(laidOut)).toBe(treeSize(plain));
      }),
      { numRuns: 200 },
    );
  });

  it('does not see parentheses that only group', () => {
    for (const [bare, grouped] of [
      ['x = a + b * c', 'x = ((a) + ((b) * (c)))'],
      ['x = a and b and c', 'x = (a and b) and (c)'],
      ['x = a < b < c', 'x = ((a < b) < c)'],
      ['return_ = 1, 2', 'return_ = (1, 2)'],
      ['for i, j in k: pass', 'for (i, j) in (k): pass'],
      ['x[1, 2] = y', 'x[(1, 2)] = (y)'],
      ['from a import b, c', 'from a import (b, c,)'],
      ['x = f(a)', 'x = f((a),)'],
      ['if not a: b', 'if (not (a)): (b)'],
      ['x = [i for i, j in k]', 'x = [(i) for (i, j) in (k)]'],
    ] as const)
      expect(treeSize(grouped), grouped).toBe(treeSize(bare));
  });

  it('grows with every statement that is added (law)', () => {
    fc.assert(
      fc.property(block, simple, fc.nat(), (lines, line, place) => {
        const at = place % lines.length;
        const indent = /^\t*/.exec(lines[at]!)![0];
        const longer = [...lines.slice(0, at), indent + line, ...lines.slice(at)];
        expect(treeSize(longer.join('\n'))).toBeGreaterThan(treeSize(lines.join('\n')));
      }),
      { numRuns: 200 },
    );
  });

  it('is a whole number of at least 1 for any text; text of another language has a size that grows with it', () => {
    const scraps = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom('(', ')', '"""', "f'{", '\n  ', ':', 'def ', 'match x:\n', 'case ', '\0', '\ud800', '#', '\\\n'),
    );
    fc.assert(
      fc.property(fc.array(scraps, { maxLength: 20 }), (parts) => {
        const size = treeSize(parts.join(''));
        expect(Number.isSafeInteger(size) && size >= 1).toBe(true);
      }),
      { numRuns: 150 },
    );
    const rust =
      'fn main() {\n    let x: Vec<f64> = (0..10).map(|i| i as f64 * 2.0).collect();\n    for v in &x { println!("{}", v); }\n}\n';
    const sizes = [1, 2, 4, 8].map((copies) => treeSize(rust.repeat(copies)));
    for (const [index, size] of sizes.entries()) if (index > 0) expect(size).toBeGreaterThan(1.5 * sizes[index - 1]!);
    expect(treeSize(rust.replaceAll('\n', '  \n\n'))).toBe(treeSize(rust));
  });

  it('reads long and deep expressions; beyond some hundred operators in a row a few nodes off', () => {
    expect(treeSize(`x = ${'a + '.repeat(300)}a`)).toBe(604);
    expect(treeSize(`x = ${'a ** '.repeat(300)}a`)).toBe(604);
    expect(treeSize(`x${'.a'.repeat(300)}`)).toBe(303);
    expect(treeSize(`x = ${'('.repeat(199)}1${')'.repeat(199)}`)).toBe(4);
    expect(Math.abs(treeSize(`x = ${'a + '.repeat(10_000)}a`) - 20_004)).toBeLessThan(40);
  });
});
