// How programs stand beside each other in a request: whole, as a difference, or by name.
import { parsePatch, applyPatch } from 'diff';
import { expect, it } from 'vitest';
import { parseBlocks } from '../../../evolution/edits/diff.ts';
import { ShownCode } from '../../../evolution/prompts/parts/shown-code.ts';

const program = (...changed: readonly number[]): string =>
  Array.from({ length: 20 }, (_, line) => `step_${line} = ${changed.includes(line) ? 'changed' : 'as it was'}`).join(
    '\n',
  );

it('shows what is much like the current program as a difference that gives the program', () => {
  const codes = new ShownCode(`${program()}\n`);
  const text = codes.show(`${program(3, 17)}\n`, 'Program 1');
  const [, patch] =
    /^Its code is that of the current program but for this difference .*:\n\n```diff\n([^]*)\n```$/.exec(text)!;
  expect(applyPatch(`${program()}\n`, parsePatch(`--- a\n+++ b\n${patch}`)[0]!)).toBe(`${program(3, 17)}\n`);
  // The form is explained once, and nothing of it reads as an edit.
  expect(codes.show(program(5), 'Program 2')).toMatch(
    /^Its code is that of the current program but for this difference:/,
  );
  expect(parseBlocks(text)).toEqual([]);
});

it('shows another program whole, and a later one that is like it as a difference against that', () => {
  const codes = new ShownCode(program());
  const other = Array.from({ length: 20 }, (_, line) => `other_${line} = 1`).join('\n');
  expect(codes.show(other, 'Program 1')).toBe(`\`\`\`python\n${other}\n\`\`\``);
  expect(codes.show(other.replace('other_3 = 1', 'other_3 = 2'), 'Program 2')).toContain(
    'Its code is that of Program 1 above but for this difference',
  );
  // Of 20 lines 12 are the same: no more than 60 %.
  expect(codes.show(program(...Array.from({ length: 8 }, (_, line) => 2 * line)), 'Program 3')).toMatch(/^```python/);
});

it('names a program that stands above, whole or as a difference', () => {
  const codes = new ShownCode(program());
  codes.show(program(1), 'Inspiration 1');
  expect(codes.show(`${program(1)}\n`, 'Inspiration 2')).toBe('Its code is that of Inspiration 1 above.');
  expect(codes.show(program(), 'Inspiration 3')).toBe('Its code is that of the current program.');
  expect(codes.nameOf(program(1))).toBe('Inspiration 1 above');
  expect(codes.nameOf(program(2))).toBeNull();
});

it('keeps marks in code from ending the fence or from being read as an edit', () => {
  const marked = (value: string): string =>
    `${program()}\ntext = """\n\`\`\`\n<<<<<<< SEARCH\n${value}\n=======\nb\n>>>>>>> REPLACE\n"""`;
  const text = new ShownCode(marked('a')).show(marked('c'), 'Program 1');
  expect(text).toMatch(/\n````diff\n@@ [^]*\n````$/);
  expect(parseBlocks(text)).toEqual([]);
});
