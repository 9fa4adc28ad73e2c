// What commands say of messages is so: a run that is said to stop stops, what obeys nobody is terminated, what is not
// open yet is shown, and nobody's workflow disarms the commands.
import { describe, expect, it, onTestFinished } from 'vitest';
import { words } from '../../support/engine/engine.ts';
import { endpointFor, sharedHome } from '../../support/machine/live.ts';
import { FULL } from '../../support/sizes.ts';

describe('commands', () => {
  const live = sharedHome();
  const settings = (url: string, steps: number) => ({
    seed: 5,
    batch: 1,
    responses: 1,
    limits: { steps },
    model: { name: 'small', baseUrl: url },
    population: { islands: 1 },
    evaluation: { sandbox: 'noop' as const },
  });
  const stateOf = async (run: string): Promise<readonly [string, string]> => {
    const { state, stopReason } = await live.home.json(['status', run]);
    return [state, stopReason];
  };
  const wordOf = (run: string) =>
    live.engine.client.workflow.getHandle(`run/${run}`).query<{ paused: boolean; stopping: boolean }>('status');

  it('say that a run pauses and stops when it has confirmed it', async () => {
    const endpoint = await endpointFor({ latencyMs: 60_000 });
    await live.engine.start('obeyed-stop', settings(endpoint.url, 50));
    await live.engine.seen('obeyed-stop', 'its first program', ({ committedStep }) => committedStep >= 0);
    await live.must('pause', 'obeyed-stop');
    expect(await wordOf('obeyed-stop')).toMatchObject({ paused: true });
    await live.must('stop', 'obeyed-stop', '--now', '--reason', 'enough');
    expect(await wordOf('obeyed-stop')).toMatchObject({ stopping: true });
    expect((await live.engine.ended('obeyed-stop')).stopReason).toBe('stopped by a person: enough');
  });

  it('terminate a run that shall not be asked, and show it so; resume goes on', async () => {
    const endpoint = await endpointFor({ latencyMs: 60_000 });
    await live.engine.start('obeyed-end', settings(endpoint.url, 2));
    await live.engine.seen('obeyed-end', 'its first program', ({ committedStep }) => committedStep >= 0);
    expect(await live.home.json(['terminate', 'obeyed-end', '--reason', 'a test'])).toEqual({
      run: 'obeyed-end',
      terminated: 'run/obeyed-end',
      marked: true,
    });
    expect(await stateOf('obeyed-end')).toEqual(['terminated', 'terminated by a person: a test']);
    const again = await live.home.evolve(['terminate', 'obeyed-end']);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('nothing to terminate')]);
    endpoint.setLatency(0);
    await live.must('resume', 'obeyed-end');
    expect(await live.engine.ended('obeyed-end')).toMatchObject({ status: 'finished', committedStep: 2 });
  });

  it('say of a run that was terminated in the Temporal UI that it was, and it rests as one that ended by itself', async () => {
    const endpoint = await endpointFor({ latencyMs: 60_000 });
    await live.engine.start('obeyed-ui', settings(endpoint.url, 2));
    await live.engine.seen('obeyed-ui', 'its first program', ({ committedStep }) => committedStep >= 0);
    await live.engine.client.workflow.getHandle('run/obeyed-ui').terminate('by hand');
    // For a moment the worker that writes down the end is at work in the run's name.
    await expect
      .poll(() => stateOf('obeyed-ui'), { timeout: 60_000, interval: 500 })
      .toEqual(['terminated', expect.stringContaining('terminated')]);
    expect(await live.engine.ended('obeyed-ui')).toMatchObject({
      status: 'terminated',
      stopReason: expect.stringMatching(/^terminated by .*: by hand$/),
    });
    const rested = await live.engine.client.workflow.getHandle('run/obeyed-ui').describe();
    expect([rested.status.name, rested.searchAttributes['EvoStatus']?.[0]]).toEqual(['COMPLETED', 'terminated']);
    expect((await live.home.evolve(['doctor', 'obeyed-ui'])).code).toBe(1);
  });

  it('and the worker refuse the same task in the same words, and then nothing waits', async () => {
    const refused = await live.home.evolve(['run', '--task', 'no-such-task', '--run', 'obeyed-task']);
    const said = await live.engine.client.workflow
      .execute('evolutionRun', {
        workflowId: 'run/obeyed-task',
        taskQueue: 'evolve-workflow',
        args: [{ run: 'obeyed-task', config: { task: 'no-such-task' } }],
      })
      .then(() => 'it was taken', words);
    expect(refused.code).toBe(2);
    expect(said).toContain('there is no task "no-such-task"');
    expect(refused.stderr).toContain(said.slice(said.indexOf('there is no task')).split('\n')[0]);
  });

  // Attempt: messages and the terminal.
  it.runIf(FULL)('a memo that cannot be read disarms no command', async () => {
    const { client } = live.engine;
    const workflowId = 'run/obeyed-memo';
    const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
    await client.workflowService.startWorkflowExecution({
      namespace: live.home.up().temporal.namespace,
      workflowId,
      workflowType: { name: 'evolutionRun' },
      // Nobody works on this queue, so the run is never opened.
      taskQueue: { name: 'obeyed-nobody' },
      requestId: crypto.randomUUID(),
      memo: { fields: { secret: { metadata: { encoding: bytes('binary/encrypted') }, data: bytes('x') } } },
    });
    onTestFinished(async () => {
      await client.workflow
        .getHandle(workflowId)
        .terminate('a test')
        .catch(() => undefined);
    });
    const [state, reason] = await stateOf('obeyed-memo');
    expect([state, reason]).toEqual(['needs attention', 'not open yet: no worker answers']);
    const listed = (await live.home.json(['list'])) as readonly { readonly run: string; readonly state: string }[];
    expect(listed.find(({ run }) => run === 'obeyed-memo')).toMatchObject({ state: 'needs attention' });
    const doctor = await live.home.evolve(['doctor', 'obeyed-memo']);
    expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining('npx evolve terminate obeyed-memo')]);
    await live.must('terminate', 'obeyed-memo');
    expect((await live.home.evolve(['terminate', 'obeyed-memo'])).stderr).toContain('nothing to terminate');
  });
});
