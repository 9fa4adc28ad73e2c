// Programs of several files in one text, and programs in other languages: split, compared, edited, shown.
import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadTask } from '../../../activities/task/load-task.ts';
import { applyBlocks } from '../../../evolution/edits/apply.ts';
import { readBlocks } from '../../../evolution/edits/diff.ts';
import { normalise, readSource } from '../../../evolution/edits/equivalence.ts';
import { languageOf } from '../../../evolution/edits/language.ts';
import {
  fileHead,
  filesProblem,
  joinFiles,
  MAX_PROGRAM_FILES,
  splitFiles,
} from '../../../evolution/files/program-files.ts';
import { applyResponse } from '../../../evolution/edits/early-checks.ts';
import { givenProgram, replaceProgram } from '../../../evolution/edits/whole-program.ts';
import { gitPatch } from '../../../evolution/files/patch.ts';
import { editRules, fencedProgram } from '../../../evolution/prompts/parts/sections.ts';
import { DIFF } from '../../support/models/untrusted-readers.ts';

const GUEST = readFileSync(join(import.meta.dirname, '../../../activities/sandbox/guest/files.py'), 'utf8');
const SPLIT = 'import json\nprint(json.dumps([program_files(code) for code in json.load(sys.stdin)]))';
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
    const answer = initialProgram.replace('chosen = []', 'chosen = [(0, 0)]');
    const replaced = replaceProgram(initialProgram, answer, { enforceBlock: true });
    expect(replaced).toHaveProperty('code');
    expect((replaced as { code: string }).code).toBe(initialProgram.replace('chosen = []', 'chosen = [(0, 0)]'));
  });
});

