// Scores solutions in a trusted container that holds the task's evaluator and never sees candidate code
// (docs/security.md, Scores come from elsewhere). For a `function` task it carries the evaluator's calls to the program
// and the answers back. It keeps the clock on the host, from the first byte of a request to the last of its answer, and
// reads no message.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Task } from '../../../evolution/task.ts';
import type { Json } from '../../../evolution/types.ts';
import type { Launcher, Log } from '../contract/confined.ts';
import { allMs, startFairTimer } from '../contract/fair-clock.ts';
import { encodeFrame, type Frame } from '../contract/frames.ts';
import { type Conversation, InfrastructureError, type Score, type Scorer, type Verdict } from '../contract/types.ts';
import { createResident, type Resident, ResidentDied } from './resident.ts';

type Reply = (bytes: Buffer) => void;
type Call = {
  readonly startedAt: number;
  readonly cpuMs: number | null;
  readonly measure: boolean;
  readonly stopClock: () => void;
  late: boolean;
  asking: boolean;
};

/** The head of a call: seconds (float64), whether CPU is measured (1 byte). */
const CALL_HEAD_BYTES = 9;
const GONE = 'the program ended';

/** One partner of the evaluator: the program, or the reference beside it. */
const createSide = (conversation: Conversation | null) => {
  let call: Call | undefined;

  const begin = (payload: Buffer): void => {
    const seconds = payload.readDoubleBE(0);
    const measure = payload[8] === 1;
    const opened: Call = {
      startedAt: performance.now(),
      measure,
      cpuMs: measure ? conversation!.cpuMs() : null,
      late: false,
      asking: false,
      stopClock:
        seconds > 0
          ? startFairTimer({
              limitMs: seconds * 1000,
              cpuMs: conversation!.cpuMs,
              waiting: () => opened.asking,
              awake: conversation!.awake,
              over: (why) => {
                opened.late = true;
                conversation!.kill(why === 'starved' ? why : 'timeout_wall');
              },
            })
          : () => undefined,
    };
    call = opened;
  };
  const finish = (frame: Frame | null, send: Reply): void => {
    const ended = call!;
    call = undefined;
    ended.stopClock();
    if (frame === null)
      return send(
        encodeFrame(ended.late ? 'T' : 'X', Buffer.from(ended.late ? 'the answer did not come in time' : GONE)),
      );
    if (frame.kind === 'E') return send(encodeFrame('E', frame.payload));
    const times = Buffer.alloc(16);
    times.writeDoubleBE(performance.now() - ended.startedAt, 0);
    const after = ended.measure ? conversation!.cpuMs() : null;
    times.writeDoubleBE(after === null || ended.cpuMs === null ? NaN : after - ended.cpuMs, 8);
    send(encodeFrame('V', times, frame.payload));
  };
  const pass = async (send: Reply): Promise<void> => {
    const frame = await conversation!.next();
    if (call) call.asking = frame?.kind === 'K';
    if (frame?.kind === 'K') return send(encodeFrame('K', frame.payload));
    if (frame === null || frame.kind === 'V' || frame.kind === 'E') return finish(frame, send);
    conversation!.kill('invalid_output');
    finish(null, send);
  };
  return {
    /** Takes a frame of the evaluator: Q is a call, P a reply, Z ends the program. */
    onFrame: ({ kind, payload }: Frame, send: Reply): void => {
      if (conversation === null) return send(encodeFrame('X', Buffer.from('this task has no reference program')));
      if (kind === 'Z') return conversation.kill('invalid_output');
      if (kind === 'Q') begin(payload);
      else if (call) call.asking = false;
      conversation.send(kind as 'Q' | 'P', kind === 'Q' ? payload.subarray(CALL_HEAD_BYTES) : payload);
      void pass(send);
    },
    close: (): void => call?.stopClock(),
  };
};

const createJudge = (
  candidate: Conversation,
  reference: Conversation | null,
): { onFrame(frame: Frame, send: Reply): void; close(): void } => {
  const own = createSide(candidate);
  const beside = createSide(reference);
  return {
    onFrame: (frame, send) => {
      const kind = frame.kind.toUpperCase();
      (kind === frame.kind ? own : beside).onFrame({ ...frame, kind }, send);
    },
    close: () => {
      own.close();
      beside.close();
    },
  };
};

