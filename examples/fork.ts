// Copies the run that the first argument names, from its step 2, and goes on with more answers a step.
import { DurableEvolve } from '../client/index.ts';

const evolve = await DurableEvolve.connect();
const run = await evolve.run(process.argv[2]!);
const fork = await run.fork({ step: 2, set: { responses: 4, limits: { steps: 4 } } });
console.log(await fork.result());
await evolve.close();
