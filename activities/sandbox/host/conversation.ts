// Messages to and from a program that answers calls, strictly one at a time. Anything else ends the program.
import type { Confined } from '../contract/confined.ts';
import { encodeFrame, type Frame } from '../contract/frames.ts';
import type { Conversation } from '../contract/types.ts';
import type { CandidateOutput } from './candidate-output.ts';

export type Held = Conversation & {
  /** Why the host ended the program, if it did. */
  why(): Parameters<Conversation['kill']>[0] | null;
  /** Whether it is not the program's turn. */
  idle(): boolean;
};

type Parts = { readonly confined: Confined; readonly output: CandidateOutput; readonly kill: () => void };

/** The program sends a message only after it was asked: first when it has loaded, then once after each message. */
export const createConversation = ({ confined, output, kill }: Parts): Held => {
  let why: ReturnType<Held['why']> = null;
  let expected = true;
  let arrived: Frame | undefined;
  let over = false;
  let waiting: ((frame: Frame | null) => void) | undefined;

  const end: Conversation['kill'] = (reason) => {
    why ??= reason;
    output.stop();
    kill();
  };
  output.converse((frame) => {
    if (why !== null) return;
    if (!expected) return end('invalid_output');
    expected = false;
    if (!waiting) {
      arrived = frame;
      return;
    }
    waiting(frame);
    waiting = undefined;
  });
  void confined.ended.then(() => {
    over = true;
    waiting?.(null);
    waiting = undefined;
  });

  return {
    send: (kind, payload) => {
      expected = true;
      confined.send(encodeFrame(kind, payload));
    },
    next: () => {
      if (arrived) {
        const frame = arrived;
        arrived = undefined;
        return Promise.resolve(frame);
      }
      if (over) return Promise.resolve(null);
      return new Promise((resolve) => {
        waiting = resolve;
      });
    },
    // What is only known now and then would not tell the time of one call.
    cpuMs: () => (confined.sample ? null : confined.use().cpuMs),
    awake: () => confined.awake?.() ?? null,
    kill: end,
    why: () => why,
    idle: () => !expected,
  };
};
