// What commands say after a message: that it is obeyed only where the workflow confirms it, and else what to do.
import { describe, expect, test } from 'vitest';
import { exitCodeOf } from '../../../cli/terminal/exit.ts';
import { confirmed, runHelp } from '../../../client/temporal/confirmed.ts';
import type { Engine } from '../../../client/connect/connection.ts';

const notFound = Object.assign(new Error('workflow not found'), { name: 'WorkflowNotFoundError' });

/** An engine whose workflow gives these answers, one after the other, the last one for ever. */
const engineWith = (...answers: readonly (object | Error)[]): Engine => {
  const left = [...answers];
  const query = async (): Promise<object> => {
    const answer = left.length > 1 ? left.shift()! : left[0]!;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return {
    client: { workflow: { getHandle: () => ({ query }) } },
    connection: { withDeadline: (_: number, work: () => unknown) => work() },
  } as unknown as Engine;
};
const send = (message: 'pause' | 'resume' | 'stop' | 'retry', engine: Engine, patienceMs = 20_000) =>
  confirmed(engine, {
    workflowId: 'run/demo',
    query: 'status',
    message,
    what: 'run demo',
    help: runHelp('demo'),
    patienceMs,
  });
const failure = (work: Promise<void>): Promise<Error> =>
  work.then(
    () => new Error('it was confirmed'),
    (error: Error) => error,
  );

describe('a message is confirmed', () => {
  test.each([
    ['pause', { paused: true }],
    ['resume', { paused: false }],
    ['stop', { stopping: true }],
    ['retry', { refusal: null }],
    // Workflows of earlier versions say none of it.
    ['pause', {}],
    ['stop', { status: 'running' }],
  ] as const)('%s, when the workflow says %j', async (message, word) => {
    await expect(send(message, engineWith(word))).resolves.toBeUndefined();
  });

  test('when its workflow answers at last', async () => {
    const engine = engineWith(new Error('no worker'), { stopping: true });
    await expect(send('stop', engine)).resolves.toBeUndefined();
  });

  test('when its workflow has ended and is forgotten', async () => {
    await expect(send('stop', engineWith(notFound))).resolves.toBeUndefined();
  });
});

describe('a message is not confirmed', () => {
  test('where it was refused: in the words of the workflow, as a wrong command', async () => {
    const refusal = 'stop: "mode" expected "step" or "now", got "noww"';
    const error = await failure(send('stop', engineWith({ stopping: false, refusal })));
    expect(error.message).toBe('run demo refused to stop: "mode" expected "step" or "now", got "noww"');
    expect(exitCodeOf(error)).toBe(2);
  });

  // Attempt: messages and the terminal.
  test('where nobody answers: it is said to be delivered, with what to do, as a missing part', async () => {
    const error = await failure(send('stop', engineWith(new Error('Workflow Task in failed state')), 1));
    expect(error.message).toBe(
      'the message was delivered, but run demo has not confirmed that it will stop (Workflow Task in failed state): ' +
        '`npx evolve doctor demo` says why, `npx evolve terminate demo` ends it without its help',
    );
    expect(exitCodeOf(error)).toBe(3);
  });
});
