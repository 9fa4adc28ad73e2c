// docs/security.md lists what was tried against the system. Each row names the test that tries it again, so a row without
// a test, or with one that is gone or renamed, is a promise that nobody keeps.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const HEAD = '| attempt | door | what happens | test |';

type Row = { readonly attempt: string; readonly cells: number; readonly file: string; readonly title: string };

const rows = (): readonly Row[] => {
  const text = readFileSync(join(ROOT, 'docs', 'security.md'), 'utf8');
  const [, ...tables] = text.split(`${HEAD}\n`);
  return tables.flatMap((table) =>
    table
      .split('\n')
      .slice(
        1,
        table.split('\n').findIndex((line) => !line.startsWith('|')),
      )
      .map((line): Row => {
        const cells = line.slice(2, -2).split(/ (?<!\\)\| /);
        const named = /^`(?<file>[^`]+)`: (?<title>.+)$/.exec(cells.at(-1) ?? '')?.groups;
        return {
          attempt: cells[0] ?? '',
          cells: cells.length,
          file: named?.['file'] ?? '',
          title: (named?.['title'] ?? '').replaceAll('\\|', '|').replaceAll('&lt;', '<'),
        };
      }),
  );
};

/** A title as it stands in the source of a test, where quotes may be escaped. */
const holds = (file: string, title: string): boolean =>
  readFileSync(join(ROOT, file), 'utf8')
    .replaceAll(/\\(['"`])/g, '$1')
    .includes(title);

describe('docs/security.md: what was tried', () => {
  it('has a table of attempts, and no attempt twice', () => {
    const attempts = rows().map(({ attempt }) => attempt);
    expect(attempts.length).toBeGreaterThan(65);
    expect(attempts.filter((one, index) => attempts.indexOf(one) !== index)).toEqual([]);
  });

  it('names a test that there is, for each attempt', () => {
    const wrong = rows().filter(
      ({ cells, file, title }) => cells !== 4 || title === '' || !existsSync(join(ROOT, file)) || !holds(file, title),
    );
    expect(wrong).toEqual([]);
  });
});
