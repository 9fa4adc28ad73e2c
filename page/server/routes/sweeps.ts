// Sweeps: the list of them, and what one has found.
import { UsageError } from '../../../client/connect/errors.ts';
import { taskOf } from '../../../client/connect/loaded-late.ts';
import { sweepReport } from '../../../client/read/sweep-report.ts';
import type { Direction } from '../../../evolution/types.ts';
import type { SweepAnswer, SweepList } from '../../api/run/sweeps.ts';
import type { Answers } from '../site/site.ts';

export const sweepAnswers: Answers = (app, site) => {
  app.get('/sweeps', async (c) => {
    const sweeps = await (await site.store()).listSweeps();
    const answer: SweepList = {
      sweeps: sweeps.map(({ _id, status, runs, groups, createdAt }) => ({
        sweep: _id,
        status,
        runs: runs.length,
        groups: groups.length,
        createdAt: createdAt.toISOString(),
      })),
    };
    return c.json(answer);
  });
  app.get('/sweeps/:sweep', async (c) => {
    const store = await site.store();
    const sweep = await store.readSweep(c.req.param('sweep'));
    if (sweep === null) throw new UsageError('there is no sweep of this name: `npx evolve sweep list` names them');
    const directions: { [group: string]: Direction } = {};
    const ofTask = new Map<string, Direction>();
    for (const { run, group } of sweep.runs) {
      if (String(group) in directions) continue;
      const document = await store.readRun(run);
      if (document === null) continue;
      const task = `${document.config.task} ${document.taskSnapshot ?? ''}`;
      if (!ofTask.has(task))
        ofTask.set(
          task,
          await taskOf(store, document).then(
            ({ direction }) => direction,
            () => 'maximise' as const,
          ),
        );
      directions[group] = ofTask.get(task)!;
    }
    const answer = { ...(await sweepReport(store, sweep)), directions };
    return c.json(answer as SweepAnswer);
  });
};
