// Checks whether a task's folder has every part that docs/tasks.md asks for. Nothing is run.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Task } from '../../evolution/task/task.ts';
import { needsImage } from '../../evolution/task/task-world.ts';
import { literal, readCheats } from './cheats.ts';
import { checkTexts } from './check-texts.ts';
import type { Context } from './findings.ts';
import { importsOf } from '../task/undeclared-imports.ts';
import { readFixture, readGold, readGolden, readHonest } from './fixtures.ts';

const MIN_GOLDEN = 3;
/** The gate takes programs of up to 64 KB, and a cheat wraps the honest solution in one. */
const MAX_HONEST_BYTES = 48 * 1024;
/** Names that no evaluator needs, and that would let a solution become code (docs/tasks.md, What is checked). */
const BANNED = [
  /\bpickle\b/,
  /\bmarshal\b/,
  /\bsubprocess\b/,
  /\bimportlib\b/,
  /\b__import__\s*\(/,
  /(?<![\w.])(?:eval|exec|compile)\s*\(/,
  /allow_pickle\s*=\s*True/,
  /\bctypes\b/,
  /\bsocket\b/,
];
const PACKAGES = ['numpy', 'scipy', 'candidate'];
const STANDARD = [
  'math',
  'fractions',
  'itertools',
  'functools',
  'collections',
  'statistics',
  'random',
  'time',
  'operator',
  'bisect',
  'heapq',
  'decimal',
  'cmath',
  'dataclasses',
  'typing',
  'numbers',
  'array',
  'struct',
  'hashlib',
  'zlib',
  're',
  'json',
  'copy',
  'enum',
  'string',
  '__future__',
];

const checkTrusted = ({ note, task }: Context): void => {
  const own = (task.library ?? []).map(({ name }) => name);
  for (const { name, source } of [
    { name: 'evaluator.py', source: task.evaluatorSource },
    ...(task.library ?? []).map(({ name: module, source }) => ({ name: `library/${module}.py`, source })),
  ]) {
    const code = source.replaceAll(/("""|''')[\s\S]*?\1|#.*$/gm, '');
    const banned = BANNED.map((pattern) => pattern.exec(code)?.[0]).filter((found) => found !== undefined);
    // What a task's own image has is looked at before its check.
    const unknown = (needsImage(task.world) ? [] : importsOf(name, code))
      .map(({ module }) => module)
      .filter((module) => ![...STANDARD, ...PACKAGES, ...own].includes(module));
    note(
      `trusted: ${name}`,
      banned.length === 0 && unknown.length === 0,
      banned.length > 0
        ? `expected nothing that turns data into code or reaches outside, got ${banned.join(', ')}`
        : unknown.length > 0
          ? `expected imports of the standard library, numpy, scipy and task.yaml's library, got ${unknown.join(', ')}`
          : 'imports numbers only',
    );
  }
};

const checkYaml = ({ note, task }: Context, text: string): void => {
  note('task.yaml: id', /^id: /m.test(text), 'expected the key id');
  note('task.yaml: initial', task.initial !== undefined, 'expected what the initial program scores');
  note('task.yaml: references', task.references.length > 0, `${task.references.length} reference values`);
  const named = new Set<string>();
  const twice = task.references
    .filter(({ paper }) => paper !== undefined && named.size === named.add(paper).size)
    .map(({ name }) => name);
  note(
    'task.yaml: one value a paper',
    twice.length === 0,
    twice.length === 0
      ? 'no paper has two'
      : `expected one reference with paper: for each, got another: ${twice.join(', ')}`,
  );
  if (task.kind === 'function')
    note('task.yaml: smoke', Object.keys(task.smoke ?? {}).length > 0, 'expected keys of an instance for quick checks');
  if (task.kind === 'function')
    note(
      'task.yaml: data',
      true,
      task.data === 'drawn'
        ? 'drawn: no program can know them'
        : 'fixed: a program may know them by heart, and a jump that other seeds only repeat is held; data: drawn is safer',
    );
  if (task.kind === 'solution')
    note('task.yaml: entry', task.entry === 'construct', `expected the entry construct, got ${task.entry}`);
};

/** A fixture that cannot be read is a finding, and does not end the check. */
const attempt = async (
  note: Context['note'],
  check: string,
  look: () => Promise<readonly [boolean, string]>,
): Promise<void> => {
  try {
    const [ok, detail] = await look();
    note(check, ok, detail);
  } catch (error) {
    note(check, false, (error as Error).message);
  }
};

const honestFits = async (folder: string, task: Task): Promise<readonly [boolean, string]> => {
  if (task.kind === 'function') return [true, 'a function task: its initial program is the honest one'];
  const { solution } = await readHonest(folder);
  const bytes = literal(solution).length;
  return [bytes <= MAX_HONEST_BYTES, `${bytes} bytes as a Python literal, at most ${MAX_HONEST_BYTES}`];
};

export const checkFiles = async (context: Context): Promise<void> => {
  const { folder, root, note, task } = context;
  note('file: README.md', existsSync(join(folder, 'README.md')), 'expected this file');
  checkYaml(context, readFixture(join(folder, 'task.yaml'), folder));
  checkTrusted(context);
  await checkTexts(context);
  await attempt(note, 'fixtures: golden.json', async () => {
    const cases = await readGolden(folder);
    const valid = cases.filter(({ expected }) => expected.valid).length;
    return [
      valid >= MIN_GOLDEN && valid < cases.length,
      `${valid} valid and ${cases.length - valid} invalid cases, expected at least ${MIN_GOLDEN} and 1`,
    ];
  });
  await attempt(note, 'fixtures: honest.json', () => honestFits(folder, task));
  await attempt(note, 'fixtures: gold', async () => {
    const gold = await readGold(folder);
    const missing = gold.filter(
      ({ script }) =>
        !existsSync(join(folder, 'fixtures', 'gold', script)) &&
        !existsSync(join(root, 'library', 'solvers', script)) &&
        !existsSync(join(root, '..', script)) &&
        !existsSync(join(folder, script)),
    );
    return [
      gold.length > 0 && missing.length === 0,
      missing.length > 0
        ? `expected the script ${missing[0]!.script}`
        : `${gold.length} gold files, expected at least 1`,
    ];
  });
  await attempt(note, 'fixtures: cheats', async () => {
    const cheats = await readCheats(['own'], root, folder);
    const silent = cheats.filter(({ expected }) => expected.length === 0);
    return [
      silent.length === 0,
      silent.length === 0
        ? `${cheats.length} cheats of its own`
        : `expected a line "# expects:" in ${silent.map(({ name }) => name).join(', ')}`,
    ];
  });
};
