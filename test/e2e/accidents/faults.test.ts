// Faults of the model's endpoint: a run parks or waits, says why, loses nothing and goes on; odd answers never stop it.
import { describe, expect, it } from 'vitest';
import { startModel } from '../../support/machine/home.ts';
import { sharedHome } from '../../support/machine/live.ts';
import { FULL } from '../../support/sizes.ts';

const SIZE = ['--seed', '5', '--steps', '2', '--batch', '2', '--responses', '3'];

describe('faults', () => {
  const live = sharedHome();

  const ended = async (run: string) => {
    await live.engine.ended(run);
    return live.home.json(['status', run]);
  };

  it('a refused key is an error before the run exists; a key that is revoked later parks the run, and a retry finishes it', async () => {
    const refusing = await startModel('--fail-auth', 'always');
    const { port } = new URL(refusing.url);
    const env = { OPENAI_API_KEY: 'key-1', OPENAI_BASE_URL: refusing.url, EVOLVE_MODEL: 'offline-gp' };
    const refused = await live.home.evolve(['run', '--run', 'early', ...SIZE], env);
    expect(refused.code).toBeGreaterThan(0);
    expect(refused.stderr).toContain('OPENAI_API_KEY');
    expect((await live.home.json(['list'])).map((one: { run: string }) => one.run)).not.toContain('early');
    await refusing.stop();

    const accepting = await startModel('--port', port, '--latency-ms', '1500');
    expect((await live.home.evolve(['run', '--run', 'revoked', ...SIZE, '--steps', '3', '--detach'], env)).code).toBe(
      0,
    );
    await accepting.stop();
    const revoked = await startModel('--port', port, '--fail-auth', 'always');
    await live.engine.seen('revoked', 'in need of attention', ({ status }) => status === 'needs attention');
    const parked = await live.home.json(['status', 'revoked']);
    expect(parked.state).toBe('needs attention');
    expect(parked.stopReason).toMatch(/401/);
    expect((await live.home.evolve(['list'])).stdout).toContain('needs attention');
    await revoked.stop();

    const restored = await startModel('--port', port);
    try {
      expect((await live.home.evolve(['retry', 'revoked'], { ...env, OPENAI_API_KEY: 'key-2' })).code).toBe(0);
      expect(await ended('revoked')).toMatchObject({ state: 'finished', programs: 18 });
      const programs = await live.home.programs('revoked');
      expect(new Set(programs.map((program) => program.id)).size).toBe(18);
    } finally {
      await restored.stop();
    }
  });

  it('429s, 500s, cut connections and broken bodies are tried again; odd answers are scored by the early checks', async () => {
    // Each answer is a request of its own, so that the faults meet many. This seed lets no request meet three of them: the
    // third one is waited for 90 s.
    const rates = ['429', '500', 'cut', 'malformed', 'empty'].flatMap((fault) => [`--rate-${fault}`, '0.1']);
    const model = await startModel('--no-native-n', ...rates, '--rate-garbage', '0.2', '--fault-seed', '1');
    try {
      const size = [...SIZE, '--responses', '4', '--steps', FULL ? '2' : '1'];
      await live.must('run', '--run', 'odd', ...size, '--base-url', model.url, '--model', 'offline-gp');
      const status = await live.home.json(['status', 'odd']);
      expect(status).toMatchObject({ state: 'finished', programs: FULL ? 16 : 8 });
      const programs = await live.home.programs('odd');
      expect(new Set(programs.map((program) => program.id)).size).toBe(FULL ? 16 : 8);
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
      ] as const)
        await live.must('run', '--run', run, ...SIZE, '--steps', '1', '--base-url', url, '--model', 'offline-gp');
      const codes = async (run: string) =>
        (await live.home.programs(run, '--code')).map(({ step, slot, outcome, score, code }) => ({
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
});
