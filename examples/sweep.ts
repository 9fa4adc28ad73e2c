// A sweep: two numbers of bins, two seeds each.
import { DurableEvolve } from '../client/index.ts';

const evolve = await DurableEvolve.connect();
const sweep = await evolve.startSweep({
  name: 'bins-{date}-{time}',
  base: { task: 'circle-packing-square-26', batch: 2, responses: 2, limits: { steps: 1 } },
  grid: { 'population.bins': [5, 10] },
  seeds: [1, 2],
});
await sweep.result();
for (const { params, runs, mean } of (await sweep.report()).groups) console.log(params, `${runs} runs, mean ${mean}`);
await evolve.close();
