// evolve sweep pause, resume and stop: a sweep with all its runs that are alive.
import { act, describe } from '../flags/command.ts';
import { withEvolve } from '../flags/open.ts';
import { json, line } from '../terminal/output.ts';

type Options = { readonly json?: boolean; readonly now?: boolean; readonly reason?: string };

const NAME = ['<name>', 'name of the sweep, or latest'] as const;
const requestOf = ({ now, reason }: Options) =>
  ({ mode: now ? 'now' : 'step', ...(reason === undefined ? {} : { reason }) }) as const;
const when = ({ now }: Options): string => (now ? 'now' : 'after their current steps');

export const sweepPauseCommand = () =>
  describe('pause', 'start no further run of a sweep, and let those that are alive wait')
    .argument(...NAME)
    .option('--now', 'interrupt the current steps; resume repeats what was not finished')
    .option('--reason <text>', 'shown beside the state')
    .action(
      act(async (context, options: Options, name: string) =>
        withEvolve(context, async (evolve) => {
          const sweep = await evolve.sweep(name);
          await sweep.pause(requestOf(options));
          if (context.json) json({ sweep: sweep.name, sent: 'pause', mode: requestOf(options).mode });
          else
            line(`${sweep.name}: its runs pause ${when(options)}; \`npx evolve sweep resume ${sweep.name}\` goes on`);
        }),
      ),
    );

export const sweepResumeCommand = () =>
  describe('resume', 'let a paused or stopped sweep go on')
    .argument(...NAME)
    .action(
      act(async (context, _options: { readonly json?: boolean }, name: string) =>
        withEvolve(context, async (evolve) => {
          const sweep = await evolve.sweep(name);
          const { opened } = await sweep.resume();
          if (context.json) json({ sweep: sweep.name, sent: 'resume', opened });
          else line(`${sweep.name}: goes on; \`npx evolve sweep status ${sweep.name}\` shows it`);
        }),
      ),
    );

export const sweepStopCommand = () =>
  describe('stop', 'end a sweep with all its runs that are alive')
    .argument(...NAME)
    .option('--now', 'interrupt the current steps; what they have made is kept for a resume')
    .option('--reason <text>', 'stored with the sweep and its runs')
    .action(
      act(async (context, options: Options, name: string) =>
        withEvolve(context, async (evolve) => {
          const sweep = await evolve.sweep(name);
          await sweep.stop(requestOf(options));
          if (context.json) json({ sweep: sweep.name, sent: 'stop', mode: requestOf(options).mode });
          else
            line(
              `${sweep.name}: its runs stop ${when(options)}; \`npx evolve sweep resume ${sweep.name}\` continues it later`,
            );
        }),
      ),
    );
