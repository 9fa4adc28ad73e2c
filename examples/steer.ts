// Steers a run while it goes on: a hint for its prompts, two more steps, a pause and its end.
import { DurableEvolve } from '../client/index.ts';

const evolve = await DurableEvolve.connect();
const run = await evolve.start({ task: 'circle-packing-square-26', batch: 2, responses: 2, limits: { steps: 4 } });
await run.hint({ hint: 'try hexagons' });
await run.pause();
await run.extend({ steps: 2, add: true });
await run.resume();
console.log(await run.result());
await evolve.close();