describe('files of a repository', () => {
  const PROGRAM = joinFiles([
    { name: 'kit/a.py', text: 'x = 1\ny = 2\n' },
    { name: 'src/b c.rs', text: 'fn b() {}' },
    { name: 'kit/é.py', text: '' },
    { name: 'kit/marked.py', text: 'import os\n# EVOLVE-BLOCK-START\nz = 1\n# EVOLVE-BLOCK-END\n' },
  ]);
  const answered = (response: string, { accept = 'edits', mayAdd = (path: string) => path.startsWith('kit/') } = {}) =>
    applyResponse({
      ...{ response, parentCode: PROGRAM, parentNorm: normalise(PROGRAM), files: { mayAdd } },
      settings: { ...DIFF, accept } as typeof DIFF,
    });
  const textOf = (code: string | null, name: string) => splitFiles(code!)?.find((file) => file.name === name)?.text;
  const named = (name: string, search: string, replace: string): string =>
    `${edit(`${fileHead(name)}\n${search}`, `${fileHead(name)}\n${replace}`)}\n`;

  test('any path and any end of a text come back as they were', () => {
    const part = fc.stringMatching(/^[^/\\\u0000-\u001f\u007f]{1,8}$/).filter((one) => !/^\.\.?$/.test(one));
    const path = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    const line = fc.constantFrom('', ' ', 'x', '# === FILE: a', '=======', '# EVOLVE-BLOCK-START');
    const file = fc.record({ name: path, text: fc.array(line).map((lines) => lines.join('\n')) });
    const many = fc.sample(fc.uniqueArray(file, { minLength: 1, maxLength: 4, selector: ({ name }) => name }), 200);
    const split = execFileSync('python3', ['-c', `${GUEST}\n${SPLIT}`], {
      ...{ input: JSON.stringify(many.map(joinFiles)), encoding: 'utf8' },
    });
    expect(JSON.parse(split)).toEqual(many.map((files) => files.map(({ name, text }) => [name, text])));
    for (const files of many) expect(splitFiles(joinFiles(files))).toEqual(files);
  });

  test('a block looks in the file that it, or a line above it, names; without a name in all', () => {
    for (const answer of [
      named('kit/a.py', 'y = 2', 'y = 3'),
      `${fileHead('kit/a.py')}\n${edit('y = 2', 'y = 3')}`,
      edit('y = 2', 'y = 3'),
    ])
      expect(textOf(answered(answer).code, 'kit/a.py')).toBe('x = 1\ny = 3\n');
    expect(answered(named('kit/é.py', 'y = 2', 'y = 3'))).toMatchObject({
      outcome: 'no_change',
      unmatched: [{ reason: 'outside the EVOLVE-BLOCK, or in another file than kit/é.py' }],
    });
    expect(answered(named('kit/b.py', 'y = 2', 'y = 3')).reason).toMatch(/the program has no file kit\/b\.py$/);
  });

  test('a file without a block changes as a whole, one with a block within it', () => {
    expect(textOf(answered(named('src/b c.rs', '', 'fn c() {}')).code, 'src/b c.rs')).toBe('fn c() {}\n');
    expect(textOf(answered(named('kit/é.py', '', 'a = 1')).code, 'kit/é.py')).toBe('a = 1\n');
    expect(textOf(answered(named('kit/marked.py', 'z = 1', 'z = 2')).code, 'kit/marked.py')).toContain('\nz = 2\n');
    expect(answered(named('kit/marked.py', 'import os', 'import re')).reason).toMatch(/outside the EVOLVE-BLOCK/);
    expect(answered(named('kit/marked.py', '', 'z = 2')).reason).toMatch(/cannot be replaced whole/);
    const both = named('kit/a.py', 'x = 1', 'x = 5') + named('kit/marked.py', 'z = 1', 'z = 2\ndef f(:');
    expect(answered(both)).toMatchObject({
      outcome: 'no_solution',
      reason: expect.stringMatching(/^does not compile: kit\/marked\.py: line 4/),
    });
  });

  test('whole files stand in fences that name them, and the others stay', () => {
    const fence = (name: string, text: string): string => `\`\`\`\n${fileHead(name)}\n${text}\n\`\`\`\n`;
    const { code, outcome } = answered(
      `Two files:\n${fence('src/b c.rs', 'fn d() {}')}${fence('kit/new.py', 'n = 1')}`,
      { accept: 'program' },
    );
    expect([outcome, textOf(code, 'src/b c.rs'), textOf(code, 'kit/new.py'), textOf(code, 'kit/a.py')]).toEqual([
      null,
      'fn d() {}\n',
      'n = 1\n',
      'x = 1\ny = 2\n',
    ]);
    expect(answered('```python\nx = 3\n```\n', { accept: 'program' }).outcome).toBe('no_diff');
  });

  test('a new file is added where the task allows it', () => {
    const { code, outcome } = answered(named('kit/new.py', '', 'n = 1') + named('kit/new.py', 'n = 1', 'n = 2'));
    expect([outcome, textOf(code, 'kit/new.py')]).toEqual([null, 'n = 2\n']);
    expect(splitFiles(code!)!.slice(0, 4)).toEqual(splitFiles(PROGRAM));
  });

  test.each([
    ['adds one elsewhere', named('conftest.py', '', 'x = 1'), /"conftest\.py" names none that may change or be added/],
    ['leaves the folder', named('../evil.py', '', 'x = 1'), /"\.\.\/evil\.py" names no path within the program/],
    ['names an absolute path', named('/etc/evil.py', '', 'x = 1'), /"\/etc\/evil\.py" names no path/],
    ['makes a folder of a file', named('kit/a.py/b.py', '', 'x = 1'), /stands where another file or its folder is/],
    ['renames one', edit(fileHead('kit/a.py'), fileHead('kit/z.py')), /the lines that name files stay/],
    [
      'begins one in another',
      edit('x = 1', `x = 1\n${fileHead('kit/z.py')}`),
      /expected the file src\/b c\.rs, got the head/,
    ],
    ['writes binary', named('src/b c.rs', '', 'fn b() {}\0'), /src\/b c\.rs holds a NUL character/],
  ])('an answer is refused that %s', (_what, answer, reason) => {
    expect(answered(answer)).toMatchObject({
      outcome: expect.stringMatching(/no_/),
      reason: expect.stringMatching(reason),
    });
  });

  test('a refusal names the file that stands twice or in the way, and how many there may be', () => {
    const problem = (...names: readonly string[]) =>
      filesProblem(PROGRAM, [PROGRAM, ...names.map((name) => `${fileHead(name)}\n`)].join('\n'), {
        mayAdd: () => true,
      });
    expect(problem('kit/m.py', 'kit/n.py', 'kit/n.py')).toMatch(/^the file "kit\/n\.py" stands where another/);
    expect(problem('kit/m.py', 'kit/a.py')).toMatch(/^the file "kit\/a\.py" stands/);
    expect(problem('kit')).toMatch(/^the file "kit" stands/);
    expect(problem('kit/m.py', 'kit/a.py/b.py')).toMatch(/^the file "kit\/a\.py\/b\.py" stands/);
    const many = Array.from({ length: MAX_PROGRAM_FILES - 3 }, (_, index) => `kit/n${index}.py`);
    expect(problem(...many.slice(1))).toBeNull();
    expect(problem(...many)).toBe('the program has 101 files, expected at most 100');
  });

  test('what moves to another file is another program, and comments of Python make none', () => {
    const of = (a: string, b: string): string =>
      normalise(
        joinFiles([
          { name: 'a.py', text: a },
          { name: 'b.rs', text: b },
        ]),
      );
    expect(of('x = 1\ny = 2\n', 'z')).not.toBe(of('x = 1\n', 'y = 2\nz'));
    expect(of('x = 1 # one\n', 'z')).toBe(of('x = 1\n', 'z'));
    expect(of('x = 1\n', 'z // one')).not.toBe(of('x = 1\n', 'z'));
  });

  test('a person gives files by their names, and closed code as it is', () => {
    const given = (text: string) => givenProgram(PROGRAM, text, { enforceBlock: true });
    expect(given(PROGRAM.replace('y = 2', 'y = 3'))).toEqual({ code: PROGRAM.replace('y = 2', 'y = 3') });
    expect(given(PROGRAM.replace('import os', 'import re'))).toHaveProperty(
      'reason',
      expect.stringMatching(/^kit\/marked\.py: /),
    );
    expect(given('y = 3\n')).toHaveProperty('reason', 'the line that names the first file is gone');
    expect(given(`${PROGRAM}\n${fileHead('kit/new.py')}\n`)).toHaveProperty(
      'reason',
      expect.stringMatching(/kit\/new\.py/),
    );
  });

  test('a request says how files are named, and one of one file says nothing of it', () => {
    const rules = (accept: 'edits' | 'either' | 'program') =>
      editRules(PROGRAM, { enforceBlock: true, maxCodeChars: 100, accept });
    for (const accept of ['edits', 'either', 'program'] as const)
      expect(rules(accept)).toContain('A line such as `# === FILE: path/name.py ===` begins each file');
    expect(rules('program')).toContain('Write whole files in fences');
    expect(editRules('x = 1\n', { enforceBlock: true, maxCodeChars: 100 })).not.toContain('FILE');
  });
});

