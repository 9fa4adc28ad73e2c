// Scores solutions in a trusted container that holds the task's evaluator and never sees candidate code
// (docs/security.md, Scores come from elsewhere). For a `function` task it carries the evaluator's calls to the program
// and the answers back. It keeps the clock on the host, from the first byte of a request to the last of its answer, and
// reads no message.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ARTIFACT_KINDS } from '../../../evolution/scoring/artifacts.ts';
import type { Task } from '../../../evolution/task/task.ts';
import type { Json } from '../../../evolution/types.ts';
import type { Launcher, Log } from '../contract/confined.ts';
import { allMs, startFairTimer } from '../contract/fair-clock.ts';
import { encodeFrame, type Frame } from '../contract/frames.ts';
import { type Conversation, InfrastructureError, type Score, type Scorer, type Verdict } from '../contract/types.ts';
import { Resident, ResidentDied } from './resident.ts';

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
const LATE = 'the answer did not come in time';

/** One partner of the evaluator: the program, or the reference beside it. */
class Side {
  readonly #conversation: Conversation | null;
  #call: Call | undefined;

  constructor(conversation: Conversation | null) {
    this.#conversation = conversation;
  }

  /** Takes a frame of the evaluator: Q is a call, P a reply, Z ends the program. */
  onFrame({ kind, payload }: Frame, send: Reply): void {
    const conversation = this.#conversation;
    if (conversation === null) return send(encodeFrame('X', Buffer.from('this task has no reference program')));
    if (kind === 'Z') return conversation.kill('invalid_output');
    if (kind === 'Q') this.#call = begun(conversation, payload);
    else if (this.#call) this.#call.asking = false;
    conversation.send(kind as 'Q' | 'P', kind === 'Q' ? payload.subarray(CALL_HEAD_BYTES) : payload);
    void this.#pass(conversation, send);
  }

  close(): void {
    this.#call?.stopClock();
  }

  async #pass(conversation: Conversation, send: Reply): Promise<void> {
    const frame = await conversation.next();
    if (this.#call) this.#call.asking = frame?.kind === 'K';
    if (frame?.kind === 'K') return send(encodeFrame('K', frame.payload));
    const isAnswer = frame === null || frame.kind === 'V' || frame.kind === 'E';
    if (!isAnswer) conversation.kill('invalid_output');
    const call = this.#call!;
    this.#call = undefined;
    call.stopClock();
    send(answerOf(call, isAnswer ? frame : null, conversation));
  }
}

const begun = (conversation: Conversation, payload: Buffer): Call => {
  const seconds = payload.readDoubleBE(0);
  const measure = payload[8] === 1;
  const call: Call = {
    startedAt: performance.now(),
    measure,
    cpuMs: measure ? conversation.cpuMs() : null,
    late: false,
    asking: false,
    stopClock:
      seconds > 0
        ? startFairTimer({
            limitMs: seconds * 1000,
            cpuMs: () => conversation.cpuMs(),
            waiting: () => call.asking,
            awake: () => conversation.awake(),
            over: (why) => {
              call.late = true;
              conversation.kill(why === 'over' ? 'timeout_wall' : why);
            },
          })
        : () => undefined,
  };
  return call;
};

/** The frame for the evaluator; `frame` is null where the program ended. */
const answerOf = (call: Call, frame: Frame | null, conversation: Conversation): Buffer => {
  if (frame === null) return encodeFrame(call.late ? 'T' : 'X', Buffer.from(call.late ? LATE : GONE));
  if (frame.kind === 'E') return encodeFrame('E', frame.payload);
  const times = Buffer.alloc(16);
  times.writeDoubleBE(performance.now() - call.startedAt, 0);
  const after = call.measure ? conversation.cpuMs() : null;
  times.writeDoubleBE(after === null || call.cpuMs === null ? NaN : after - call.cpuMs, 8);
  return encodeFrame('V', times, frame.payload);
};

/** Frames for the reference have their kind in small letters. */
class Judge {
  readonly #candidate: Side;
  readonly #reference: Side;

  constructor(candidate: Conversation, reference: Conversation | null) {
    this.#candidate = new Side(candidate);
    this.#reference = new Side(reference);
  }

  onFrame(frame: Frame, send: Reply): void {
    const kind = frame.kind.toUpperCase();
    (kind === frame.kind ? this.#candidate : this.#reference).onFrame({ ...frame, kind }, send);
  }

  close(): void {
    this.#candidate.close();
    this.#reference.close();
  }
}

const SOURCE = ['wire.py', 'values.py', 'artifacts.py', 'candidate.py', 'scorer.py']
  .map((file) => readFileSync(join(import.meta.dirname, '..', 'guest', file), 'utf8'))
  .join('\n');
const TIMEOUT_MS = 60_000;

const artifactSchema = z.strictObject({ name: z.string(), kind: z.enum(ARTIFACT_KINDS), text: z.string() });

const answerSchema = z.strictObject({
  valid: z.boolean(),
  score: z.number().nullable(),
  metrics: z.record(z.string(), z.union([z.number(), z.string(), z.boolean()])),
  reasons: z.array(z.string()),
  // Programs choose what they hold, so one of another form is dropped and parks no run.
  artifacts: z
    .array(z.unknown())
    .transform((all) => all.flatMap((one) => artifactSchema.safeParse(one).data ?? []))
    .catch([]),
  failure: z.enum(['raised', 'malformed', 'late', 'gone']).nullable(),
});

const parseAnswer = (answer: Json, task: Task): Verdict => {
  const parsed = answerSchema.safeParse(answer);
  if (!parsed.success)
    throw new InfrastructureError(
      `the evaluator of ${task.id} answered in an unknown form: ${parsed.error.issues[0]?.message ?? ''}`,
    );
  const { valid, score, metrics, reasons, artifacts, failure } = parsed.data;
  const name = `${task.scoreName}_strict`;
  const strict = metrics[name] ?? score;
  const odd = valid && typeof strict !== 'number';
  return {
    ...{ valid, metrics, failure },
    ...(artifacts.length === 0 ? {} : { artifacts }),
    score: valid ? score : null,
    strictScore: valid && typeof strict === 'number' ? strict : null,
    reasons: odd ? [...reasons, `${name} is ${strict}: expected a finite number`] : reasons,
  };
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
    new Resident({
      launcher,
      name: 'scorer',
      source: SOURCE,
      timeoutMs,
      boot: {
        evaluator: task.evaluatorSource,
        library: task.library ?? [],
        env: task.world?.env ?? {},
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
      const relay = new Judge(candidate, reference);
      try {
        return parseAnswer(
          await resident.ask({ extra }, signal, {
            onFrame: (frame, send) => relay.onFrame(frame, send),
            timeoutMs: task.limits.wallSeconds * 1000 + JUDGE_MARGIN_MS,
            pausedMs: () => candidate.pausedMs(),
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
