// Connections of commands to a server made up: what ends with them, and which server they ask.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openEngine } from '../../../client/connect/connection.ts';
import { upElsewhere } from '../../../client/connect/elsewhere.ts';
import { createSource } from '../../../client/runs/watch-source.ts';
import { writeJsonAtomically } from '../../../deploy/host/files.ts';
import type { Home } from '../../../deploy/host/home.ts';
import { diagnose } from '../../../deploy/stack/diagnose.ts';
import { temporalOptions } from '../../../deploy/servers/external-servers.ts';
import type { UpInfo } from '../../../deploy/supervisor/plan.ts';
import { eventually, scratchHome } from '../../deploy/scratch.ts';
import { upInfo } from '../../deploy/up-info.ts';
import { grpcServer } from '../../support/engine/grpc-server.ts';

const UNAVAILABLE = 14;

/** A home whose up.json names that server. */
const placeWith = (temporal: Partial<UpInfo['temporal']>, env: NodeJS.ProcessEnv = {}) => {
  const home = scratchHome();
  writeJsonAtomically(
    home.upFile,
    upInfo(home.root, {
      temporal: { address: '127.0.0.1:1', namespace: 'default', ui: null, external: false, ...temporal },
    }),
  );
  return { home, env };
};

/** Errors that nobody caught: each would end a command in a stack. */
const uncaught = (): readonly unknown[] => {
  const seen: unknown[] = [];
  const keep = (error: unknown): void => {
    seen.push(error);
  };
  process.on('uncaughtException', keep);
  onTestFinished(() => {
    process.off('uncaughtException', keep);
  });
  return seen;
};

describe('a connection that is closed while something is asked', () => {
  test('ends quietly: a call that was to be tried again is given up', async () => {
    const server = await grpcServer((method) =>
      method === 'DescribeWorkflowExecution' ? { code: UNAVAILABLE, message: 'busy' } : null,
    );
    const place = placeWith({ address: server.address });
    const errors = uncaught();
    const source = createSource('demo', {
      store: () => Promise.reject(new Error('no database')),
      engine: () => openEngine(place),
    });
    await source.facts();
    await eventually('the question', () => server.asked.includes('DescribeWorkflowExecution'));
    await source.close();
    // The client's pauses between its attempts are a quarter of a second at first, at most.
    await sleep(600);
    expect(errors).toEqual([]);
  });

  test('gives up the question that a slow server has not answered yet', async () => {
    const server = await grpcServer((method) =>
      method === 'DescribeWorkflowExecution' ? { code: UNAVAILABLE, afterMs: 600_000 } : null,
    );
    const place = placeWith({ address: server.address });
    const source = createSource('demo', {
      store: () => Promise.reject(new Error('no database')),
      engine: () => openEngine(place),
    });
    await source.facts();
    await eventually('the question', () => server.asked.includes('DescribeWorkflowExecution'));
    await source.close();
    await eventually('its end', () => server.givenUp.includes('DescribeWorkflowExecution'));
  });
});

