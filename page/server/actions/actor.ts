// Carries out what pages ask for: a few orders at a time, each for a bounded time, and no asking twice.
import { MissingError } from '../../../client/connect/errors.ts';
import type { Place } from '../../../client/connect/connection.ts';
import { DurableEvolve } from '../../../client/durable-evolve.ts';
import { SetupError } from '../../../deploy/host/run-command.ts';
import { installationModel } from '../../../deploy/stack/installation-model.ts';
import { type Body, type Done, isHalt, type SweepAction, type VerbName } from '../../api/actions/actions.ts';
import { type Lane, type Turn, turnsOf } from '../site/turns.ts';
import { canonicalJson } from '../../../evolution/canonical-json.ts';
import { sha256 } from '../../../deploy/host/sha256.ts';
import { carryOut } from './dispatch.ts';
import { form } from './form.ts';
import { isRefusal, WarmParts } from './warm-parts.ts';

export type Order =
  | { readonly kind: 'verb'; readonly verb: VerbName; readonly body: object; readonly visitor?: string }
  | { readonly kind: 'form'; readonly of: 'settings' | 'place' };

export class ActionError extends Error {
  override readonly name = 'ActionError';
  readonly kind: 'refused' | 'away' | 'fault';
  constructor(kind: ActionError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** So many orders of a kind at once, and so many that wait for one to end. */
const LANE: Lane = { atOnce: 2, waiting: 8 };
/** Starting waits until a worker has taken the run up; an export of a large run writes for minutes. */
const LIMIT_MS = { action: 180_000, export: 1_800_000 } as const;
const KEPT = 200;

/**
 * The place with the installation's model, because a person who looks at the page has no shell whose environment names
 * one. It has no key of a model: the asker says which endpoint is asked, and a key must not follow it there. Runs use
 * the keys that commands have kept for their endpoints.
 */
const withoutKey = ({ home, env: { OPENAI_API_KEY: _, ...env } }: Place): Place => ({
  home,
  env: { ...env, EVOLVE_HOME: home.named, ...installationModel(home.root, env) },
});

const warm = new WarmParts();

const carriedOut = async (given: Place, order: Order): Promise<unknown> => {
  const place = withoutKey(given);
  if (order.kind === 'form') return form(order.of, place);
  return warm.use(place, async (parts) => {
    const warnings: string[] = [];
    const by = { from: 'page', ...(order.visitor === undefined ? {} : { name: order.visitor }) } as const;
    const own = { ...parts, place: { ...parts.place, by } };
    const evolve = new DurableEvolve(place, (warning) => warnings.push(warning), own);
    const answer = await carryOut(evolve, order.verb, order.body as Body<VerbName>, place.env);
    return { ...answer, warnings: [...warnings, ...answer.warnings] };
  });
};

/** Connects already while a person reads a dialog. Whatever fails is told by the action itself. */
const makeReady = (given: Place): Promise<boolean> =>
  warm
    .use(withoutKey(given), (parts) => parts.engine())
    .then(
      () => true,
      () => false,
    );

const actionError = (error: unknown): ActionError => {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ActionError) return error;
  if (isRefusal(error)) return new ActionError('refused', message);
  if (error instanceof MissingError || error instanceof SetupError) return new ActionError('away', message);
  return new ActionError('fault', `this failed unexpectedly: ${message}`);
};

/** Throws ActionError, also where the order takes longer than its limit; then it may still be done. */
const inTime = async (place: Place, order: Order, limitMs: number): Promise<unknown> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const why = `this took more than ${limitMs / 1000} s and was given up; it may have been done all the same: look at the run before you ask again`;
    timer = setTimeout(() => reject(new ActionError('fault', why)), limitMs);
  });
  try {
    return await Promise.race([carriedOut(place, order), late]);
  } catch (error) {
    throw actionError(error);
  } finally {
    clearTimeout(timer);
  }
};

export type Actor = {
  /**
   * `request` names the asking: the same one again gets the same answer, and nothing is done twice. `visitor` is the
   * address of one from another machine.
   */
  readonly act: (verb: VerbName, body: object, request: string, visitor?: string) => Promise<Done>;
  readonly form: (of: 'settings' | 'place') => Promise<unknown>;
  /** A dialog is open: its action will not have to wait for connections. */
  readonly ready: () => Promise<boolean>;
};

const inTurns = (): Turn =>
  turnsOf(LANE, () => {
    throw new ActionError('away', 'too much is asked for at this moment: ask again in a few seconds');
  });

/** However many ask while it is asked for, it is asked for once. */
const shared = <T>(ask: () => Promise<T>): (() => Promise<T>) => {
  let asked: Promise<T> | null = null;
  return () =>
    (asked ??= ask().finally(() => {
      asked = null;
    }));
};

const otherwise = (verb: VerbName, request: string): string =>
  `${verb}: "request" expected a new name, because ${request} has named an asking with another body`;

/** `carry` is exchanged by tests alone. */
export const createActor = (place: Place, carry: typeof inTime = inTime): Actor => {
  // A check may take long, where an endpoint does not answer. A verb that halts a run waits for nothing else.
  const turns = { act: inTurns(), check: inTurns(), halt: inTurns() };
  const answers = new Map<string, { readonly body: string; readonly answer: Promise<Done> }>();
  const formOf = (of: 'settings' | 'place') => turns.check(() => carry(place, { kind: 'form', of }, LIMIT_MS.action));
  const offered = shared(() => formOf('place'));
  /** The meaning of settings stays the same as long as this process lives. */
  let settings: Promise<unknown> | null = null;
  return {
    ready: shared(() => makeReady(place)),
    act(verb, body, request, visitor) {
      const { run, sweep, dry = false } = body as Partial<Body<'start'> & Body<SweepAction>>;
      const name = `${verb} ${run ?? sweep ?? ''} ${request}`;
      const asked = sha256(canonicalJson(body));
      const known = dry ? undefined : answers.get(name);
      if (known?.body === asked) return known.answer;
      if (known !== undefined) return Promise.reject(new ActionError('refused', otherwise(verb, request)));
      const limitMs = verb === 'export' ? LIMIT_MS.export : LIMIT_MS.action;
      const turn = turns[dry ? 'check' : isHalt(verb) ? 'halt' : 'act'];
      const answer = turn(() =>
        carry(place, { kind: 'verb', verb, body, ...(visitor === undefined ? {} : { visitor }) }, limitMs),
      ) as Promise<Done>;
      if (dry) return answer;
      answers.set(name, { body: asked, answer });
      for (const old of answers.keys()) if (answers.size > KEPT) answers.delete(old);
      // An order that was refused or never began may be asked for again.
      answer.catch((error: unknown) => {
        if (error instanceof ActionError && error.kind !== 'fault') answers.delete(name);
      });
      return answer;
    },
    form(of) {
      if (of === 'place') return offered();
      return (settings ??= formOf(of).catch((error: unknown) => {
        settings = null;
        throw error;
      }));
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
