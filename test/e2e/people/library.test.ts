// The client library from a folder of its own, by the package's name, as a user's program has it: every verb, and
// what is wrong is refused.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { sharedHome } from '../../support/machine/live.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const PROGRAM = `
import { DurableEvolve, ConfigError, UsageError } from 'durable-evolve';
const kind = (error) => error instanceof ConfigError ? 'ConfigError' : error instanceof UsageError ? 'UsageError' : String(error);
const refused = async (work) => work().then(() => 'taken', (error) => kind(error) + ': ' + error.message);
const evolve = await DurableEvolve.connect();
const settings = { batch: 2, responses: 2, seed: 3, limits: { steps: 3 }, population: { islands: 2 }, evaluation: { sandbox: 'noop' }, model: { name: 'offline' } };
const out = {};
out.badSettings = await refused(() => evolve.start({ ...settings, bach: 1 }));
const run = await evolve.start(settings, { run: 'by-library' });
out.first = await run.result();
out.set = await run.set({ diff: { maxCodeChars: 20000 } });
out.badSet = await refused(() => run.set({ population: { islands: 9 } }));
out.hint = await run.hint({ hint: 'try hexagons' });
out.injected = await run.inject({ program: 'import numpy as np\\n', island: 1 });
out.extended = await run.extend({ steps: 4 });
out.second = await run.result();
out.rewound = await run.rewind({ toStep: 3 });
out.third = await run.result();
const fork = await run.fork({ step: 2, run: 'by-library-fork', set: { limits: { steps: 5 } } });
out.fork = await fork.result();
out.rebuilt = [await run.rebuild(), await fork.rebuild()].map(({ differenceCount }) => differenceCount);
out.findings = (await run.diagnose()).map(({ ok }) => ok);
const sweep = await evolve.startSweep({ name: 'by-library-sweep', base: { ...settings, limits: { steps: 1 } }, grid: { 'population.bins': [5, 10] }, seeds: [1], maxParallel: 2 });
out.sweep = (await sweep.result()).runs.map(({ state }) => state);
out.schedule = await evolve.schedules.create({ spec: { name: 'by-library-sweep', base: settings, seeds: [1] }, every: '6h', paused: true });
// Lists of the server follow a moment later.
let listed = [];
for (const endMs = Date.now() + 120000; listed.length === 0 && Date.now() < endMs; )
  listed = (await evolve.schedules.list()).filter(({ id }) => id === out.schedule);
out.schedules = listed.map(({ id, paused }) => [id, paused]);
await evolve.schedules.delete(out.schedule);
out.runs = (await evolve.list()).map(({ run }) => run).filter((run) => run.startsWith('by-library')).sort();
await evolve.close();
console.log(JSON.stringify(out));
`;

describe('the library', () => {
  const live = sharedHome();

  it('does what the commands do', async () => {
    // Outside of the shared home, all files of which other tests read: the link would lead back into it.
    const folder = mkdtempSync(join(tmpdir(), 'evolve-library-'));
    mkdirSync(join(folder, 'node_modules'), { recursive: true });
    symlinkSync(ROOT.replace(/\/$/, ''), join(folder, 'node_modules', 'durable-evolve'));
    writeFileSync(join(folder, 'program.mjs'), PROGRAM);
    const { stdout, stderr } = await new Promise<{ stdout: string; stderr: string }>((done) => {
      execFile(
        join(ROOT, 'node_modules', '.bin', 'node'),
        ['program.mjs'],
        { cwd: folder, env: live.home.env },
        (_error, stdout, stderr) => done({ stdout, stderr }),
      );
    });
    rmSync(folder, { recursive: true });
    expect(stderr).toBe('');
    const out = JSON.parse(stdout);
    expect(out.badSettings).toMatch(/^ConfigError: settings: bach: unknown key/);
    expect(out.first).toMatchObject({
      run: 'by-library',
      state: 'finished',
      stopReason: 'steps',
      steps: 3,
      programs: 12,
    });
    expect(out.set).toEqual({ version: 2, changed: ['diff.maxCodeChars'] });
    expect(out.badSet).toMatch(/^ConfigError: .*population\.islands: cannot change/);
    expect(out.hint).toMatchObject({ version: 3 });
    expect(out.extended).toMatchObject({ opened: true, limits: { steps: 4 } });
    expect(out.second).toMatchObject({ state: 'finished', steps: 4, programs: 17 });
    expect(out.rewound).toMatchObject({ toStep: 3, opened: true });
    expect(out.third).toMatchObject({ state: 'finished', steps: 4, programs: 17, best: out.second.best });
    expect(out.fork).toMatchObject({ run: 'by-library-fork', state: 'finished', steps: 5, programs: 20 });
    expect(out.rebuilt).toEqual([0, 0]);
    expect(out.findings).not.toContain(false);
    expect(out.sweep).toEqual(['finished', 'finished']);
    expect(out.schedules).toEqual([['by-library-sweep', true]]);
    expect(out.runs.filter((run: string) => !run.includes('sweep'))).toEqual(['by-library', 'by-library-fork']);
    expect(out.runs).toHaveLength(4);
  });
});
