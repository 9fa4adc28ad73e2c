// Versions that somebody else made in the namespace, and set as the current one: ours takes its place again, and their
// names change no query.
// Attempts: messages and the terminal.
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { expect, test } from 'vitest';
import { makeCurrent, readRelease, readVersions } from '../../../deploy/versions/versions.ts';

type Asked = Parameters<typeof makeCurrent>[0];
const OURS = { build: 'abc123', release: '0.8.0', sinceMs: 5 };

/** A server with these builds, the last of which is the current one, and what it keeps of that. */
const server = (builds: readonly string[], entries: Readonly<Record<string, Payload>> = {}) => {
  const set: unknown[] = [];
  const client = {
    options: { namespace: 'default' },
    workflowService: {
      describeWorkerDeployment: async () => ({
        conflictToken: new Uint8Array(),
        workerDeploymentInfo: {
          routingConfig: { currentDeploymentVersion: { buildId: builds.at(-1) } },
          versionSummaries: builds.map((buildId) => ({ deploymentVersion: { buildId } })),
        },
      }),
      describeWorkerDeploymentVersion: async () => ({ workerDeploymentVersionInfo: { metadata: { entries } } }),
      updateWorkerDeploymentVersionMetadata: async () => undefined,
      setWorkerDeploymentCurrentVersion: async ({ buildId }: { buildId: string }) => set.push(buildId),
    },
  } as unknown as Asked;
  return { client, set };
};
const payload = (value: unknown): Payload => defaultPayloadConverter.toPayload(value)!;

test.each(['x" OR ExecutionStatus = "Running', '../../etc', 'a b', '', 'x'.repeat(300)])(
  'a build that is called %j is none of ours, and ours takes its place',
  async (foreign) => {
    const { client, set } = server(['abc123', foreign]);
    expect((await readVersions(client)).map(({ build }) => build)).toEqual(['abc123']);
    expect(await makeCurrent(client, OURS)).toEqual({ kind: 'current', changed: true });
    expect(set).toEqual(['abc123']);
  },
);

test.each<[string, Readonly<Record<string, Payload>>]>([
  ['nothing', {}],
  ['numbers for words', { release: payload(99), since: payload('soon') }],
  ['no JSON', { release: { ...payload('9.9.9'), data: Buffer.from('{') }, since: payload(9) }],
  ['another encoding', { release: { metadata: { encoding: Buffer.from('x') } }, since: payload(9) }],
])('of a current version of which %s is said, nothing is known, and ours takes its place', async (_what, entries) => {
  const { client, set } = server(['abc123', 'def456'], entries);
  expect(await readRelease(client, 'def456')).toBeNull();
  expect(await makeCurrent(client, OURS)).toEqual({ kind: 'current', changed: true });
  expect(set).toEqual(['abc123']);
});

test('a newer release keeps its place', async () => {
  const { client, set } = server(['abc123', 'def456'], { release: payload('0.9.0'), since: payload(1) });
  expect(await makeCurrent(client, OURS)).toMatchObject({ kind: 'older', than: { release: '0.9.0' } });
  expect(set).toEqual([]);
});
