// Copies the run that the first argument names, from step 5, and goes on with more answers a step.
import { DurableEvolve } from '../client/index.ts';

const evolve = await DurableEvolve.connect();
const run = await evolve.run(process.argv[2]!);
const fork = await run.fork({ step: 5, set: { batch: 16 } });
console.log(await fork.result());
await evolve.close();
