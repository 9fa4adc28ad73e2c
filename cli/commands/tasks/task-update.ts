// evolve task update: a new version of a run's task in mid-run. The living programs and the bests are scored again by it,
// and the command waits for that.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ScoredAgain } from '../../../client/tasks/scored-again.ts';
import { BadEndError, UsageError } from '../../../client/connect/errors.ts';
import type { RunHandle } from '../../../client/runs/run-handle.ts';
import { namedTask } from '../../../client/tasks/task-folder.ts';
import { hasEnded } from '../../../evolution/run-states.ts';
import { act, type Build } from '../../flags/command.ts';
import { bodyOf, withFields } from '../../flags/fields.ts';
import { withRun } from '../../flags/open.ts';
import { sentence } from '../../flags/many.ts';
import { answer, json, line, note, score } from '../../terminal/output.ts';
import { table } from '../../terminal/table.ts';

const POLL_MS = 500;
/** The programs that the text lists. */
const LISTED = 12;

export const build: Build = (command) =>
  withFields(command.argument('<run>', 'id of the run, or latest'), 'task-update')
    .addHelpText(
      'after',
      '\nCtrl-C ends the wait only. A version that is refused leaves the run as it is, with exit code 2.',
    )
    .action(
      act(async (context, flags: object, id: string) =>
        withRun(context, id, async (run) => {
          const { task } = bodyOf('task-update', flags);
          const { result, text } = await run.act(
            'task-update',
            task === undefined ? {} : { task: namedTask(task, process.cwd()) },
          );
          note(text);
          const done = await waitFor(run, result.at);
          if (done === null) return later(context.json, run.id, result);
          answer(context, { run: run.id, ...done }, (width) => linesOf(run.id, done, width));
        }),
      ),
    );

/** Null where the run is paused or has ended: it scores again when it goes on. */
const waitFor = async (run: RunHandle, at: string): Promise<ScoredAgain | null> => {
  for (;;) {
    const document = await run.document();
    const one = document.rescorings?.find((update) => update.at.toISOString() === at);
    if (one === undefined) throw new BadEndError(`run ${run.id}: a later version took the place of this one`);
    if (one.refused !== undefined)
      throw new UsageError(`run ${run.id} keeps its task, and nothing has changed: ${one.refused}`);
    if (one.step !== null && document.committedStep >= one.step) return run.scoredAgain(one.step);
    if (hasEnded(document) || document.status === 'paused') return null;
    await sleep(POLL_MS);
  }
};

const later = (isJson: boolean, run: string, result: object): void => {
  if (isJson) json({ run, ...result, waits: true });
  else line(sentence('task-update', run, `${run} is at rest: it scores again when it goes on`));
};

const linesOf = (
  run: string,
  { step, rescored, kept, changed, best }: ScoredAgain,
  width: number,
): readonly string[] => [
  `${run}: step ${step} scored ${rescored} programs again, ${kept} of them are valid; the best is ${best === null ? 'none' : `${score(best.score)} (${best.program})`}`,
  ...(changed.length === 0 ? ['no score has changed'] : []),
  ...(changed.length === 0
    ? []
    : table(
        [
          ['program', 'before', 'after'],
          ...changed.slice(0, LISTED).map(({ program, before, after }) => [program, score(before), score(after)]),
        ],
        { width },
      )),
  ...(changed.length > LISTED ? [`and ${changed.length - LISTED} more (--json lists all)`] : []),
];
