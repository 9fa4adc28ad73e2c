// evolve schedule: sweeps at intervals or by cron, as Temporal Schedules. The same can be done in the Temporal UI
// (docs/sweeps.md).
import { type Command, Option } from 'commander';
import { dirname } from 'node:path';
import { type NewSchedule, type ScheduleReport, timesOf } from '../../client/schedules.ts';
import { prepareSweep } from '../../client/sweep-spec.ts';
import { sweepFromFile } from '../../evolution/sweep/spec.ts';
import { act, describe } from '../flags/command.ts';
import { withEvolve } from '../flags/open.ts';
import { readText } from '../flags/settings-flags.ts';
import { json, line, note } from '../terminal/output.ts';
import { widthOf } from '../terminal/screen.ts';
import { table } from '../terminal/table.ts';

export const scheduleCommand = (): Command =>
  [createCommand(), listCommand(), triggerCommand(), pauseCommand(), unpauseCommand(), deleteCommand()].reduce(
    (parent, command) => parent.addCommand(command),
    describe('schedule'),
  );

type CreateOptions = Omit<NewSchedule, 'spec'> & { readonly json?: boolean };

const createCommand = () =>
  describe('create', 'start the sweep of a file again and again')
    .argument('<file>', 'a sweep file; docs/sweeps.md')
    .option('--every <time>', 'interval, such as 30m, 6h or 1d')
    .option('--cron <line>', 'five fields in UTC, such as "0 2 * * *"')
    .option('--id <name>', "id of the schedule (default: the sweep's name)")
    .option('--paused', 'create it paused')
    .addOption(
      new Option('--overlap <policy>', 'what to do while the sweep before is still under way')
        .choices(['skip', 'buffer-one'])
        .default('skip'),
    )
    .option('--note <text>', 'shown beside its state')
    .addHelpText(
      'after',
      '\nA sweep of the same name goes on with its runs instead of making new ones. {date} or {time} in the name, such as\n"name: nightly-{date}", makes each start a new sweep. A failure pauses the schedule. Starts that were\nmissed while the server was down are made up for if they are not older than 10 minutes.',
    )
    .action(
      act(async (context, { json: _json, ...wanted }: CreateOptions, file: string) => {
        timesOf(wanted);
        const { value, where, notes } = sweepFromFile(
          file,
          readText(file, '<file>', 'a YAML or JSON file', 'settings'),
        );
        const prepared = await prepareSweep(context, value, where, dirname(file));
        for (const warning of [...notes, ...prepared.warnings]) note(`note: ${warning}`);
        return withEvolve(context, async (evolve) => {
          const id = await evolve.schedules.createPrepared(prepared, wanted);
          const made = (await evolve.schedules.list()).find((schedule) => schedule.id === id) ?? null;
          if (context.json) return json({ id, sweep: prepared.title, next: made?.next ?? null });
          line(
            `schedule ${id}: sweep ${prepared.title} ${wanted.every === undefined ? `by cron ${wanted.cron}` : `every ${wanted.every}`}, ${prepared.expanded.runs.length} runs${wanted.paused ? '; paused' : made?.next ? `; next ${timeText(made.next)}` : ''}`,
          );
          line(`\`npx evolve schedule trigger ${id}\` starts it now`);
        });
      }),
    );

const listCommand = () =>
  describe('list', 'list the schedules of sweeps').action(
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

export const scheduleTable = (schedules: readonly ScheduleReport[], width = Infinity): readonly string[] =>
  table(
    [
      ['schedule', 'sweep', 'when', 'next', 'last', 'note'],
      ...schedules.map(({ id, when, sweep, paused, note: text, next, last }) => [
        id,
        sweep ?? '?',
        when,
        paused ? 'paused' : next === null ? 'no next start' : timeText(next),
        last ?? 'not started yet',
        text ?? '',
      ]),
    ],
    { width, drop: ['note', 'last', 'sweep', 'when'], cut: { schedule: 20, sweep: 16, last: 16, note: 12 } },
  );

/** A command on one schedule; `done` is the text that it prints afterwards. */
const verb = (
  name: 'trigger' | 'pause' | 'unpause' | 'delete',
  description: string,
  done: (id: string) => string,
): Command =>
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

const triggerCommand = () =>
  verb(
    'trigger',
    'start the sweep of a schedule now',
    (id) => `schedule ${id}: its sweep starts now, unless it is under way; \`npx evolve sweep list\` shows it`,
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

const timeText = (time: Date): string => `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
