// evolve rates: how many activities a second each queue hands out over all workers together, and how that is changed.
import { withParts } from '../../../client/connect/connection.ts';
import { queueRates, readRate, setQueueRate } from '../../../client/temporal/queue-rates.ts';
import { act, type Build, describe } from '../../flags/command.ts';
import { answer } from '../../terminal/output.ts';

const perSecondText = (perSecond: number | null): string => (perSecond === null ? 'no rate' : `${perSecond} a second`);

export const build: Build = (command) =>
  command
    .action(
      act(async (context) =>
        withParts(context, async (parts) => {
          const rates = await queueRates(await parts.engine(), await (await parts.store()).neededQueues());
          answer(context, { rates }, () =>
            rates.map(({ queue, perSecond, waiting, reason }) =>
              [
                queue.padEnd(24),
                perSecondText(perSecond).padEnd(16),
                `${waiting} waiting`,
                ...(reason === null || reason === '' ? [] : [reason]),
              ].join('  '),
            ),
          );
        }),
      ),
    )
    .addCommand(
      describe('set', 'set the rate of a queue, or take it away')
        .argument('<queue>', 'such as evolve-llm')
        .argument('<rate>', 'activities a second over all workers together; 0 hands out none, off takes the rate away')
        .option('--reason <text>', 'kept with the rate and shown beside it', '')
        .action(
          act(async (context, { reason }: { readonly reason: string }, queue: string, text: string) => {
            const perSecond = readRate(queue, text);
            await withParts(context, async (parts) => {
              await setQueueRate(await parts.engine(), { queue, perSecond, reason });
            });
            answer(context, { queue, perSecond }, () => [`${queue}: ${perSecondText(perSecond)}`]);
          }),
        ),
    );
