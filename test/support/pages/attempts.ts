// The page of attempts: what was tried against the system, made from the titles of the tests that try it again. A file
// whose head says `// Attempts: <door>.` gives all its titles; a line `// Attempt: <door>.` gives the next one.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const TEST = join(import.meta.dirname, '..', '..');
const MARK = /^\s*\/\/ Attempts?: (?<door>.+)\.$/;
const TITLE =
  /^(?<indent>\s*)(?:(?:describe|it|test)(?:\.\w+(?:\([^()]*\))?)*|.*\))\((?<quote>['"`])(?<title>.*?)\k<quote>,/;

type Attempt = { readonly door: string; readonly file: string; readonly depth: number; readonly title: string };

const attemptsIn = (file: string): readonly Attempt[] => {
  const all: Attempt[] = [];
  let [wholeFile, next]: (string | null)[] = [null, null];
  for (const line of readFileSync(join(TEST, file), 'utf8').split('\n')) {
    const door = MARK.exec(line)?.groups?.['door'] ?? null;
    if (door !== null && line.includes('Attempts')) wholeFile = door;
    else if (door !== null) next = door;
    const { indent = '', title } = TITLE.exec(line)?.groups ?? {};
    if (title === undefined || (wholeFile ?? next) === null) continue;
    const depth = next === null ? indent.length / 2 : 0;
    all.push({ door: (wholeFile ?? next)!, file: `test/${file}`, depth, title: title.replace(/\\(.)/g, '$1') });
    next = null;
  }
  return all;
};

export const attempts = (): readonly Attempt[] =>
  readdirSync(TEST, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .sort()
    .flatMap(attemptsIn);

const escaped = (title: string): string => title.replaceAll(/[<>{}|*_[\]]/g, (letter) => `&#${letter.charCodeAt(0)};`);

const textOf = (all: readonly Attempt[]): string =>
  [
    '# What was tried',
    '',
    'Attacks on the system, by the door at which they were tried. Each line is the title of a test that tries it again.',
    'What holds, and what remains open: [security.md](../security.md).',
    ...[...Map.groupBy(all, ({ door }) => door)].flatMap(([door, ofDoor]) => [
      '',
      `## ${door.slice(0, 1).toUpperCase()}${door.slice(1)}`,
      ...[...Map.groupBy(ofDoor, ({ file }) => file)].flatMap(([file, titles]) => [
        '',
        `\`${file}\``,
        '',
        ...titles.map(({ depth, title }) => `${'  '.repeat(depth)}- ${escaped(title)}`),
      ]),
    ]),
    '',
  ].join('\n');

if (import.meta.main) {
  const file = process.argv[2]!;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, textOf(attempts()));
}
