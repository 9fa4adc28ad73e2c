// evolve task list: every task with its kind, objective, what its initial program scores and the values that it is
// compared with.
import { listTasks, loadTask } from '../../../activities/task/load-task.ts';
import type { Task } from '../../../evolution/task.ts';
import { act, describe } from '../../flags/command.ts';
import { json, line, score } from '../../terminal/output.ts';
import { widthOf } from '../../terminal/screen.ts';
import { table } from '../../terminal/table.ts';

export const taskListCommand = () =>
  describe('list', 'every task, with reference values').action(
    act(async (context) => {
      const tasks = await Promise.all((await listTasks()).map((id) => loadTask(id)));
      if (context.json) return json(tasks.map(taskFacts));
      for (const text of taskTable(tasks, widthOf(process.stdout))) line(text);
    }),
  );

export const initialText = ({ initial }: Pick<Task, 'initial'>): string =>
  initial?.score !== undefined
    ? score(initial.score)
    : initial?.band
      ? `${score(initial.band[0])} to ${score(initial.band[1])}`
      : '-';

export const bestOf = ({ references }: Task): Task['references'][number] | undefined =>
  references.find(({ best }) => best === true);

const ARROW = { maximise: '↑', minimise: '↓' } as const;

export const taskTable = (tasks: readonly Task[], width = Infinity): readonly string[] =>
  table(
    [
      ['task', 'kind', 'score', 'initial', 'best known', 'papers'],
      ...tasks.map((task) => {
        const papers = task.references
          .filter(({ paper }) => paper !== undefined)
          .map(({ paper, value }) => `${paper} ${score(value)}`);
        return [
          task.id,
          task.kind,
          `${task.scoreName} ${ARROW[task.direction]}`,
          initialText(task),
          score(bestOf(task)?.value).replace('none', '-'),
          papers.join(', ') || task.papers?.join(', ') || '-',
        ];
      }),
    ],
    { width, drop: ['kind', 'papers', 'score', 'initial'], cut: { task: 28, papers: 10 } },
  );

export const taskFacts = ({
  id,
  title,
  kind,
  papers,
  direction,
  scoreName,
  entry,
  version,
  limits,
  features,
  shaping,
  bound,
  initial,
  references,
  timed,
  evaluatorDigest,
}: Task) => ({
  id,
  title,
  kind,
  papers,
  direction,
  scoreName,
  entry,
  version,
  limits,
  timed,
  features,
  shaping: shaping ?? null,
  bound: bound ?? null,
  initial: initial ?? null,
  references,
  evaluatorDigest,
});