describe("a server of the user's own", () => {
  const { HOME: home = '/' } = process.env;
  const startedWith = (root: Home, env: Record<string, string>): void =>
    writeJsonAtomically(root.planFile, { children: [{ name: 'worker', env: { HOME: home, ...env } }] });

  test.each([
    ['none', {}],
    ['another server', { TEMPORAL_ADDRESS: '127.0.0.1:1' }],
    ['a profile that is not there', { TEMPORAL_PROFILE: 'nobody', TEMPORAL_CONFIG_FILE: '/nowhere' }],
  ])('is found where the stack was started with it and this shell names %s', async (_, settings) => {
    const server = await grpcServer();
    const place = placeWith(
      { address: server.address, external: true, namespace: 'mine' },
      { HOME: home, ...settings },
    );
    const engine = await openEngine(place);
    onTestFinished(() => engine.close());
    expect(engine.namespace).toBe('mine');
    expect(server.asked).toContain('GetSystemInfo');
  });

  test('is reached with the key that the stack was started with; a newer one of this shell counts, one for another server does not', async () => {
    const { home: root } = placeWith({});
    const temporal = { address: 'cloud:7233', namespace: 'mine', ui: null, external: true };
    const keyFrom = async (env: NodeJS.ProcessEnv) =>
      (await temporalOptions(root, temporal, { HOME: home, ...env })).apiKey;
    expect(await keyFrom({})).toBeUndefined();
    startedWith(root, { TEMPORAL_ADDRESS: 'cloud:7233', TEMPORAL_API_KEY: 'of the stack' });
    expect(await keyFrom({})).toBe('of the stack');
    expect(await keyFrom({ TEMPORAL_ADDRESS: 'cloud:7233', TEMPORAL_API_KEY: 'newer' })).toBe('newer');
    expect(await keyFrom({ TEMPORAL_ADDRESS: 'other:7233', TEMPORAL_API_KEY: 'of another' })).toBe('of the stack');
  });

  test('that is gone is named by the address that the stack was started with', async () => {
    const place = placeWith({ address: '127.0.0.1:1', external: true }, { HOME: home });
    const diagnosed = diagnose(place.home);
    await expect(openEngine(place)).rejects.toThrow(
      /Temporal server at 127\.0\.0\.1:1 does not answer .*TEMPORAL_ADDRESS/,
    );
    const [finding] = (await diagnosed).filter(({ part }) => part === 'Temporal');
    expect(finding).toMatchObject({ ok: false, detail: expect.stringContaining('at 127.0.0.1:1 cannot be reached') });
  });

  test('is well for `doctor` in a shell that names none', async () => {
    const server = await grpcServer();
    const { home: root } = placeWith({ address: server.address, external: true });
    const [finding] = (await diagnose(root)).filter(({ part }) => part === 'Temporal');
    expect(finding).toMatchObject({ ok: true, detail: `external server at ${server.address}` });
  });
});

test('a server that takes connections and answers late is waited for; watching opens the database once meanwhile', async () => {
  const server = await grpcServer((method) => (method === 'GetSystemInfo' ? { code: 0, afterMs: 6_000 } : null));
  const late = openEngine(placeWith({ address: server.address }));
  let opened = 0;
  const source = createSource('demo', {
    store: () => {
      opened += 1;
      return new Promise(() => undefined);
    },
    engine: () => Promise.reject(new Error('no engine')),
  });
  const facts = [source.facts(), source.facts()];
  expect(opened).toBe(1);
  await source.close();
  for (const { run, waitingFor } of await Promise.all(facts)) expect([run, waitingFor]).toEqual([null, 'the database']);
  await (await late).close();
});

describe('servers that are up elsewhere', () => {
  const empty = { root: '/nowhere', upFile: '/nowhere/up.json' } as Home;
  const MONGODB_URI = 'mongodb://db.lab:27017/';

  test('are found by a profile alone', () => {
    const file = join(scratchHome().root, 'temporal.toml');
    writeFileSync(file, '[profile.lab]\naddress = "temporal.lab:7233"\nnamespace = "search"\n');
    const env = { MONGODB_URI, TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: 'lab' };
    expect(upElsewhere(empty, env)).toMatchObject({
      temporal: { address: 'temporal.lab:7233', namespace: 'search', external: true },
      database: { uri: MONGODB_URI },
    });
    // What is named beside it counts more.
    expect(upElsewhere(empty, { ...env, TEMPORAL_NAMESPACE: 'other' })?.temporal.namespace).toBe('other');
    expect(upElsewhere(empty, { TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: 'lab' })).toBeNull();
  });

  test('a profile that is not there is told', () => {
    const env = { MONGODB_URI, TEMPORAL_CONFIG_FILE: '/dev/null', TEMPORAL_PROFILE: 'lab' };
    expect(() => upElsewhere(empty, { ...env, TEMPORAL_CONFIG_FILE: '/nowhere/temporal.toml' })).toThrow(
      /the Temporal settings cannot be read: .*lab/,
    );
  });
});
