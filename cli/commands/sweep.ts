// evolve sweep: starts a sweep from a file, or goes on with it, and watches it; below it status, report, list, pause,
// resume and stop.
import type { Command } from 'commander';
import { dirname } from 'node:path';
import { type PreparedSweep, prepareSweep } from '../../client/sweep-start.ts';
import { combinationText } from '../../evolution/sweep/expand.ts';
import { sweepFromFile } from '../../evolution/sweep/spec.ts';
import { act, describe } from '../flags/command.ts';
import { withEvolve } from '../flags/open.ts';
import { readText } from '../flags/settings-flags.ts';
import { followSweep } from '../follow/follow-sweep.ts';
import { json, line, note } from '../terminal/output.ts';
import { sweepListCommand, sweepReportCommand, sweepStatusCommand } from './sweep-inspect.ts';
import { sweepPauseCommand, sweepResumeCommand, sweepStopCommand } from './sweep-steer.ts';

type Options = { readonly json?: boolean; readonly detach?: boolean };

export const sweepCommand = (): Command =>
  [
    sweepStatusCommand(),
    sweepReportCommand(),
    sweepListCommand(),
    sweepPauseCommand(),
    sweepResumeCommand(),
    sweepStopCommand(),
  ].reduce(
    (parent, command) => parent.addCommand(command),
    describe('sweep', 'run many configurations of one question; starting a sweep again goes on with it')
      .argument(
        '<file>',
        'YAML or JSON: {name, base, grid | list | random, seeds, maxParallel, stopWhen}; docs/sweeps.md',
      )
      .option('--detach', 'start the sweep and return')
      .action(
        act(async (context, { detach }: Options, file: string) => {
          const { value, where } = sweepFromFile(file, readText(file, '<file>', 'a YAML or JSON file'));
          const prepared = await prepareSweep(context, value, where, dirname(file));
          const print = context.json ? note : line;
          for (const text of expansionLines(prepared)) print(text);
          const { name, url, runs } = await withEvolve(context, async (evolve) => {
            const sweep = await evolve.launchSweep(prepared);
            // Where no worker has taken it up yet, those of the file: a sweep that is there already may have others.
            const runs = await sweep.document().catch(() => prepared.expanded);
            return { name: sweep.name, url: await sweep.temporalUrl(), runs: runs.runs.map(({ run }) => run) };
          });
          if (!detach) {
            print('');
            return followSweep(context, name);
          }
          if (context.json) json({ sweep: name, runs, temporalUrl: url });
          else
            line(
              `sweep ${name} is under way; \`npx evolve sweep status ${name}\` shows it${url === null ? '' : `\n${url}`}`,
            );
        }),
      ),
  );

const SHOWN = 12;
const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** What will be run, before anything is started. */
export const expansionLines = ({
  expanded: { name, groups, runs },
}: Pick<PreparedSweep, 'expanded'>): readonly string[] => [
  `sweep ${name}: ${counted(runs.length, 'run')} of ${counted(groups.length, 'configuration')}`,
  ...groups
    .slice(0, SHOWN)
    .map(
      (group, index) =>
        `  ${String(index).padStart(3)}  ${combinationText(group)}  (${counted(runs.filter((run) => run.group === index).length, 'run')})`,
    ),
  ...(groups.length > SHOWN ? [`  and ${groups.length - SHOWN} more`] : []),
];
