// Every run of this home with its state and its best score.
import { DurableEvolve } from '../client/index.ts';

const evolve = await DurableEvolve.connect();
for (const { run, task, state, best } of await evolve.list())
  console.log(`${run}  ${task}  ${state}  ${best?.score ?? '-'}`);
await evolve.close();
