// What happens to a program's process from outside is the machine's fault, at every level: the program runs again, in
// the evaluator or, after an InfrastructureError, by the next try of its activity; it is never without a solution.
import { expect, test, vi } from 'vitest';
import { InfrastructureError, type Sandbox } from '../../../../activities/sandbox/contract/types.ts';
import { createEvaluator } from '../../../../activities/sandbox/host/evaluator.ts';
import { connectDocker } from '../../../../activities/sandbox/launchers/docker-connection.ts';
import { loadTask } from '../../../../activities/task/load-task.ts';
import { containersOf, dockerHost, never, quickLimits } from './docker.ts';

const ENDLESS = 'import time\nprint("up", flush=True)\ndef construct(instance):\n    time.sleep(1000)\n';
const SHORT = { ...quickLimits, wallSeconds: 5 };
const score = { valid: true, score: 2, strictScore: 2, metrics: {}, reasons: [] };

/** `ways` act on the process of the program that runs. */
export const fromOutside = (
  level: string,
  ways: { readonly [way: string]: (sandbox: string) => Promise<unknown> },
  make: () => { readonly sandbox: Sandbox; readonly home: string },
): void => {
  test.each(Object.entries(ways))(`${level}: a program whose process is %s runs again`, async (_, act) => {
    const { sandbox, home } = make();
    const task = { ...(await loadTask('circle-packing-square-26')), limits: SHORT };
    let runs = 0;
    let isUp = (): boolean => false;
    const evaluator = createEvaluator({
      task,
      gate: { check: async (codes) => codes.map(() => null), close: async () => undefined },
      scorer: { score: async () => score, judge: vi.fn<() => never>(), close: async () => undefined },
      sandbox: {
        ...{ level: sandbox.level, imageId: '', converse: vi.fn<() => never>(), close: () => sandbox.close() },
        run: (job, signal) => sandbox.run((runs += 1) === 1 ? { ...job, code: ENDLESS } : job, signal),
      },
    });
    const evaluate = () =>
      evaluator.evaluate(
        {
          ...{ key: `outside-${act.name}`, run: 'r', seed: 1, acceptSavedOnTimeout: false, scoring: 'tolerant' },
          code: 'def construct(instance):\n    return {"n": 1}\n',
          onOutput: (tail) => {
            isUp = () => tail().includes('up');
          },
        },
        never(),
      );
    const ended = evaluate().catch((error: unknown) => {
      expect(error).toBeInstanceOf(InfrastructureError);
      return evaluate();
    });
    await vi.waitUntil(() => isUp(), { timeout: 120_000 });
    await act(home);
    expect(await ended).toMatchObject({ outcome: 'valid', reasons: [] });
    expect(runs).toBe(2);
  });
};

export const all =
  (act: (container: ReturnType<ReturnType<typeof connectDocker>['getContainer']>) => Promise<unknown>) =>
  async (home: string): Promise<unknown> =>
    Promise.all((await containersOf(home)).map((id) => act(connectDocker(dockerHost).getContainer(id))));

export const CONTAINER_WAYS = {
  killed: all((container) => container.kill()),
  ended: all((container) => container.stop({ t: 5 })),
  paused: all((container) => container.pause()),
  removed: all((container) => container.remove({ force: true })),
};
