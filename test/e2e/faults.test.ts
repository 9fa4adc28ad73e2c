// Faults of the world around a run: it parks or waits, says why, loses nothing and goes on; odd answers never stop it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startModel, testHome, until, type TestHome } from '../support/home.ts';

const SIZE = ['--seed', '5', '--steps', '2', '--batch', '2', '--responses', '3'];

const messages = (error: unknown): string =>
  error instanceof Error ? `${error.message} ${messages(error.cause)}` : '';

describe('faults', () => {
  let home: TestHome;
  beforeAll(async () => {
    home = testHome('faults');
    const up = await home.evolve(['up']);
    expect(up.code, up.stdout + up.stderr).toBe(0);
  });
  afterAll(() => home.remove());

  const ended = (run: string) =>
    until(`${run} to end`, 120_000, async () => {
      const status = await home.json(['status', run]);
      return ['finished', 'stopped'].includes(status.state) ? status : null;
    });

  it('a refused key is an error before the run exists; a key that is revoked later parks the run, and a retry finishes it', async () => {
    const refusing = await startModel('--fail-auth', 'always');
    const { port } = new URL(refusing.url);
    const env = { OPENAI_API_KEY: 'key-1', OPENAI_BASE_URL: refusing.url, EVOLVE_MODEL: 'offline-gp' };
    const refused = await home.evolve(['run', '--run', 'early', ...SIZE], env);
    expect(refused.code).toBeGreaterThan(0);
    expect(refused.stderr).toContain('OPENAI_API_KEY');
    expect((await home.json(['list'])).map((one: { run: string }) => one.run)).not.toContain('early');
    await refusing.stop();

    const accepting = await startModel('--port', port, '--latency-ms', '1500');
    expect((await home.evolve(['run', '--run', 'revoked', ...SIZE, '--steps', '3', '--detach'], env)).code).toBe(0);
    await accepting.stop();
    const revoked = await startModel('--port', port, '--fail-auth', 'always');
    const parked = await until('the run to need attention', 90_000, async () => {
      const status = await home.json(['status', 'revoked']);
      return status.state === 'needs attention' ? status : null;
    });
    expect(parked.stopReason).toMatch(/401/);
    expect((await home.evolve(['list'])).stdout).toContain('needs attention');
    await revoked.stop();

    const restored = await startModel('--port', port);
    try {
      expect((await home.evolve(['retry', 'revoked'], { ...env, OPENAI_API_KEY: 'key-2' })).code).toBe(0);
      expect(await ended('revoked')).toMatchObject({ state: 'finished', programs: 18 });
      const programs = await home.programs('revoked');
      expect(new Set(programs.map((program) => program.id)).size).toBe(18);
    } finally {
      await restored.stop();
    }
  });

  it('429s, 500s, cut connections and broken bodies are tried again; odd answers are scored by the early checks', async () => {
    const model = await startModel(
      '--rate-429',
      '0.1',
      '--rate-500',
      '0.1',
      '--rate-cut',
      '0.1',
      '--rate-malformed',
      '0.1',
      '--rate-garbage',
      '0.2',
      '--rate-empty',
      '0.1',
    );
    try {
      const result = await home.evolve([
        'run',
        '--run',
        'odd',
        ...SIZE,
        '--batch',
        '4',
        '--responses',
        '4',
        '--base-url',
        model.url,
        '--model',
        'offline-gp',
      ]);
      expect(result.code, result.stdout + result.stderr).toBe(0);
      const status = await home.json(['status', 'odd']);
      expect(status).toMatchObject({ state: 'finished', programs: 32 });
      const programs = await home.programs('odd');
      expect(new Set(programs.map((program) => program.id)).size).toBe(32);
    } finally {
      await model.stop();
    }
  });

  it('an endpoint that has no native n is asked one by one, and gives the same programs', async () => {
    const single = await startModel('--no-native-n');
    const native = await startModel();
    try {
      for (const [run, url] of [
        ['single', single.url],
        ['native', native.url],
      ] as const) {
        const result = await home.evolve(['run', '--run', run, ...SIZE, '--base-url', url, '--model', 'offline-gp']);
        expect(result.code, result.stdout + result.stderr).toBe(0);
      }
      const codes = async (run: string) =>
        (await home.programs(run, '--code')).map(({ step, slot, outcome, score, code }) => ({
          step,
          slot,
          outcome,
          score,
          code,
        }));
      expect(await codes('single')).toEqual(await codes('native'));
    } finally {
      await single.stop();
      await native.stop();
    }
  });

  it('pause now, resume, stop: nothing is lost, nothing is made twice', async () => {
    expect(
      (await home.evolve(['run', '--run', 'steered', ...SIZE, '--batch', '4', '--responses', '4', '--detach'])).code,
    ).toBe(0);
    await until('the first programs', 60_000, async () => (await home.json(['status', 'steered'])).steps >= 0);
    expect((await home.evolve(['pause', 'steered', '--now', '--reason', 'a test'])).code).toBe(0);
    await until('the pause', 60_000, async () => (await home.json(['status', 'steered'])).state === 'paused');
    expect((await home.evolve(['resume', 'steered'])).code).toBe(0);
    expect(await ended('steered')).toMatchObject({ state: 'finished', programs: 32 });
    expect(new Set((await home.programs('steered')).map((program) => program.id)).size).toBe(32);
  });

  it('messages that make no sense are refused with the key, and change nothing', async () => {
    expect((await home.evolve(['run', '--run', 'typed', ...SIZE, '--detach'])).code).toBe(0);
    const { Client, Connection } = await import('@temporalio/client');
    const connection = await Connection.connect({ address: home.up().temporal.address });
    try {
      const handle = new Client({ connection }).workflow.getHandle('run/typed');
      await expect(handle.executeUpdate('extend', { args: [{ stepz: 3 }] })).rejects.toSatisfy((error: Error) =>
        messages(error).includes('unknown key "stepz"'),
      );
      await expect(handle.executeUpdate('extend', { args: [{ steps: -1 }] })).rejects.toSatisfy((error: Error) =>
        messages(error).includes('positive'),
      );
      expect(await handle.executeUpdate('extend', { args: [{ steps: 1, add: true }] })).toMatchObject({ steps: 3 });
    } finally {
      await connection.close();
    }
    expect(await ended('typed')).toMatchObject({ state: 'finished', steps: 3, programs: 18 });
  });
});
