// evolve sweep: starts a sweep from a file, or goes on with it, and watches it. Below it are status, report, list,
// pause, resume, stop and terminate.
import { dirname } from 'node:path';
import type { PreparedSweep } from '../../../client/sweeps/sweep-spec.ts';
import { counted } from '../../../evolution/reports/number-text.ts';
import { combinationText } from '../../../evolution/sweep/combinations.ts';
import { act, type Build, later, type Later, withCommands } from '../../flags/command.ts';
import { withEvolve } from '../../flags/open.ts';
import { answer, line, note } from '../../terminal/output.ts';
import { verbsOf } from '../../verbs.ts';

const COMMANDS: readonly Later[] = [
  later('sweeps/sweep-status', 'show how far a sweep and its runs are', 'status'),
  later(
    'sweeps/sweep-report',
    'compare the configurations of a sweep: mean, sd, best, programs, tokens, cost',
    'report',
  ),
  later('sweeps/sweep-list', 'list all sweeps, newest first', 'list'),
  ...verbsOf('A sweep'),
];

export const build: Build = (command, words) =>
  withCommands(
    command
      .argument(
        '<file>',
        'YAML or JSON: {name, base, grid | list | random, seeds, maxParallel, stopWhen}; docs/sweeps.md',
      )
      .option('--detach', 'start the sweep and return')
      .action(
        act(async (context, { detach }: { readonly detach?: boolean }, file: string) => {
          const [{ sweepFromFile }, { readText }, { prepareSweep }] = await Promise.all([
            import('../../../evolution/sweep/spec.ts'),
            import('../../flags/settings-flags.ts'),
            import('../../../client/sweeps/sweep-spec.ts'),
          ]);
          const { value, where } = sweepFromFile(file, readText(file, '<file>', 'a YAML or JSON file', 'settings'));
          const prepared = await prepareSweep(context, value, where, dirname(file));
          const print = context.json ? note : line;
          for (const text of expansionLines(prepared)) print(text);
          const { name, url, runs } = await withEvolve(context, async (evolve) => {
            const sweep = await evolve.launchSweep(prepared);
            // Where no worker has taken the sweep up yet, the runs of the file are used. A sweep that exists already
            // may have others.
            const runs = await sweep.document().catch(() => prepared.expanded);
            return { name: sweep.name, url: await sweep.temporalUrl(), runs: runs.runs.map(({ run }) => run) };
          });
          if (!detach) {
            const { followSweep } = await import('../../follow/follow-sweep.ts');
            print('');
            return followSweep(context, name);
          }
          answer(context, { sweep: name, runs, temporalUrl: url }, () => [
            `sweep ${name} is under way; \`npx evolve sweep status ${name}\` shows it${url === null ? '' : `\n${url}`}`,
          ]);
        }),
      ),
    COMMANDS,
    words,
  );

const SHOWN = 12;

/** The runs of the sweep, before anything is started. */
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
