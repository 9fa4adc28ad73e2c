// An endpoint that refuses the key, one that is gone, and a Docker engine that is stopped, for a time each: the
// runs say why and finish without a command. Then the limits that end a run: on tokens, on cost, on programs without
// improvement.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { paidSoFar } from '../../../activities/store/steps/paid.ts';
import { ensureDockerEngine } from '../../../deploy/parts/docker/docker-engine.ts';
import { addUser, defaultRegister, releaseUser } from '../../../deploy/parts/docker/shared-dockerd.ts';
import type { Endpoint } from '../../support/models/endpoint.ts';
import { PARTS } from '../../support/machine/home.ts';
import { allDifferent, endpointFor, liveHome } from '../../support/machine/live.ts';
import { startSocketProxy, type SocketProxy } from '../../support/machine/socket-proxy.ts';
import { FULL } from '../../support/sizes.ts';
import { expectWhole } from '../../support/machine/whole.ts';

/** In between it lasts until all runs have said why they stand still. */
const OUTAGE_MS = FULL ? 60_000 : 0;
const PARKING_MS = 120_000;
const USER = `outages-${process.pid}`;

describe('outages and budgets', () => {
  /** Null: no engine on this machine, and no right to start one. */
  let docker: SocketProxy | null = null;
  // The last of all to go: `down` removes containers through it.
  afterAll(async () => {
    await docker?.close();
    if (docker) rmSync(dirname(docker.path), { recursive: true, force: true });
    await releaseUser(defaultRegister(), USER);
  });
  const live = liveHome('outages', async () => {
    await addUser(defaultRegister(), USER, PARTS);
    const { host } = await ensureDockerEngine(() => undefined, { ...process.env, DOCKER_HOST: undefined });
    if (host === null) {
      console.warn('outages: no Docker engine on this machine, its outage is not tested');
      return {};
    }
    docker = await startSocketProxy(
      join(mkdtempSync(join(tmpdir(), 'evolve-docker-')), 'docker.sock'),
      host.replace('unix://', ''),
    );
    return { DOCKER_HOST: `unix://${docker.path}` };
  });
  const settings = ({ url }: Endpoint) => ({
    seed: 6,
    batch: 2,
    responses: 2,
    limits: { steps: 5 },
    model: { name: 'small', baseUrl: url },
    evaluation: { sandbox: 'noop' as const },
  });
  it('a time without a valid key, without an endpoint, without Docker: the runs say why and finish by themselves', async () => {
    const [revoked, gone, plain] = [
      await endpointFor({ latencyMs: 400 }),
      await endpointFor({ latencyMs: 400 }),
      await endpointFor({ latencyMs: 400 }),
    ];
    const runs = ['revoked', 'gone', ...(docker ? ['no-engine'] : [])];
    const begun = (run: string) =>
      live.engine.seen(run, 'in its second step', ({ committedStep }) => committedStep >= 1);
    if (docker)
      await live.engine
        .start('no-engine', { ...settings(plain), evaluation: { sandbox: 'docker' as const } })
        .then(() => begun('no-engine'));
    await docker?.close();
    await live.engine.start('revoked', settings(revoked));
    await live.engine.start('gone', settings(gone));
    await Promise.all([begun('revoked').then(() => revoked.be('refuses')), begun('gone').then(() => gone.goAway())]);
    const healAtMs = Date.now() + OUTAGE_MS;

    const reasons: readonly (readonly [string, RegExp])[] = [
      ['revoked', /401/],
      ['no-engine', /docker|engine|socket/i],
      // Its requests are tried for a minute before it parks.
      ...(FULL ? [['gone', /cannot be reached/] as const] : []),
    ];
    for (const [run, words] of reasons.filter(([name]) => runs.includes(name))) {
      const parked = await live.engine.seen(
        run,
        'in need of attention',
        ({ status }) => status === 'needs attention',
        PARKING_MS,
      );
      expect(parked.statusReason).toMatch(words);
      expect((await live.home.json(['status', run])).stopReason).toMatch(words);
      expect((await live.home.evolve(['list'])).stdout.split('\n').find((text) => text.includes(run))).toContain(
        'needs attention',
      );
    }
    const diagnosis = await live.home.evolve(['doctor', 'revoked']);
    expect(diagnosis.code).toBe(1);
    expect(diagnosis.stdout).toContain('set OPENAI_API_KEY and run `evolve retry <run>`');
    await sleep(Math.max(0, healAtMs - Date.now()));
    revoked.be('answers');
    await gone.comeBack();
    await docker?.open();

    for (const run of runs) {
      expect(await live.engine.ended(run, 180_000)).toMatchObject({
        status: 'finished',
        stopReason: 'steps',
        statusReason: null,
        committedStep: 5,
      });
      await expectWhole(live.engine.store, run, { steps: 5, perStep: 4 });
    }
    expect(allDifferent(gone)).toBe(true);
  });

  it.each([
    ['tokens', { tokens: 2_000 }, { tokens: 2_600 }],
    ...(FULL ? ([['costUsd', { costUsd: 0.002 }, { costUsd: 0.0026 }]] as const) : []),
  ] as const)(
    'a limit on %s holds to within one response, ends the run by name, and can be extended',
    async (key, limits, more) => {
      // Answers cost from 60 to 140 tokens; at one dollar a thousand responses tokens and cost say the same.
      const endpoint = await endpointFor({
        latencyMs: 20,
        usage: (n) => ({ in: 1, out: n * (60 + 20 * (endpoint.asked.length % 5)) - 1 }),
      });
      const run = `limit-${key.toLowerCase()}`;
      await live.engine.start(run, {
        ...settings(endpoint),
        batch: 4,
        responses: 1,
        limits: limits,
        model: { name: 'small', baseUrl: endpoint.url, price: { in: 1, out: 1 } },
      });
      const ended = await live.engine.ended(run);
      expect(ended).toMatchObject({ status: 'finished', stopReason: key });
      const paid = paidSoFar(ended);
      const largest = 140;
      expect(paid.tokens).toBeLessThanOrEqual(2_000 + largest);
      expect(paid.tokens).toBeGreaterThan(2_000 - 3 * largest);
      expect(paid.costUsd).toBeCloseTo(paid.tokens / 1e6, 9);
      expect(await live.home.json(['status', run])).toMatchObject({ stopReason: key });
      expect(endpoint.asked).toHaveLength(paid.programs);

      await live.must(
        'extend',
        run,
        ...(key === 'tokens'
          ? ['--tokens', String(more['tokens' as never])]
          : ['--cost-usd', String(more['costUsd' as never])]),
      );
      const extended = await live.engine.ended(run);
      expect(extended.stopReason).toBe(key);
      expect(paidSoFar(extended).tokens).toBeGreaterThan(paid.tokens);
      expect(paidSoFar(extended).tokens).toBeLessThanOrEqual(2_600 + largest);
      await live.must('rebuild', run);
    },
  );

  it('a run that does not improve ends, and goes on when it is extended', async () => {
    const endpoint = await endpointFor({});
    const limits = { steps: 40, noImprovementPrograms: 8 };
    await live.engine.start('stale', { ...settings(endpoint), schedule: 'steps', limits });
    const ended = await live.engine.ended('stale');
    expect(ended).toMatchObject({ status: 'finished', stopReason: 'noImprovementPrograms' });
    expect(ended.totals.sinceBest).toBeGreaterThanOrEqual(8);
    expect(ended.totals.sinceBest).toBeLessThan(8 + 4);
    await live.must('extend', 'stale', '--no-improvement-programs', '8', '--add');
    const extended = await live.engine.ended('stale');
    expect(extended.committedStep).toBeGreaterThan(ended.committedStep);
    expect(extended).toMatchObject({
      stopReason: 'noImprovementPrograms',
      config: { limits: { noImprovementPrograms: 16 } },
    });
    expect((await live.home.json(['status', 'stale'])).stopReason).toBe('noImprovementPrograms');
  });
});
