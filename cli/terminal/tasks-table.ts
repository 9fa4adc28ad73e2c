// The table of all tasks in docs/tasks.md, from their task.yaml.
import type { Task } from '../../evolution/task.ts';

const ARROW = { maximise: '↑', minimise: '↓' } as const;
const LETTERS: { readonly [paper: string]: string } = { theta: 'T', delta: 'D', research: 'A', code: 'C' };
const DIGITS = 10;

/** Ten significant digits: fewer would hide all progress near a record. */
const digits = (value: number): string => String(Number(value.toPrecision(DIGITS)));

const initialOf = ({ initial }: Task): string =>
  initial?.score !== undefined
    ? digits(initial.score)
    : initial?.band
      ? `${digits(initial.band[0])} to ${digits(initial.band[1])}`
      : '-';

const bestOf = ({ references }: Task): string => {
  const best = references.find((one) => one.best === true);
  return best ? digits(best.value) : '-';
};

const papersOf = ({ papers, references }: Task): string => {
  const values = new Map(
    references.flatMap(({ paper, value }) => (paper === undefined ? [] : [[paper, digits(value)] as const])),
  );
  return (
    (papers ?? [])
      .map((paper) =>
        [LETTERS[paper] ?? paper, values.get(paper as 'theta')].filter((part) => part !== undefined).join(' '),
      )
      .join(', ') || '-'
  );
};

const rowOf = (task: Task): readonly string[] => [
  `[${task.id}](../tasks/${task.id}/README.md)`,
  task.title.replaceAll('|', '\\|'),
  `${task.kind}${task.timed ? ', timed' : ''}`,
  `\`${task.scoreName}\` ${ARROW[task.direction]}`,
  initialOf(task),
  bestOf(task),
  papersOf(task),
  `${task.limits.cpuSeconds} s, ${Math.round(task.limits.memoryBytes / 2 ** 20)} MiB`,
];

const HEAD = ['task', 'what', 'kind', 'score', 'initial', 'best known', 'papers', 'CPU, memory'];

export const tasksTable = (tasks: readonly Task[]): string =>
  [HEAD, HEAD.map(() => '---'), ...tasks.map(rowOf)].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
