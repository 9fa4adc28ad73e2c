// What every sandbox promises, as one table of tests run against each implementation (docker.test.ts, fake.test.ts,
// bubblewrap.test.ts).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox, SandboxJob } from '../../../../activities/sandbox/contract/types.ts';
import { job, never, quickLimits } from './docker.ts';

/** Programs of the contract by name, so that a fake can answer for them. */
export const PROGRAMS = {
  solution:
    'def construct(instance):\n    print("not counted")\n    return {"circles": [[instance["n"], instance["seed"], 0.5]]}\n',
  numpy:
    'import numpy as np\ndef construct(instance):\n    return {"heights": np.arange(3) / 2, "n": np.int64(3), "ok": np.bool_(True)}\n',
  crash: 'def construct(instance):\n    raise ValueError("expected more")\n',
  nothing: 'import sys\ndef construct(instance):\n    sys.exit(0)\n',
  nan: 'def construct(instance):\n    return {"r": float("nan")}\n',
  checkpoint:
    'def construct(instance):\n    checkpoint({"step": 1})\n    checkpoint({"step": 2})\n    while True:\n        pass\n',
  busy: 'import time\ndef work():\n    end = time.process_time() + 0.8\n    while time.process_time() < end:\n        pass\ndef construct(instance):\n    work()\n    checkpoint([1])\n    return {"ok": True}\n',
  endless: 'import time\ndef construct(instance):\n    time.sleep(1000)\n',
} as const;

const slow = { ...quickLimits, cpuSeconds: 1, wallSeconds: 60 };
const short = { ...quickLimits, wallSeconds: 2 };

export const sandboxContract = (name: string, make: () => Promise<Sandbox>): void => {
  describe(`contract of ${name}`, () => {
    let sandbox: Sandbox;
    const run = (code: string, more: Partial<SandboxJob> = {}): ReturnType<Sandbox['run']> =>
      sandbox.run(job(code, more), never());
    beforeAll(async () => {
      sandbox = await make();
    });
    afterAll(async () => {
      await sandbox.close();
    });

    test('hands over the solution as plain data and says where it ran', async () => {
      const execution = await run(PROGRAMS.solution);
      expect(execution).toMatchObject({
        kind: 'ok',
        solution: { circles: [[26, 7, 0.5]] },
        exitCode: 0,
        isolation: sandbox.level,
        imageId: sandbox.imageId,
      });
    });
    test('turns numpy arrays and scalars into lists and numbers', async () => {
      // Read from its text, in which a float stays one for the evaluator: 1.0 is not 1.
      const { solution } = await run(PROGRAMS.numpy);
      expect(JSON.parse(JSON.stringify(solution))).toEqual({ heights: [0, 0.5, 1], n: 3, ok: true });
    });
    test('says where the time went, and what was saved', async () => {
      const { profile, saves } = await run(PROGRAMS.busy);
      expect(profile!.functions[0]).toMatchObject({ name: 'work' });
      expect(profile!.functions[0]!.percent).toBeGreaterThan(50);
      expect(saves).toMatchObject({ count: 1, kept: [{ seconds: expect.any(Number), solution: [1] }] });
    });
    test('a crash is a result, with its last words', async () => {
      const execution = await run(PROGRAMS.crash);
      expect(execution).toMatchObject({ kind: 'program_error', solution: undefined, exitCode: 1 });
      expect(execution.stderrTail).toContain('ValueError: expected more');
    });
    test('a good end without a solution is invalid output', async () => {
      expect(await run(PROGRAMS.nothing)).toMatchObject({ kind: 'invalid_output', exitCode: 0, solution: undefined });
    });
    test('numbers that are not finite are refused', async () => {
      const execution = await run(PROGRAMS.nan);
      expect(execution.kind).toBe('invalid_output');
      expect(execution.stderrTail).toContain('expected finite numbers');
    });
    test('the last checkpoint counts after a timeout only when that is asked for', async () => {
      expect(await run(PROGRAMS.checkpoint, { limits: slow, acceptSavedOnTimeout: true })).toMatchObject({
        kind: 'timeout_cpu',
        solution: { step: 2 },
      });
      expect((await run(PROGRAMS.checkpoint, { limits: slow })).solution).toBeUndefined();
    });
    test('the wall clock ends a sleeping program', async () => {
      expect((await run(PROGRAMS.endless, { limits: short })).kind).toBe('timeout_wall');
    });
    test('an abort ends the run with its reason, and the next run is unaffected', async () => {
      const controller = new AbortController();
      const running = sandbox.run(job(PROGRAMS.endless), controller.signal);
      setTimeout(() => controller.abort(new Error('cancelled by the caller')), 300);
      await expect(running).rejects.toThrow('cancelled by the caller');
      expect((await run(PROGRAMS.solution)).kind).toBe('ok');
    });
    test('a signal that is aborted already starts nothing', async () => {
      await expect(sandbox.run(job(PROGRAMS.solution), AbortSignal.abort(new Error('too late')))).rejects.toThrow(
        'too late',
      );
    });
  });
};
