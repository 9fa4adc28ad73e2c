// Starts the processes that act, few at a time and each for a bounded time, and lets no asking act twice.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Place } from '../../../client/connect/connection.ts';
import { PROJECT_ROOT } from '../../../deploy/host/home.ts';
import { type Done, isHalt, type VerbName } from '../../data/actions.ts';
import { type Lane, type Turn, turnsOf } from '../site/turns.ts';

export type Order =
  | { readonly kind: 'verb'; readonly verb: VerbName; readonly body: object }
  | { readonly kind: 'form'; readonly of: 'settings' | 'place' };
/** The one line that a process answers. */
export type Outcome =
  | { readonly answer: unknown }
  | { readonly error: { readonly kind: 'refused' | 'away' | 'fault'; readonly message: string } };

export class ActionError extends Error {
  override readonly name = 'ActionError';
  readonly kind: 'refused' | 'away' | 'fault';
  constructor(kind: ActionError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** So many processes at once, and so many askings that wait for one. */
const LANES = {
  act: { atOnce: 2, waiting: 8 },
  // What somebody wants to know before it is done may take long, where an endpoint does not answer.
  check: { atOnce: 2, waiting: 8 },
  // What halts a run waits for nothing else.
  halt: { atOnce: 2, waiting: 8 },
} as const;
/** Starting waits until a worker has taken the run up; an export of a large run writes for minutes. */
const LIMIT_MS = { action: 180_000, export: 1_800_000 } as const;
/** So much later a process ends by itself, where this server has gone and ends it no more. */
const LONGER_MS = 5_000;
const KEPT = 200;
const MOST_BYTES = 8 * 1024 * 1024;
const ACT = join(import.meta.dirname, 'act.ts');

/**
 * No key of a model: which endpoint is asked is said by whoever asks, and a key must not follow them there. Runs use the
 * keys that commands have kept for their endpoints.
 */
const withoutKey = ({ OPENAI_API_KEY: _, ...env }: NodeJS.ProcessEnv): NodeJS.ProcessEnv => env;

/** Carries out an order in a process of its own. Throws ActionError. */
const inProcess = (place: Place, order: Order, limitMs: number): Promise<unknown> =>
  new Promise((resolve, reject) => {
    // Where this fails, no process has been started.
    const written = JSON.stringify(order);
    const child = spawn(process.execPath, [ACT, String(limitMs + LONGER_MS)], {
      cwd: process.cwd(),
      env: {
        ...withoutKey(place.env),
        EVOLVE_HOME: place.home.named,
        NODE_COMPILE_CACHE: place.env['NODE_COMPILE_CACHE'] ?? join(PROJECT_ROOT, 'node_modules', '.cache', 'evolve'),
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const parts: Buffer[] = [];
    let bytes = 0;
    let errors = '';
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      child.kill('SIGKILL');
    }, limitMs);
    child.stdout.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes <= MOST_BYTES) parts.push(part);
    });
    child.stderr.on('data', (part: Buffer) => {
      errors = (errors + part.toString()).slice(-2_000);
    });
    child.stdin.on('error', () => undefined);
    child.on('error', (error) => reject(new ActionError('fault', `no process could be started: ${error.message}`)));
    child.on('close', () => {
      clearTimeout(timer);
      if (late)
        return reject(
          new ActionError(
            'fault',
            `this took more than ${limitMs / 1000} s and was given up; it may have been done all the same: look at the run before you ask again`,
          ),
        );
      const line = Buffer.concat(parts).toString().trim().split('\n').at(-1) ?? '';
      let outcome: Outcome;
      try {
        outcome = JSON.parse(line) as Outcome;
      } catch {
        return reject(
          new ActionError('fault', `the process that acts gave no answer${errors === '' ? '' : `: ${errors.trim()}`}`),
        );
      }
      if ('error' in outcome) reject(new ActionError(outcome.error.kind, outcome.error.message));
      else resolve(outcome.answer);
    });
    child.stdin.end(written);
  });

export type Actor = {
  /** `request` names the asking: the same one again gets the same answer, and nothing is done twice. */
  readonly act: (verb: VerbName, body: object, request: string) => Promise<Done>;
  readonly form: (of: 'settings' | 'place') => Promise<unknown>;
};

const inTurns = (lane: Lane): Turn =>
  turnsOf(lane, () => {
    throw new ActionError('away', 'too much is asked for at this moment: ask again in a few seconds');
  });

/** `carry` is exchanged by tests alone. */
export const createActor = (place: Place, carry: typeof inProcess = inProcess): Actor => {
  const turns = { act: inTurns(LANES.act), check: inTurns(LANES.check), halt: inTurns(LANES.halt) };
  const answers = new Map<string, Promise<Done>>();
  /** The meaning of settings stays the same as long as this process lives. */
  let settings: Promise<unknown> | null = null;
  /** While it is asked for: however many ask, one process answers. */
  let offered: Promise<unknown> | null = null;
  return {
    act(verb, body, request) {
      const name = `${verb} ${request}`;
      const known = answers.get(name);
      if (known !== undefined) return known;
      const limitMs = verb === 'export' ? LIMIT_MS.export : LIMIT_MS.action;
      const dry = (body as { readonly dry?: boolean }).dry === true;
      const turn = turns[dry ? 'check' : isHalt(verb) ? 'halt' : 'act'];
      const answer = turn(() => carry(place, { kind: 'verb', verb, body }, limitMs)) as Promise<Done>;
      if (dry) return answer;
      answers.set(name, answer);
      for (const old of answers.keys()) if (answers.size > KEPT) answers.delete(old);
      // What was refused or never began may be asked for again.
      answer.catch((error: unknown) => {
        if (error instanceof ActionError && error.kind !== 'fault') answers.delete(name);
      });
      return answer;
    },
    form(of) {
      const ask = () => turns.check(() => carry(place, { kind: 'form', of }, LIMIT_MS.action));
      if (of === 'place')
        return (offered ??= ask().finally(() => {
          offered = null;
        }));
      settings ??= ask().catch((error: unknown) => {
        settings = null;
        throw error;
      });
      return settings;
    },
  };
};

const actors = new WeakMap<Place, Actor>();
/** The one of this place, so that all that is asked here counts together. */
export const actorOf = (place: Place): Actor => {
  const actor = actors.get(place) ?? createActor(place);
  actors.set(place, actor);
  return actor;
};
