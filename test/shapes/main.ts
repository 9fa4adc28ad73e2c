// `npm run shapes [-- --json]`: plays every shape of an endpoint, whole and streamed. Exit code 1 where one is not read
// as it should be. `--table` prints the table of docs/shapes.md.
import { faultsOf, formsOf, play } from './play.ts';
import { SHAPES, TEXT } from './shapes.ts';
import { tableOf } from './table.ts';

if (process.argv.includes('--table')) {
  console.log(tableOf());
  process.exit(0);
}

const rows = [];
for (const shape of SHAPES)
  for (const form of formsOf(shape)) {
    const played = await play(shape, form);
    const { outcome, text, booked, reason, calls } = played;
    rows.push({
      ...{ shape: shape.name, source: shape.source, form, outcome },
      text: text === TEXT ? 'equal' : text,
      ...{ booked, calls, parked: outcome === 'parked', reason, faults: faultsOf(shape, played) },
    });
  }
const wrong = rows.filter(({ faults }) => faults.length > 0);
if (process.argv.includes('--json')) console.log(JSON.stringify(rows));
else {
  for (const { shape, form, outcome, calls, reason } of rows)
    console.log(`${shape.padEnd(42)} ${form.padEnd(7)} ${outcome.padEnd(15)} ${calls}  ${reason.slice(0, 120)}`);
  for (const { shape, form, faults } of wrong) console.log(`WRONG: ${shape} (${form}): ${faults.join('; ')}`);
  console.log(`${rows.length - wrong.length} of ${rows.length} are read as they should be`);
}
process.exit(wrong.length === 0 ? 0 : 1);
