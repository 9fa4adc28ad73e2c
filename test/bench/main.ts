// `npm run bench [-- engine|latency|recovery|memory] [--json]`: what the engine itself costs, measured on real parts.
import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { benchEngine } from './engine.ts';
import { benchLatency } from './latency.ts';
import { benchMemory } from './memory.ts';
import { benchRecovery } from './recovery.ts';
import { testHome } from '../support/home.ts';

const args = process.argv.slice(2);
const json = args.includes('--json');
const wanted = args.filter((arg) => !arg.startsWith('--'));
const suites = { memory: benchMemory, engine: benchEngine, latency: benchLatency, recovery: benchRecovery };
const unknown = wanted.filter((name) => !(name in suites));
if (unknown.length > 0) {
  console.error(`unknown bench ${unknown.join(', ')}: expected ${Object.keys(suites).join(', ')}`);
  process.exit(2);
}

const conditions = {
  cores: availableParallelism(), cpu: cpus()[0]?.model ?? 'unknown', memoryGb: Math.round(totalmem() / 2 ** 30), node: process.version,
  commit: execFileSync('git', ['rev-parse', '--short', 'HEAD']).toString().trim(), loadBefore: loadavg()[0],
};
const say = (line: string): void => { (json ? process.stderr : process.stdout).write(`${line}\n`); };
say(`conditions: ${JSON.stringify(conditions)}`);
const results: Record<string, unknown> = { conditions };
for (const [name, suite] of Object.entries(suites)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const home = testHome(`bench-${name}`);
  try {
    say(`\n${name}`);
    const up = await home.evolve(['up']);
    if (up.code !== 0) throw new Error(`evolve up failed:\n${up.stdout}${up.stderr}`);
    results[name] = await suite(home, say);
  } finally {
    await home.remove();
  }
}
if (json) console.log(JSON.stringify(results, null, 2));
