// evolve schedule: sweeps at intervals or by cron, as Temporal Schedules, which the Temporal UI makes too
// (docs/sweeps.md).
import { type Command, Option } from 'commander';
import { dirname } from 'node:path';
import { checkNewSettings, checkSettings, OVERLAPS, type Overlap } from '../../../client/sweeps/schedule-settings.ts';
import type { NewSchedule } from '../../../client/sweeps/schedules.ts';
import { type PreparedSweep, prepareSweep } from '../../../client/sweeps/sweep-spec.ts';
import { sweepName } from '../../../evolution/sweep/name.ts';
import { sweepFromFile } from '../../../evolution/sweep/spec.ts';
import { type Build, type Context, describe } from '../../flags/command.ts';
import { onEvolve } from '../../flags/open.ts';
import { readText } from '../../flags/settings-flags.ts';
import { answer, note, wholeFrom } from '../../terminal/output.ts';
import { scheduleLines, scheduleTable, timeText } from '../../terminal/schedule-display.ts';
import { backfillCommand } from './schedule-backfill.ts';

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
  await prepared.first.ask((text) => note(`note: ${text}`));
  return prepared;
};

const ID = ['<id>', 'id of the schedule, as `evolve schedule list` prints it'] as const;

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
      onEvolve(async (context, flags: Flags, evolve, file: string) => {
        const settings = settingsOf(flags);
        checkNewSettings(settings);
        const prepared = await readSweep(context, file);
        const id = await evolve.schedules.createPrepared(prepared, settings);
        const { upcoming, when, jitter } = await evolve.schedules.show(id);
        const [next = null] = upcoming;
        const runs = prepared.expanded.runs.length;
        // With jitter, the times are not those that name the sweeps.
        if (jitter === '0s') for (const text of sameNames(prepared.title, upcoming)) note(`note: ${text}`);
        answer(context, { id, sweep: prepared.title, next }, () => [
          `schedule ${id}: sweep ${prepared.title} ${when}, ${runs} run${runs === 1 ? '' : 's'} a start${settings.paused ? '; paused' : next === null ? '; no next start' : `; next ${timeText(next)}`}`,
          `\`npx evolve schedule trigger ${id}\` starts it now`,
        ]);
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
      .argument(...ID)
      .option('--file <file>', 'another sweep file'),
  ).action(
    onEvolve(async (context, { file, ...flags }: Flags & { readonly file?: string }, evolve, id: string) => {
      const settings = settingsOf(flags);
      checkSettings(settings);
      await evolve.schedules.edit(id, settings, file === undefined ? null : await readSweep(context, file));
      const schedule = await evolve.schedules.show(id);
      answer(context, schedule, (width) => scheduleLines(schedule, width));
    }),
  );

const listCommand = () =>
  describe('list', 'list the schedules of sweeps and runs').action(
    onEvolve(async (context, _, evolve) => {
      const schedules = await evolve.schedules.list();
      answer(context, schedules, (width) =>
        schedules.length === 0
          ? ['no schedules yet: create one with `npx evolve schedule create <file> --every 6h`']
          : scheduleTable(schedules, width),
      );
    }),
  );

const showCommand = () =>
  describe('show', 'show one schedule: times, policies, recent and next starts, and its sweep file')
    .argument(...ID)
    .action(
      onEvolve(async (context, _, evolve, id: string) => {
        const schedule = await evolve.schedules.show(id);
        answer(context, schedule, (width) => scheduleLines(schedule, width));
      }),
    );

const triggerCommand = () =>
  describe('trigger', 'start the sweep of a schedule now')
    .argument(...ID)
    .addOption(overlapOption("instead of the schedule's own policy"))
    .action(
      onEvolve(async (context, { overlap }: { readonly overlap?: Overlap }, evolve, id: string) => {
        await evolve.schedules.trigger(id, overlap);
        answer(context, { id, sent: 'trigger' }, () => [
          `schedule ${id}: its sweep starts now, as far as the overlap policy allows it;`,
          `\`npx evolve schedule show ${id}\` shows it`,
        ]);
      }),
    );

/** A command on one schedule; `done` is the text that it prints afterwards. */
const verb = (name: 'pause' | 'unpause' | 'delete', description: string, done: (id: string) => string): Command =>
  describe(name, description)
    .argument(...ID)
    .action(
      onEvolve(async (context, _, evolve, id: string) => {
        await evolve.schedules[name](id);
        answer(context, { id, sent: name }, () => [`schedule ${id} ${done(id)}`]);
      }),
    );

export const build: Build = (command) =>
  [
    createCommand(),
    editCommand(),
    listCommand(),
    showCommand(),
    triggerCommand(),
    backfillCommand(),
    verb('pause', 'start nothing until unpause', (id) => `is paused; \`npx evolve schedule unpause ${id}\` goes on`),
    verb('unpause', 'let a paused schedule go on', () => 'goes on'),
    verb('delete', 'remove a schedule; what it started goes on', () => 'is deleted; its sweeps go on'),
  ].reduce((parent, below) => parent.addCommand(below), command);
