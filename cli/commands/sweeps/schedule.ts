// evolve schedule: sweeps at intervals or by cron, as Temporal Schedules. The same can be done in the Temporal UI
// (docs/sweeps.md).
import { type Command, Option } from 'commander';
import { dirname } from 'node:path';
import { checkNewSettings, checkSettings, OVERLAPS, type Overlap } from '../../../client/sweeps/schedule-settings.ts';
import type { NewSchedule } from '../../../client/sweeps/schedules.ts';
import { type PreparedSweep, prepareSweep } from '../../../client/sweeps/sweep-spec.ts';
import { sweepName } from '../../../evolution/sweep/name.ts';
import { sweepFromFile } from '../../../evolution/sweep/spec.ts';
import { act, type Context, describe } from '../../flags/command.ts';
import { withEvolve } from '../../flags/open.ts';
import { readText } from '../../flags/settings-flags.ts';
import { json, line, note, wholeFrom } from '../../terminal/output.ts';
import { widthOf } from '../../terminal/screen.ts';
import { scheduleLines, scheduleTable, timeText } from '../../terminal/schedule-display.ts';
import { backfillCommand } from './schedule-backfill.ts';

export const scheduleCommand = (): Command =>
  [
    createCommand(),
    editCommand(),
    listCommand(),
    showCommand(),
    triggerCommand(),
    backfillCommand(),
    pauseCommand(),
    unpauseCommand(),
    deleteCommand(),
  ].reduce((parent, command) => parent.addCommand(command), describe('schedule'));

type Flags = Omit<NewSchedule, 'spec' | 'occurrences'> & {
  readonly occurrences?: string;
  readonly json?: boolean;
};

const settingsOf = ({ json: _json, occurrences, ...flags }: Flags): Omit<NewSchedule, 'spec'> => ({
  ...flags,
  ...(occurrences !== undefined && { occurrences: wholeFrom(occurrences, '--occurrences', 1) }),
});

/** The flags that `create` and `edit` share. */
const withSettings = (command: Command): Command =>
  command
    .option('--every <time>', 'interval, such as 30m, 6h or 1d')
    .option('--cron <line>', 'five fields, in UTC or the --timezone, such as "0 2 * * *"')
    .option('--timezone <name>', 'of the cron line, such as Europe/Berlin (default: UTC)')
    .option('--jitter <time>', 'each start is late by a random time up to this one')
    .option('--from <time>', 'no start before this day or time (UTC)')
    .option('--until <time>', 'no start after this day or time (UTC)')
    .option('--occurrences <n>', 'end after so many starts')
    .addOption(overlapOption('what to do while the sweep before is still under way (default: skip)'))
    .option('--catchup <time>', 'make up for starts that a server which was down missed within it (default: 10m)')
    .option('--pause-on-failure', 'pause the schedule when a sweep fails (default)')
    .option('--no-pause-on-failure', 'go on when a sweep fails')
    .option('--note <text>', 'shown beside its state');

const overlapOption = (description: string): Option =>
  new Option('--overlap <policy>', description).choices([...OVERLAPS]);

const readSweep = async (context: Context, file: string): Promise<PreparedSweep> => {
  const text = readText(file, '<file>', 'a YAML or JSON file', 'settings');
  const { value, where } = sweepFromFile(file, text);
  const prepared = await prepareSweep(context, value, where, dirname(file));
  for (const warning of prepared.warnings) note(`note: ${warning}`);
  return prepared;
};

const createCommand = () =>
  withSettings(
    describe('create', 'start the sweep of a file again and again')
      .argument('<file>', 'a sweep file; docs/sweeps.md')
      .option('--id <name>', "id of the schedule (default: the sweep's name)")
      .option('--paused', 'create it paused'),
  )
    .addHelpText(
      'after',
      '\nA sweep of the same name goes on with its runs instead of making new ones. {date} or {time} in the name, such as\n"name: nightly-{date}", makes each start a new sweep, named after its scheduled time. docs/sweeps.md says which\npolicy to choose when.',
    )
    .action(
      act(async (context, flags: Flags, file: string) => {
        const wanted = settingsOf(flags);
        checkNewSettings(wanted);
        const prepared = await readSweep(context, file);
        return withEvolve(context, async (evolve) => {
          const id = await evolve.schedules.createPrepared(prepared, wanted);
          const { upcoming, when, jitter } = await evolve.schedules.show(id);
          const [next = null] = upcoming;
          const runs = prepared.expanded.runs.length;
          // With jitter, the times are not those that name the sweeps.
          if (jitter === '0s') for (const text of sameNames(prepared.title, upcoming)) note(`note: ${text}`);
          if (context.json) return json({ id, sweep: prepared.title, next });
          line(
            `schedule ${id}: sweep ${prepared.title} ${when}, ${runs} run${runs === 1 ? '' : 's'} a start${wanted.paused ? '; paused' : next === null ? '; no next start' : `; next ${timeText(next)}`}`,
          );
          line(`\`npx evolve schedule trigger ${id}\` starts it now`);
        });
      }),
    );

