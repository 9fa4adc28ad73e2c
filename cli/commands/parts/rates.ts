// evolve rates: how many activities a second each queue hands out over all workers together, and how that is changed.
import type { Command } from 'commander';
import { type Engine, openParts } from '../../../client/connect/connection.ts';
import { queueRates, readRate, setQueueRate } from '../../../client/temporal/queue-rates.ts';
import type { Store } from '../../../activities/store/store.ts';
import { act, type Context, describe } from '../../flags/command.ts';
import { json, line } from '../../terminal/output.ts';

const withEngine = async <T>(context: Context, work: (engine: Engine, store: Store) => Promise<T>): Promise<T> => {
  const parts = openParts(context);
  try {
    return await work(await parts.engine(), await parts.store());
  } finally {
    await parts.close();
  }
};

const perSecondText = (perSecond: number | null): string => (perSecond === null ? 'no rate' : `${perSecond} a second`);

export const ratesCommand = (): Command =>
  describe('rates')
    .action(
      act(async (context, _options: { readonly json?: boolean }) => {
        const rates = await withEngine(context, async (engine, store) =>
          queueRates(engine, await store.neededQueues()),
        );
        if (context.json) return json({ rates });
        for (const { queue, perSecond, waiting, reason } of rates)
          line(
            [
              queue.padEnd(24),
              perSecondText(perSecond).padEnd(16),
              `${waiting} waiting`,
              ...(reason === null || reason === '' ? [] : [reason]),
            ].join('  '),
          );
      }),
    )
    .addCommand(
      describe('set', 'set the rate of a queue, or take it away')
        .argument('<queue>', 'such as evolve-llm')
        .argument('<rate>', 'activities a second over all workers together; 0 hands out none, off takes the rate away')
        .option('--reason <text>', 'kept with the rate and shown beside it', '')
        .action(
          act(
            async (
              context,
              { reason }: { readonly json?: boolean; readonly reason: string },
              queue: string,
              text: string,
            ) => {
              const perSecond = readRate(queue, text);
              await withEngine(context, (engine) => setQueueRate(engine, { queue, perSecond, reason }));
              if (context.json) return json({ queue, perSecond });
              line(`${queue}: ${perSecondText(perSecond)}`);
            },
          ),
        ),
    );
