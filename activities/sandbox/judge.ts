// Carries the calls of a `function` task's evaluator to the program and the answers back, and keeps the clock: from the first byte of a
// request to the last of its answer, on the host. It reads no message. Called by scorer.ts.
import { encodeFrame } from './frames.ts';
import type { Frame } from './frames.ts';
import type { Conversation } from './types.ts';

type Reply = (bytes: Buffer) => void;
type Call = { readonly startedAt: number; readonly cpuMs: number | null; readonly measure: boolean; readonly timer: NodeJS.Timeout | undefined; late: boolean };

/** Seconds (float64), whether CPU is measured (1 byte). */
const CALL_HEAD_BYTES = 9;
const GONE = 'the program ended';

/** One side of the evaluator's talk: the program, or the reference beside it. */
const createSide = (conversation: Conversation | null) => {
  let call: Call | undefined;

  const begin = (payload: Buffer): void => {
    const seconds = payload.readDoubleBE(0);
    const measure = payload[8] === 1;
    const opened: Call = {
      startedAt: performance.now(), measure, cpuMs: measure ? conversation!.cpuMs() : null, late: false,
      timer: seconds > 0 ? setTimeout(() => { opened.late = true; conversation!.kill('timeout_wall'); }, seconds * 1000) : undefined,
    };
    call = opened;
  };
  const finish = (frame: Frame | null, send: Reply): void => {
    const ended = call!;
    call = undefined;
    clearTimeout(ended.timer);
    if (frame === null) return send(encodeFrame(ended.late ? 'T' : 'X', Buffer.from(ended.late ? 'the answer did not come in time' : GONE)));
    if (frame.kind === 'E') return send(encodeFrame('E', frame.payload));
    const times = Buffer.alloc(16);
    times.writeDoubleBE(performance.now() - ended.startedAt, 0);
    const after = ended.measure ? conversation!.cpuMs() : null;
    times.writeDoubleBE(after === null || ended.cpuMs === null ? NaN : after - ended.cpuMs, 8);
    send(encodeFrame('V', times, frame.payload));
  };
  const pass = async (send: Reply): Promise<void> => {
    const frame = await conversation!.next();
    if (frame?.kind === 'K') return send(encodeFrame('K', frame.payload));
    if (frame === null || frame.kind === 'V' || frame.kind === 'E') return finish(frame, send);
    conversation!.kill('invalid_output');
    finish(null, send);
  };
  return {
    /** A frame of the evaluator: Q call, P reply, Z end the program. */
    onFrame: ({ kind, payload }: Frame, send: Reply): void => {
      if (conversation === null) return send(encodeFrame('X', Buffer.from('this task has no reference program')));
      if (kind === 'Z') return conversation.kill('invalid_output');
      if (kind === 'Q') begin(payload);
      conversation.send(kind as 'Q' | 'P', kind === 'Q' ? payload.subarray(CALL_HEAD_BYTES) : payload);
      void pass(send);
    },
    close: (): void => clearTimeout(call?.timer),
  };
};

export const createJudge = (candidate: Conversation, reference: Conversation | null): { onFrame(frame: Frame, send: Reply): void; close(): void } => {
  const own = createSide(candidate);
  const beside = createSide(reference);
  return {
    onFrame: (frame, send) => {
      const kind = frame.kind.toUpperCase();
      (kind === frame.kind ? own : beside).onFrame({ ...frame, kind }, send);
    },
    close: () => { own.close(); beside.close(); },
  };
};
