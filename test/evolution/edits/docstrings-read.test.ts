// Two programs that differ in a docstring are equal only where nothing reads it.
import { expect, it } from 'vitest';
import { normalise } from '../../../evolution/edits/equivalence.ts';

const program = (docstring: string, rest: string): string =>
  `def f(x):\n    """${docstring}"""\n    return x\n\n${rest}\n`;
const areEqual = (rest: string): boolean => normalise(program('0.5', rest)) === normalise(program('0.7', rest));

it.each(['y = f(1)', 'import math', 'doc = "open the box"', 'x = f"{math.pi}"', 'opened = 1'])(
  'nothing reads it: %s',
  (rest) => {
    expect(areEqual(rest)).toBe(true);
  },
);

it.each([
  'y = float(f.__doc__)',
  'y = getattr(f, "__d" + "oc__")',
  'import inspect\ny = inspect.getdoc(f)',
  'y = eval("f." + name)',
  'exec(code)',
  'help(f)',
  'import ast',
  'import doctest',
  'y = f"{f.__doc__}"',
  'y = f"{getattr(f, name)}"',
  'y = operator.attrgetter("__doc__")(f)',
  'y = f.__code__.co_consts[0]',
  'y = open(__file__).read()',
  'y = vars(f)',
])('something may read it: %s', (rest) => {
  expect(areEqual(rest)).toBe(false);
});

it('a comment counts where a program may read its source', () => {
  const read = 'import inspect\ny = inspect.getsource(f)\n';
  expect(normalise(`# 0.5\n${read}`)).not.toBe(normalise(`# 0.7\n${read}`));
  expect(normalise('# 0.5\ny = 1\n')).toBe(normalise('# 0.7\ny = 1\n'));
});
