// Programs of several files in one text, and programs in other languages: split, compared, edited, shown.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadTask } from '../../../activities/task/load-task.ts';
import { applyBlocks } from '../../../evolution/edits/apply.ts';
import { readBlocks } from '../../../evolution/edits/diff.ts';
import { normalise, readSource } from '../../../evolution/edits/equivalence.ts';
import { fileHead, joinFiles, languageOf, splitFiles } from '../../../evolution/edits/language.ts';
import { replaceProgram } from '../../../evolution/edits/whole-program.ts';
import { editRules, fencedProgram } from '../../../evolution/prompts/parts/sections.ts';

const settings = {
  enforceBlock: true,
  strict: true,
  maxCodeChars: 60_000,
  parse: 'after-think',
  accept: 'edits',
} as never;
const edit = (search: string, replace: string): string =>
  `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE`;

describe('several files', () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,5}(\/[a-z][a-z0-9_]{0,5})?$/).map((stem) => `${stem}.py`);
  const text = fc
    .array(fc.stringMatching(/^[a-z =()]{0,12}$/), { maxLength: 5 })
    .map((lines) => `${lines.join('\n').replace(/\n+$/, '')}\n`);
  test('joining and splitting are inverse', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.record({ name, text }), { minLength: 1, maxLength: 4, selector: (file) => file.name }),
        (files) => {
          expect(splitFiles(joinFiles(files))).toEqual(files);
        },
      ),
    );
  });
  test('a text whose first line names no file is one file', () => {
    expect(splitFiles('x = 1\n# === FILE: a.py ===\n')).toBeNull();
    expect(splitFiles('')).toBeNull();
    expect(splitFiles('# === FILE: ../a.py ===\n')).toBeNull();
  });
  test('the example task is three files, and an edit changes any of them but never the lines that name them', async () => {
    const { initialProgram } = await loadTask('no-three-in-line-12');
    expect(splitFiles(initialProgram)!.map((file) => file.name)).toEqual(['main.py', 'geometry.py', 'order.py']);
    const sorted = '    return [(x, y) for y in range(n) for x in range(n)]';
    const edited = applyBlocks(
      initialProgram,
      readBlocks(edit(sorted, '    return [(x, y) for x in range(n) for y in range(n)]')),
      settings,
    );
    expect(edited).toMatchObject({ applied: 1, unmatched: [] });
    expect(splitFiles(edited.code)![2]!.text).toContain('for x in range(n) for y in range(n)');
    const renamed = applyBlocks(initialProgram, readBlocks(edit(fileHead('order.py'), fileHead('other.py'))), settings);
    expect(renamed.applied).toBe(0);
    expect(renamed.unmatched[0]!.reason).toContain('outside the EVOLVE-BLOCK');
  });
  test('a whole program replaces the open block of every file', async () => {
    const { initialProgram } = await loadTask('no-three-in-line-12');
    const answer = initialProgram
      .replace('chosen = []', 'chosen = [(0, 0)]')
      .replace(fileHead('geometry.py'), fileHead('elsewhere.py'));
    const replaced = replaceProgram(initialProgram, answer, { enforceBlock: true });
    expect(replaced).toHaveProperty('code');
    expect((replaced as { code: string }).code).toBe(initialProgram.replace('chosen = []', 'chosen = [(0, 0)]'));
  });
});

describe('another language', () => {
  const program = '// Doubles.\n// EVOLVE-BLOCK-START\nexport const double = (x) => 2 * x;\n// EVOLVE-BLOCK-END\n';
  test('is read from the sign before the markers', () => {
    expect(languageOf(program)).toMatchObject({ comment: '//', fence: '' });
    expect(languageOf(program.replaceAll('//', '#'))).toMatchObject({ comment: '#', fence: 'python' });
    expect(languageOf('x = 1')).toMatchObject({ comment: '#' });
  });
  test('every character makes another program', () => {
    expect(readSource(program).error).toBeNull();
    expect(normalise(program.replace('// Doubles.', '// Twice.'))).not.toBe(normalise(program));
    expect(normalise(program.replace('2 * x', '3 * x'))).not.toBe(normalise(program));
    expect(normalise(program.replace('2 * x', '2  * x'))).not.toBe(normalise(program));
  });
  test('is edited between its markers only', () => {
    expect(
      applyBlocks(
        program,
        readBlocks(edit('export const double = (x) => 2 * x;', 'export const double = (x) => x + x;')),
        settings,
      ),
    ).toMatchObject({ applied: 1 });
    expect(applyBlocks(program, readBlocks(edit('// Doubles.', '// No.')), settings)).toMatchObject({ applied: 0 });
  });
  test('is shown in a fence that names no other language, and its rules name its markers', () => {
    expect(fencedProgram(program)).toMatch(/^```\n\/\/ Doubles/);
    expect(fencedProgram('x = 1')).toMatch(/^```python\n/);
    expect(editRules(program, { enforceBlock: true, maxCodeChars: 100, accept: 'either' })).toContain(
      '`// EVOLVE-BLOCK-START`',
    );
  });
});
