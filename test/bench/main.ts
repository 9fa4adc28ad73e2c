// `npm run bench [-- <suite> ...] [--json]`: what the engine itself costs, measured on real parts. The suites are below.
import { parseArgs } from 'node:util';
import { conditionsNow, createJudge, loadOfOthers, loads, MOST_LOAD, type Judge } from './conditions.ts';
import { benchEngine } from './engine/engine.ts';
import { benchMemory } from './engine/memory.ts';
import { benchOperations } from './operations.ts';
import { benchPage } from './page.ts';
import { benchPopulation } from './population/population.ts';
import { benchSandbox } from './engine/sandbox.ts';
import { benchWholePath } from './engine/whole-path.ts';
import { testHome, type TestHome } from '../support/machine/home.ts';

type Say = (line: string) => void;
type Suite = (home: TestHome, say: Say, judge: Judge) => Promise<unknown>;

const refuse = (message: string): never => {
  console.error(message);
  process.exit(2);
};

const { values: flags, positionals: wanted } = (() => {
  try {
    return parseArgs({
      allowPositionals: true,
      allowNegative: true,
      options: {
        json: { type: 'boolean', default: false },
        // Of the population bench.
        full: { type: 'boolean', default: false },
        // Of the population and the engine bench.
        openevolve: { type: 'boolean', default: true },
        alive: { type: 'string' },
        remembered: { type: 'string' },
        steps: { type: 'string', default: '11' },
        // Of the sandbox bench.
        rounds: { type: 'string', default: '20' },
        seconds: { type: 'string', default: '15' },
        // Of the page bench.
        programs: { type: 'string', default: '100000' },
        // Of the operations bench, whose long form `--full` asks for.
        only: { type: 'string', default: '' },
      },
    });
  } catch (error) {
    return refuse((error as Error).message);
  }
})();
const count = (name: 'alive' | 'remembered' | 'steps' | 'rounds' | 'seconds' | 'programs'): number | undefined => {
  const text = flags[name];
  if (text === undefined) return undefined;
  return /^[1-9]\d*$/.test(text) ? Number(text) : refuse(`--${name}: expected a positive whole number, got ${text}`);
};

const onStack =
  (suite: Suite): Suite =>
  async (home, say, judge) => {
    const up = await home.evolve(['up']);
    if (up.code !== 0) throw new Error(`evolve up failed:\n${up.stdout}${up.stderr}`);
    return suite(home, say, judge);
  };
const populationFlags = {
  full: flags.full,
  openevolve: flags.openevolve,
  alive: count('alive'),
  remembered: count('remembered'),
  steps: count('steps')!,
};
/** It needs a database and nothing else. */
const population: Suite = (home, say, judge) => benchPopulation(home, say, judge, populationFlags);
/** It needs a Docker engine and nothing else. */
const sandbox: Suite = (home, say, judge) =>
  benchSandbox(home, say, judge, { rounds: count('rounds')!, seconds: count('seconds')! });
/** The cost of orchestration alone, and the whole path beside OpenEvolve. */
const engine: Suite = async (home, say, judge) => ({
  ...((await benchEngine(home, say, judge)) as object),
  ...((await benchWholePath(home, say, judge, { openevolve: flags.openevolve })) as object),
});
const page: Suite = (home, say, judge) => benchPage(home, say, judge, { programs: count('programs')! });
/** Its suites have homes of their own. */
const operations: Suite = (_, say, judge) =>
  benchOperations(testHome, say, judge, {
    only: flags.only.split(',').filter((name) => name !== ''),
    full: flags.full,
  });
const suites: Readonly<Record<string, Suite>> = {
  memory: onStack(benchMemory),
  engine: onStack(engine),
  population,
  sandbox,
  page: onStack(page),
  operations,
};
const unknown = wanted.filter((name) => !(name in suites));
if (unknown.length > 0) refuse(`unknown bench ${unknown.join(', ')}: expected ${Object.keys(suites).join(', ')}`);

const conditions = conditionsNow();
const say: Say = (line) => {
  (flags.json ? process.stderr : process.stdout).write(`${line}\n`);
};
say(
  `conditions: ${conditions.cpu}, ${conditions.cores} cores, a fixed loop ${conditions.cpuLoopMs} ms, ${conditions.memoryGb} GB, Node ${conditions.node}, commit ${conditions.commit}; load ${conditions.load.join(' ')}`,
);
const results: Record<string, unknown> = { conditions };
let afterOurs = false;
for (const [name, suite] of Object.entries(suites)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const load = Number((await loadOfOthers(afterOurs)).toFixed(2));
  const { judge, verdicts } = createJudge(load);
  say(`\n${name}`);
  if (load > MOST_LOAD)
    say(
      `  others load this machine (${load} at the start): no figure will be called good or bad; measure again when it is quiet`,
    );
  // The page is measured where it is what a bench is about; elsewhere it is not there.
  const home = testHome(`bench-${name}`, name === 'page' ? { EVOLVE_PAGE: 'on' } : {});
  try {
    const measured = (await suite(home, say, judge)) as object;
    const loadAfter = loads();
    say(`  load of others before: ${load}; load after, this bench included: ${loadAfter.join(' ')}`);
    results[name] = { ...measured, loadOfOthers: load, loadAfter, verdicts };
  } finally {
    await home.remove();
  }
  afterOurs = true;
}
if (flags.json) console.log(JSON.stringify(results, null, 2));
