// Starts a run of three steps with the model that is configured, waits for its end, and writes its results.
import { DurableEvolve } from '../client/index.ts';

const evolve = await DurableEvolve.connect();
const run = await evolve.start({ task: 'circle-packing-square-26', batch: 2, responses: 2, limits: { steps: 3 } });
for await (const { steps, best } of run.watch()) console.log(`after ${steps} steps: best ${best?.score ?? 'none'}`);
const { state, best, costUsd } = await run.result();
await run.writeFiles();
console.log(`${run.id}: ${state}, best score ${best?.score ?? 'none'}, ${costUsd} US dollars`);
await evolve.close();
