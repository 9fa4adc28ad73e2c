// `npm run shapes [-- --json]`: plays every shape of an endpoint, whole and streamed. Exit code 1 where one is not read
// as it should be. `--table` prints the table of docs/shapes.md.
import { type Door, doorsOf, faultsOf, type Form, formsOf, play } from './play.ts';
import { type Shape, SHAPES, TEXT } from './shapes.ts';
import { tableOf } from './table.ts';

if (process.argv.includes('--table')) {
  console.log(tableOf());
  process.exit(0);
}

const rowOf = async (shape: Shape, form: Form, door: Door) => {
  const played = await play(shape, form, door);
  const { outcome, text, booked, reason, calls, paid, stored, tokens } = played;
  return {
    ...{ shape: shape.name, source: shape.source, form, door, outcome },
    text: text === TEXT ? 'equal' : text,
    ...{
      calls,
      paid,
      stored: tokens > 0 ? stored : 0,
      booked,
      parked: outcome === 'parked',
      reason,
      faults: faultsOf(shape, played),
    },
  };
};

const rows = await Promise.all(
  SHAPES.flatMap((shape) =>
    formsOf(shape).flatMap((form) => doorsOf(shape).map(async (door) => rowOf(shape, form, door))),
  ),
);
const wrong = rows.filter(({ faults }) => faults.length > 0);
if (process.argv.includes('--json')) console.log(JSON.stringify(rows));
else {
  for (const { shape, form, door, outcome, calls, reason } of rows)
    console.log(
      `${shape.padEnd(48)} ${form.padEnd(7)} ${door.padEnd(10)} ${outcome.padEnd(15)} ${calls}  ${reason.slice(0, 120)}`,
    );
  for (const { shape, form, door, faults } of wrong)
    console.log(`WRONG: ${shape} (${form}, ${door}): ${faults.join('; ')}`);
  const sum = (key: 'calls' | 'paid' | 'stored' | 'booked'): number => rows.reduce((all, row) => all + row[key], 0);
  console.log(`${rows.length - wrong.length} of ${rows.length} are read as they should be`);
  console.log(
    `${sum('calls')} calls, of which ${sum('paid')} may be paid: ${sum('stored')} are stored, ${sum('booked')} booked without an answer`,
  );
}
process.exit(wrong.length === 0 ? 0 : 1);