/** A name with the day alone is that of all starts of the day, which is seldom what a person wants. */
const sameNames = (title: string, upcoming: readonly Date[]): readonly string[] => {
  if (!/\{(date|time)\}/.test(title)) return [];
  const twice = upcoming.find((time, at) => at > 0 && sweepName(title, time) === sweepName(title, upcoming[at - 1]!));
  return twice === undefined
    ? []
    : [
        `more than one start is named ${sweepName(title, twice)}: the later ones go on with that sweep; with {date}-{time} in the name each start makes a sweep of its own`,
      ];
};

const editCommand = () =>
  withSettings(
    describe('edit', 'change when a schedule starts, its policies or its sweep')
      .argument('<id>', 'id of the schedule, as `evolve schedule list` prints it')
      .option('--file <file>', 'another sweep file'),
  ).action(
    act(async (context, { file, ...flags }: Flags & { readonly file?: string }, id: string) => {
      const wanted = settingsOf(flags);
      checkSettings(wanted);
      const prepared = file === undefined ? null : await readSweep(context, file);
      return withEvolve(context, async (evolve) => {
        await evolve.schedules.edit(id, wanted, prepared);
        const schedule = await evolve.schedules.show(id);
        if (context.json) return json(schedule);
        for (const text of scheduleLines(schedule, widthOf(process.stdout))) line(text);
      });
    }),
  );

const listCommand = () =>
  describe('list', 'list the schedules of sweeps and runs').action(
    act(async (context, _options: { readonly json?: boolean }) =>
      withEvolve(context, async (evolve) => {
        const schedules = await evolve.schedules.list();
        if (context.json) return json(schedules);
        if (schedules.length === 0)
          return line('no schedules yet: create one with `npx evolve schedule create <file> --every 6h`');
        for (const text of scheduleTable(schedules, widthOf(process.stdout))) line(text);
      }),
    ),
  );

const showCommand = () =>
  describe('show', 'show one schedule: times, policies, recent and next starts, and its sweep file')
    .argument('<id>', 'id of the schedule, as `evolve schedule list` prints it')
    .action(
      act(async (context, _options: { readonly json?: boolean }, id: string) =>
        withEvolve(context, async (evolve) => {
          const schedule = await evolve.schedules.show(id);
          if (context.json) return json(schedule);
          for (const text of scheduleLines(schedule, widthOf(process.stdout))) line(text);
        }),
      ),
    );

const triggerCommand = () =>
  describe('trigger', 'start the sweep of a schedule now')
    .argument('<id>', 'id of the schedule, as `evolve schedule list` prints it')
    .addOption(overlapOption("instead of the schedule's own policy"))
    .action(
      act(async (context, { overlap }: { readonly json?: boolean; readonly overlap?: Overlap }, id: string) =>
        withEvolve(context, async (evolve) => {
          await evolve.schedules.trigger(id, overlap);
          if (context.json) return json({ id, sent: 'trigger' });
          line(`schedule ${id}: its sweep starts now, as far as the overlap policy allows it;`);
          line(`\`npx evolve schedule show ${id}\` shows it`);
        }),
      ),
    );

/** A command on one schedule; `done` is the text that it prints afterwards. */
const verb = (name: 'pause' | 'unpause' | 'delete', description: string, done: (id: string) => string): Command =>
  describe(name, description)
    .argument('<id>', 'id of the schedule, as `evolve schedule list` prints it')
    .action(
      act(async (context, _options: { readonly json?: boolean }, id: string) =>
        withEvolve(context, async (evolve) => {
          await evolve.schedules[name](id);
          if (context.json) json({ id, sent: name });
          else line(done(id));
        }),
      ),
    );

const pauseCommand = () =>
  verb(
    'pause',
    'start nothing until unpause',
    (id) => `schedule ${id} is paused; \`npx evolve schedule unpause ${id}\` goes on`,
  );
const unpauseCommand = () => verb('unpause', 'let a paused schedule go on', (id) => `schedule ${id} goes on`);
const deleteCommand = () =>
  verb('delete', 'remove a schedule; what it started goes on', (id) => `schedule ${id} is deleted; its sweeps go on`);
