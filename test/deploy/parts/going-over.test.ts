// What `evolve up` waits for and says at the end of an upgrade, on a Temporal server made up.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { packageVersion, resolveHome } from '../../../deploy/host/home.ts';
import { keepVersion } from '../../../deploy/versions/kept-versions.ts';
import { whenAtWork } from '../../../deploy/stack/going-over.ts';
import { grpcServer } from '../../support/engine/grpc-server.ts';
import { deploymentAnswer, type PlayedVersions, releaseAnswer } from '../../support/engine/played-versions.ts';

type Played = Omit<PlayedVersions, 'builds'>;
type Given = {
  /** The versions at each question, the last one from then on. */
  readonly stand: readonly Played[];
  readonly release?: string;
  /** The builds that this home has worked with. */
  readonly kept?: readonly string[];
};

const goingOver = async ({ stand, release = packageVersion(), kept = ['ours', 'before'] }: Given) => {
  const root = mkdtempSync(join(tmpdir(), 'evolve-going-over-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const home = resolveHome({ EVOLVE_HOME: root, EVOLVE_PARTS: root });
  mkdirSync(join(root, 'bundles'));
  const bundleOf = (build: string): string => join(root, 'bundles', `${build}.js`);
  for (const build of kept) {
    writeFileSync(bundleOf(build), '');
    keepVersion(root, bundleOf(build));
  }
  let question = -1;
  const server = await grpcServer((method) => {
    if (method === 'DescribeWorkerDeploymentVersion') return { code: 0, body: releaseAnswer(release, 1) };
    if (method !== 'DescribeWorkerDeployment') return null;
    question += 1;
    const at = stand[Math.min(question, stand.length - 1)];
    const NOT_FOUND = 5;
    return at === undefined
      ? { code: NOT_FOUND }
      : { code: 0, body: deploymentAnswer({ builds: ['ours', 'before'], ...at }) };
  });
  const said: string[] = [];
  const temporal = { address: server.address, namespace: 'default', ui: null, external: false };
  await whenAtWork({ home, temporal, bundle: bundleOf('ours'), say: (_part, line) => said.push(line), env: {} });
  return { said, asked: server.asked.filter((method) => method === 'DescribeWorkerDeployment').length };
};

test('it waits until the new version is the current one and all queues know it', async () => {
  const stand = [
    { current: 'before', routed: true },
    { current: 'ours', routed: false },
    { current: 'ours', routed: true },
  ];
  expect(await goingOver({ stand })).toEqual({
    said: ['version ours is at work: what is open goes over to it before its next step'],
    asked: 3,
  });
});

test('it does not wait for a version that gives way to a newer release', async () => {
  const { said } = await goingOver({ stand: [{ current: 'before', routed: true }], release: '999.0.0' });
  expect(said).toEqual([
    'version before (release 999.0.0) is newer than version ours here, and new runs begin with it',
  ]);
});

test('where no other version has worked it asks nobody, and where none is known it says nothing', async () => {
  expect(await goingOver({ stand: [], kept: ['ours'] })).toEqual({ said: [], asked: 0 });
  expect(await goingOver({ stand: [] })).toEqual({ said: [], asked: 1 });
});