const SOURCE = ['wire.py', 'candidate.py', 'scorer.py']
  .map((file) => readFileSync(join(import.meta.dirname, '..', 'guest', file), 'utf8'))
  .join('\n');
const TIMEOUT_MS = 60_000;

const answerSchema = z.strictObject({
  valid: z.boolean(),
  score: z.number().nullable(),
  metrics: z.record(z.string(), z.union([z.number(), z.string(), z.boolean()])),
  reasons: z.array(z.string()),
  failure: z.enum(['raised', 'malformed', 'late', 'gone']).nullable(),
});

const parseAnswer = (answer: Json, task: Task): Verdict => {
  const parsed = answerSchema.safeParse(answer);
  if (!parsed.success)
    throw new InfrastructureError(
      `the evaluator of ${task.id} answered in an unknown form: ${parsed.error.issues[0]?.message ?? ''}`,
    );
  const { valid, score, metrics, reasons, failure } = parsed.data;
  const strict = metrics[`${task.scoreName}_strict`];
  const strictScore = typeof strict === 'number' ? strict : score;
  return { valid, score: valid ? score : null, strictScore: valid ? strictScore : null, metrics, reasons, failure };
};

/** Its last words stand at the end of what a process says when it dies. */
const LONGEST_REASON = 500;

/** A solution on which the evaluator dies twice is invalid, so that it does not park the run. */
const died = (error: ResidentDied): Verdict => ({
  valid: false,
  score: null,
  strictScore: null,
  metrics: {},
  reasons: [`the evaluator failed on this solution twice: ${error.message}`.slice(0, LONGEST_REASON)],
  failure: null,
});

/** The evaluator's own time, in addition to the program's wall limit. */
const JUDGE_MARGIN_MS = 120_000;

/**
 * One trusted process scores solutions. A `function` task has as many as programs run at a time, since each talks to
 * one program until it is done.
 */
export const createScorer = (launcher: Launcher, task: Task, log: Log, timeoutMs = TIMEOUT_MS): Scorer => {
  const make = (): Resident =>
    createResident({
      launcher,
      name: 'scorer',
      source: SOURCE,
      timeoutMs,
      boot: {
        evaluator: task.evaluatorSource,
        library: task.library ?? [],
        instance: { ...task.hidden, ...task.instance },
      },
    });
  const idle: Resident[] = [];
  const all: Resident[] = [];
  const using = async <T>(use: (resident: Resident) => Promise<T>): Promise<T> => {
    const resident = idle.pop() ?? make();
    if (!all.includes(resident)) all.push(resident);
    try {
      return await use(resident);
    } finally {
      idle.push(resident);
    }
  };
  const first = make();
  all.push(first);
  const score = async (solution: Json, signal: AbortSignal): Promise<Score> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { failure: _, ...scored } = parseAnswer(await first.ask({ solution }, signal), task);
        return scored;
      } catch (error) {
        if (!(error instanceof ResidentDied)) throw error;
        log(`scorer of ${task.id}: ${error.message}; started again`);
        if (attempt === 2) {
          const { failure: _, ...scored } = died(error);
          return scored;
        }
      }
    }
  };
  const judge: Scorer['judge'] = ({ candidate, reference, extra }, signal) =>
    using(async (resident) => {
      const relay = createJudge(candidate, reference);
      try {
        return parseAnswer(
          await resident.ask({ extra }, signal, {
            onFrame: relay.onFrame,
            timeoutMs: task.limits.wallSeconds * 1000 + JUDGE_MARGIN_MS,
            othersMs: () => allMs([candidate.cpuMs(), reference === null ? 0 : reference.cpuMs()]),
          }),
          task,
        );
      } catch (error) {
        if (!(error instanceof ResidentDied)) throw error;
        log(`scorer of ${task.id}: ${error.message}`);
        return {
          ...died(error),
          reasons: [`the evaluator failed on this program: ${error.message}`.slice(0, LONGEST_REASON)],
        };
      } finally {
        relay.close();
      }
    });
  return {
    score,
    judge,
    close: async () => {
      await Promise.all(all.map((resident) => resident.close()));
      await launcher.close();
    },
  };
};
