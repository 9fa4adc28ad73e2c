// The parts of a home that answers are made of, opened when they are first asked for, and the rights of this server.
import type { Hono } from 'hono';
import { nameOf } from '../../../deploy/host/home.ts';
import { LITTLE } from '../../../activities/store/open-store.ts';
import type { Store } from '../../../activities/store/store.ts';
import { openParts, type Place, temporalUi, upOf } from '../../../client/connect/connection.ts';
import { MissingError, UsageError } from '../../../client/connect/errors.ts';
import { DurableEvolve } from '../../../client/durable-evolve.ts';
import type { RunReport } from '../../../client/read/shapes.ts';
import { findRun } from '../../../client/read/run-id.ts';
import { hasDocs } from './docs.ts';
import { type ReadApart, readByThread } from '../rows/reader.ts';
import { RowsOfRuns } from '../rows/rows-of-runs.ts';
import { engineHttp } from './engine-http.ts';
import { type EngineStates, engineStates } from './engine-states.ts';
import { type GoalsOf, goalsOfRuns, readGoals } from './goals.ts';
import { type Looks, looksAt, type Unanswered, unansweredOf } from './looks.ts';
import { openSteps } from './open-step.ts';
import { pageFolder } from '../rows/row-files.ts';
import { Refusal, refuse } from './refusal.ts';
import { type Lane, turnsOf } from './turns.ts';
import type { Refused, Site as SiteAnswer } from '../../api/site/live.ts';

/** So often it is looked where the database is. */
const ADDRESS_MS = 2_000;

/** Each takes much memory while it reads the programs of a large run. */
const READS: Lane = { atOnce: 2, waiting: 1_000 };

/** However many large runs are looked at for the first time, few are read at once. */
export const readInTurns = (read: ReadApart): ReadApart => {
  const turn = turnsOf(READS, () => refuse('too many runs are read at this moment: ask again in a few seconds', 429));
  return (...asked) => turn(() => read(...asked));
};

/** The run of this name as it is stored now. Throws UsageError where there is none. */
export const storedRun = async (site: Pick<Site, 'store'>, id: string) => {
  const store = await site.store();
  return { store, run: await findRun(store, id) };
};

/** Adds the answers of a subject below `/api`. */
export type Answers = (app: Hono, site: Site) => void;

export type Site = {
  readonly place: Place;
  /** Throws MissingError where the database does not answer. */
  readonly store: () => Promise<Store>;
  readonly looks: Looks;
  readonly rows: RowsOfRuns;
  readonly engine: EngineStates;
  readonly openStep: ReturnType<typeof openSteps>;
  readonly known: GoalsOf;
  readonly withUnanswered: Unanswered;
  readonly about: () => SiteAnswer;
  /** The states of a run, until it has ended. */
  readonly watch: (run: string, signal: AbortSignal) => AsyncGenerator<RunReport, RunReport>;
  readonly close: () => Promise<void>;
};

const addressOf = (place: Place): string | null => {
  try {
    return upOf(place).database.uri;
  } catch {
    return null;
  }
};

/** After `down` and `up` the database may be at another address. */
class FollowedParts {
  readonly #place: Parameters<typeof openParts>[0];
  #parts: ReturnType<typeof openParts>;
  #address: string | null;
  #lookedMs = performance.now();

  constructor(place: Parameters<typeof openParts>[0]) {
    this.#place = place;
    this.#parts = openParts(place);
    this.#address = addressOf(place);
  }

  readonly store = (): Promise<Store> => {
    this.#look();
    return this.#parts.store();
  };

  close(): Promise<void> {
    return this.#parts.close();
  }

  #look(): void {
    if (performance.now() - this.#lookedMs <= ADDRESS_MS) return;
    this.#lookedMs = performance.now();
    const address = addressOf(this.#place);
    if (address === null || address === this.#address) return;
    void this.#parts.close();
    this.#parts = openParts(this.#place);
    this.#address = address;
  }
}

/** Over connections of its own. */
async function* watchRun(place: Place, run: string, signal: AbortSignal): AsyncGenerator<RunReport, RunReport> {
  const evolve = new DurableEvolve(place);
  try {
    return yield* (await evolve.run(run)).watch({ signal });
  } finally {
    await evolve.close();
  }
}

export const openSite = (place: Place, { version, readOnly }: Pick<SiteAnswer, 'version' | 'readOnly'>): Site => {
  const parts = new FollowedParts({ ...place, keeps: LITTLE });
  const { home } = place;
  const http = engineHttp(() => temporalUi(place));
  const rows = new RowsOfRuns(parts.store, pageFolder(home), readInTurns(readByThread(place)));
  return {
    place,
    store: parts.store,
    looks: looksAt(parts.store),
    rows,
    known: goalsOfRuns(async (run) => readGoals(await parts.store(), run)),
    withUnanswered: unansweredOf(parts.store),
    engine: engineStates(http),
    openStep: openSteps(http),
    about: () => ({ version, readOnly, docs: hasDocs(), exported: null, home: { id: home.hash, name: nameOf(home) } }),
    watch: (run, signal) => watchRun(place, run, signal),
    async close() {
      await rows.close();
      await parts.close();
    },
  };
};

/** The database does not answer. */
export const isAway = (error: unknown): boolean =>
  error instanceof MissingError ||
  /^Mongo(Network|ServerSelection|NotConnected|Topology)/.test((error as Error)?.name ?? '');

/** An error as a page is told of it, and the status of the answer. */
export const refusalOf = (error: unknown): readonly [Refused, Refusal['status'] | 404 | 503 | 500] => {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof Refusal) return [{ error: { kind: 'refused', message } }, error.status];
  if (error instanceof UsageError) return [{ error: { kind: 'missing', message } }, 404];
  if (isAway(error)) return [{ error: { kind: 'away', message } }, 503];
  return [{ error: { kind: 'away', message: `the server of this page met a fault: ${message}` } }, 500];
};
