// Starts a run of ten steps with the model that is configured, waits for its end, and writes its results.
import { DurableEvolve } from '../client/index.ts';

const evolve = await DurableEvolve.connect();
const run = await evolve.start({ task: 'circle-packing-square-26', limits: { steps: 10 } });
const { state, best, costUsd } = await run.result();
await run.writeFiles();
console.log(`${run.id}: ${state}, best score ${best?.score ?? 'none'}, ${costUsd} US dollars`);
await evolve.close();
