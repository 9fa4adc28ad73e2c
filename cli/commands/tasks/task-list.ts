// evolve task list: every task with its kind, objective, what its initial program scores and the values that it is
// compared with.
import { listTasks, loadTask } from '../../../activities/task/load-task.ts';
import type { Task } from '../../../evolution/task/task.ts';
import { act, type Build } from '../../flags/command.ts';
import { answer, score } from '../../terminal/output.ts';
import { table } from '../../terminal/table.ts';

export const build: Build = (command) =>
  command.action(
    act(async (context) => {
      const tasks = await Promise.all((await listTasks()).map((id) => loadTask(id)));
      answer(context, tasks.map(taskFacts), (width) => taskTable(tasks, width));
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

export const SCORE_ARROW = { maximise: '↑', minimise: '↓' } as const;

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
          `${task.scoreName} ${SCORE_ARROW[task.direction]}`,
          initialText(task),
          score(bestOf(task)?.value).replace('none', '-'),
          papers.join(', ') || task.papers?.join(', ') || '-',
        ];
      }),
    ],
    { width, drop: ['kind', 'papers', 'score', 'initial'], cut: { task: 28, papers: 10 } },
  );

export const taskFacts = (task: Task) => {
  const { id, title, kind, papers, direction, scoreName, entry, version, limits, timed, features } = task;
  const { shaping = null, bound = null, initial = null, references, evaluatorDigest } = task;
  return {
    ...{ id, title, kind, papers, direction, scoreName, entry, version, limits, timed, features },
    ...{ shaping, bound, initial, references, evaluatorDigest },
  };
};