describe('the patch of a program', () => {
  test('is what git applies: changed, new and unended files of any path', () => {
    const part = fc.stringMatching(/^[a-zA-Zé .+@_-]{1,6}$/).filter((one) => !/^ | $|^\.|\.$/.test(one) && one !== '-');
    const name = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => `f${parts.join('/d')}`);
    const text = fc
      .array(fc.constantFrom('', 'a', 'b', '-- c', '++ d', '\t'), { maxLength: 12 })
      .map((lines) => lines.join('\n'));
    const files = fc.uniqueArray(fc.record({ name, before: fc.option(text), after: text }), {
      ...{ minLength: 1, maxLength: 4 },
      comparator: (a, b) => `${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`),
      selector: (file) => file.name.toLowerCase().normalize(),
    });
    fc.assert(
      fc.property(files, (all) => {
        const folder = mkdtempSync(join(tmpdir(), 'patch-'));
        try {
          execFileSync('git', ['init', '-q'], { cwd: folder });
          const before = all.flatMap((file) => (file.before === null ? [] : [{ name: file.name, text: file.before }]));
          for (const one of before) {
            mkdirSync(dirname(join(folder, one.name)), { recursive: true });
            writeFileSync(join(folder, one.name), one.text);
          }
          const patch = gitPatch(
            before,
            all.map((file) => ({ name: file.name, text: file.after })),
          );
          if (patch !== '') execFileSync('git', ['apply', '--whitespace=nowarn', '-'], { cwd: folder, input: patch });
          for (const file of all) expect(readFileSync(join(folder, file.name), 'utf8')).toBe(file.after);
        } finally {
          rmSync(folder, { recursive: true });
        }
      }),
      { numRuns: 40 },
    );
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
