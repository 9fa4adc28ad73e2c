// One outcome for each odd program, whatever confines it (odd-programs.ts). `npm test` runs all of them on the two
// quick levels and a seeded sample of each outcome in single-use containers, `npm run test:full` all everywhere.
// Attempts: programs and scores.
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { drawn } from '../../../../activities/check/cheats.ts';
import type { Sandbox } from '../../../../activities/sandbox/contract/types.ts';
import { createBubblewrapSandbox } from '../../../../activities/sandbox/levels/bubblewrap.ts';
import { createDockerSandbox } from '../../../../activities/sandbox/levels/docker.ts';
import { createForkSandbox } from '../../../../activities/sandbox/levels/fork.ts';
import { ensureRootfs } from '../../../../deploy/images/evaluator/image.ts';
import { noGvisor, startGvisorEngine } from '../../../support/machine/gvisor.ts';
import { FULL } from '../../../support/sizes.ts';
import { dockerHost, imageCache, job, never, requirements, testHome, testImage } from './docker.ts';
import { faultsOf, ODD_PROGRAMS, type OddProgram } from './odd-programs.ts';

const quiet = (): void => undefined;
const inContainers = async (create: typeof createDockerSandbox): Promise<Sandbox> =>
  create({ dockerHost, image: await testImage(), home: testHome(), concurrency: 2, log: quiet });

/** These once had another outcome in single-use containers than elsewhere. */
const ALWAYS = /says done|four children that are waited for/;
const some = [...new Set(ODD_PROGRAMS.map(({ kind }) => kind))].flatMap((kind) =>
  drawn(
    ODD_PROGRAMS.filter((one) => one.kind === kind && !ALWAYS.test(one.name)),
    { count: 1, seed: Number(process.env['EVOLVE_SEED'] ?? 1) },
  ),
);

test('there are programs of every outcome, each with a name of its own', () => {
  expect(ODD_PROGRAMS.length).toBeGreaterThan(100);
  expect(new Set(ODD_PROGRAMS.map(({ name }) => name)).size).toBe(ODD_PROGRAMS.length);
});

test('every odd program has its outcome on the level fork', async () => {
  expect(await faultsOf(await inContainers(createForkSandbox), ODD_PROGRAMS)).toEqual([]);
});

test('odd programs have the same outcomes on the level docker', async () => {
  const programs = FULL ? ODD_PROGRAMS : [...some, ...ODD_PROGRAMS.filter(({ name }) => ALWAYS.test(name))];
  expect(await faultsOf(await inContainers(createDockerSandbox), programs)).toEqual([]);
});

const bubblewrap = ((): boolean => {
  try {
    execFileSync('bwrap', ['--version']);
    return true;
  } catch {
    return false;
  }
})();

test.skipIf(!bubblewrap)('every odd program has the same outcome on the level bubblewrap', async () => {
  const { path, id } = await ensureRootfs({ cacheDir: imageCache, requirements, say: quiet });
  const sandbox = createBubblewrapSandbox({ rootfs: path, imageId: id, home: testHome(), concurrency: 2, log: quiet });
  const devices = ['/dev/zero', '/dev/urandom'].map((device) => [device, statSync(device).mtimeMs]);
  expect(await faultsOf(sandbox, ODD_PROGRAMS)).toEqual([]);
  // They are those of this machine, so nothing that a program does to them may last.
  expect(['/dev/zero', '/dev/urandom'].map((device) => [device, statSync(device).mtimeMs])).toEqual(devices);
});

const noRunsc = await noGvisor();
if (noRunsc !== null) console.warn(`levels: outcomes under gVisor are not tested: ${noRunsc}`);

/** gVisor has device files of its own for each container, and refuses to set their times. */
const elsewhere: Readonly<Record<string, Partial<OddProgram>>> = {
  'times of device files': { kind: 'program_error', solution: undefined },
};

test.skipIf(noRunsc !== null)(
  'odd programs have the same outcomes in containers under gVisor',
  async () => {
    const { close, ...engine } = await startGvisorEngine();
    try {
      const image = await testImage(engine.dockerHost);
      const options = { ...engine, image, home: testHome(), concurrency: 2, log: quiet };
      const programs = (FULL ? ODD_PROGRAMS : some).map((one) => ({ ...one, ...elsewhere[one.name] }));
      expect(await faultsOf(createDockerSandbox(options), programs)).toEqual([]);
      const fork = createForkSandbox(options);
      await expect(fork.run(job('', {}), never())).rejects.toThrow('a container of candidates did not boot');
      await fork.close();
    } finally {
      await close();
    }
  },
  900_000,
);
