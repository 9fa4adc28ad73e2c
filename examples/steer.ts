// Steers a run while it goes on: a hint for its prompts, ten more steps, a pause and its end.
import { DurableEvolve } from '../client/index.ts';

const evolve = await DurableEvolve.connect();
const run = await evolve.start({ task: 'circle-packing-square-26', limits: { steps: 10 } });
await run.hint({ hint: 'try hexagons' });
await run.extend({ steps: 10 });
await run.pause();
await run.resume();
console.log(await run.result());
await evolve.close();
