// `npx node test/bench/population/short-runs.ts`: how often a parent is the best of its run or island in short runs, with
// the whole archive and with a fifth of those alive. Draws and commits are those that ship; scores are drawn.
import { bestOf } from '../../../evolution/archives/roster.ts';
import type { MethodName } from '../../../evolution/config/names.ts';
import { programId } from '../../../evolution/ids.ts';
import { commitStep } from '../../../evolution/population/insertion.ts';
import { applyChangeSet, emptyPopulation } from '../../../evolution/population/population.ts';
import { type Rng, rng } from '../../../evolution/rng.ts';
import { bornSeq } from '../../../evolution/schedule/slots.ts';
import { drawParents } from '../../../evolution/selection/selection.ts';
import type { Child } from '../../../evolution/types.ts';
import { configFrom } from '../../support/domain/asked-run.ts';

const SIZES: Readonly<Partial<Record<MethodName, object>>> = {
  theta: { batch: 2, responses: 2 },
  delta: { batch: 2, responses: 2 },
  code: { batch: 2, population: { islands: 2, initialisation: 2 } },
  research: { batch: 2, ideation: { gate: 'off' } },
  openevolve: { batch: 2 },
  shinkaevolve: { batch: 2 },
};
const STEPS = [3, 4, 5, 6] as const;
const RUNS = 500;
const INVALID = 0.2;

/** A child is mostly a little worse than its parent: by a normal distribution with mean -0.5 and deviation 1. */
const scoreBeside = (parent: number, random: Rng): number =>
  parent - 0.5 + Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());

const share = (
  method: MethodName,
  archiveShare: number | null,
): { readonly ofRun: number; readonly either: number } => {
  let [groups, ofRun, either] = [0, 0, 0];
  for (const steps of STEPS) {
    const config = configFrom({
      ...{ method, ...SIZES[method], limits: { steps }, model: { kind: 'openai', name: 'm', baseUrl: 'http://m/v1' } },
      ...(archiveShare === null ? {} : { selection: { archiveShare } }),
    });
    for (let seed = 1; seed <= RUNS; seed++) {
      const initial: Child = {
        ...{ id: programId('r', 0, 0, 0), slot: 0, bornSeq: 0, parent: null, island: 0, outcome: 'valid' },
        ...{ fit: 0, length: 1_000, values: config.population.features.map(() => 1) },
      };
      let population = emptyPopulation(config.population);
      for (let step = 0, children = [initial]; ; step++) {
        population = applyChangeSet(population, commitStep({ population, children, step, settings: config }));
        if (step === steps) break;
        const draws = drawParents({ population, step: step + 1, batch: config.batch, seed, settings: config });
        const random = rng(seed, 'scores', step + 1);
        children = draws.flatMap(({ parent, island, branch }, group) => {
          if (step > 0) {
            const isBest = parent === population.state.best!.id;
            groups += 1;
            ofRun += Number(isBest);
            either += Number(isBest || parent === bestOf(population.islands[island]!, 1)[0]?.id);
          }
          const fit = population.members.get(parent)!.fit;
          return Array.from({ length: config.responses }, (_, at): Child => {
            const slot = group * config.responses + at;
            const valid = random.next() >= INVALID;
            return {
              ...{ id: programId('r', step + 1, 0, slot), slot, bornSeq: bornSeq(step + 1, slot), parent, island },
              ...{ length: 500 + random.int(1_000), values: config.population.features.map(() => random.next()) },
              ...(branch === 'initialisation' && { parent: null, founder: true as const }),
              ...(valid ? { outcome: 'valid', fit: scoreBeside(fit, random) } : { outcome: 'no_solution' }),
            };
          });
        });
      }
    }
  }
  return { ofRun: ofRun / groups, either: either / groups };
};

const percent = (part: number): string => `${Math.round(100 * part)} %`;

console.log(
  '| method | best of the run: before, after | best of the run or island: before, after |\n| --- | --- | --- |',
);
for (const method of Object.keys(SIZES) as MethodName[]) {
  const [before, after] = [share(method, 1), share(method, null)];
  console.log(
    `| ${method} | ${percent(before.ofRun)}, ${percent(after.ofRun)} | ${percent(before.either)}, ${percent(after.either)} |`,
  );
}
