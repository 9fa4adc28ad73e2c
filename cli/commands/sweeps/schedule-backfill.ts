// evolve schedule backfill: starts that lie in the past, made now under their scheduled times.
import { Option } from 'commander';
import { OVERLAPS, type Overlap, timeOf } from '../../../client/sweeps/schedule-settings.ts';
import type { BackfillPlan, BackfillRange } from '../../../client/sweeps/schedules.ts';
import { describe } from '../../flags/command.ts';
import { onEvolve } from '../../flags/open.ts';
import { json, line, lines, note } from '../../terminal/output.ts';
import { timeText } from '../../terminal/schedule-display.ts';

type Flags = BackfillRange & { readonly overlap: Overlap; readonly yes?: boolean };

/** More starts than these need --yes, because each of them costs a whole sweep. */
const A_HANDFUL = 5;
/** The number of starts that are named before anything starts. */
const NAMED = 10;

export const backfillCommand = () =>
  describe('backfill', 'make the starts of days that are past, each under its scheduled time')
    .argument('<id>', 'id of the schedule, as `evolve schedule list` prints it')
    .requiredOption('--from <time>', 'the first day or time (UTC), such as 2026-11-20')
    .requiredOption('--to <time>', 'the day or time (UTC) before which it ends, such as 2026-11-23')
    .addOption(
      new Option('--overlap <policy>', 'how the starts follow each other: one after the other, or all at once')
        .choices([...OVERLAPS])
        .default('buffer-all'),
    )
    .option('--yes', `start them; needed for more than ${A_HANDFUL}`)
    .action(
      onEvolve(async (context, { from, to, overlap, yes }: Flags, evolve, id: string) => {
        timeOf('--from', from);
        timeOf('--to', to);
        const plan = await evolve.schedules.planBackfill(id, { from, to });
        const started = yes === true || plan.times.length <= A_HANDFUL;
        const print = context.json ? note : line;
        for (const text of planLines(id, plan)) print(text);
        if (started) await evolve.schedules.backfill(id, { from, to }, overlap);
        if (context.json) return json({ id, started, overlap, ...plan });
        if (!started) return line('Nothing was started: add --yes.');
        lines([
          overlap === 'buffer-all'
            ? `They start one after the other; \`npx evolve schedule show ${id}\` shows how many wait.`
            : `They start by the overlap policy ${overlap}; \`npx evolve schedule show ${id}\` shows them.`,
        ]);
      }),
    );

const firstOf = (names: readonly string[]): string =>
  `${names.slice(0, NAMED).join(', ')}${names.length > NAMED ? ` and ${names.length - NAMED} more` : ''}`;

const planLines = (id: string, { times, sweeps, notBefore }: BackfillPlan): readonly string[] => {
  return [
    `schedule ${id}: ${times.length} ${times.length === 1 ? 'start' : 'starts'}: ${firstOf(times.map(timeText))}`,
    ...(sweeps === null ? [] : [`sweeps: ${firstOf(sweeps)}`]),
    ...(notBefore === null
      ? []
      : [
          `The schedule begins at ${timeText(notBefore)}, so there is none before it; \`npx evolve schedule edit ${id} --from <time>\` changes that.`,
        ]),
    ...(sweeps !== null && sweeps.length < times.length
      ? ['Starts of the same name go on with the same sweep; {date} and {time} in the name tell them apart.']
      : []),
  ];
};
