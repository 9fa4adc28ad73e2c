// The table of docs/peers-folders.md.
import { dirname } from 'node:path';

export type Row = {
  readonly repository: string;
  readonly example: string;
  readonly format: string;
  readonly imported: boolean;
  /** Whether a file of the folder had to be changed. */
  readonly edited: boolean;
  readonly ours: number | null;
  /** The score by the peer's own evaluator on this machine, where it ran. */
  readonly peers: number | null;
  readonly equal: boolean | null;
  readonly reason: string | null;
};

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').slice(0, 300);
const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const MOST_NAMED = 4;
/** Many of one folder are counted. */
const namesOf = (examples: readonly string[]): string => {
  const [folder, ...others] = [...new Set(examples.map(dirname))];
  return examples.length > MOST_NAMED && others.length === 0
    ? `${examples.length} of \`${folder}\``
    : examples.map((example) => `\`${example}\``).join(', ');
};

export const tableOf = (rows: readonly Row[]): string => {
  const repositories = [...new Set(rows.map(({ repository }) => repository))];
  const sums = repositories.map((repository) => {
    const own = rows.filter((row) => row.repository === repository);
    const count = (fits: (row: Row) => boolean): number => own.filter(fits).length;
    return [
      ...[repository, own.length, count(({ imported }) => imported), count(({ imported }) => !imported)],
      ...[count(({ equal }) => equal === true), count(({ equal }) => equal === false)],
    ];
  });
  const refused = Map.groupBy(
    rows.filter(({ imported }) => !imported),
    ({ repository, reason }) =>
      `${repository}\0${oneLine((reason ?? '').replace(/(.); the initial program has no score: .*/s, '$1'))}`,
  );
  const other = rows.filter(({ imported, equal }) => imported && equal !== true);
  return [
    table(['repository', 'examples', 'imported', 'refused', 'equal', 'unlike'], sums),
    '\n## Refused\n',
    table(
      ['repository', 'examples', 'the sentence'],
      [...refused].map(([key, some]) => {
        const [repository, reason] = key.split('\0') as [string, string];
        return [repository, namesOf(some.map(({ example }) => example)), reason];
      }),
    ),
    '\n## Imported, and not equal\n',
    table(
      ['example', 'ours', "the peer's own", 'why'],
      other.map(({ example, ours, peers, reason }) => [
        `\`${example}\``,
        ...[ours ?? '', peers ?? 'not run', oneLine(reason ?? '')],
      ]),
    ),
  ].join('\n');
};
