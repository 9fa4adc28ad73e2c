// Connections to the parts of a home, which up.json names: the store and the Temporal client. Errors say what to start.
import type { Client, Connection } from '@temporalio/client';
import { cpus } from 'node:os';
import { PayloadKeyError } from '../../activities/payloads/keys.ts';
import { SchemaError } from '../../activities/store/documents/errors.ts';
import type { Keeps } from '../../activities/store/open-store.ts';
import type { Store } from '../../activities/store/store.ts';
import type { Home } from '../../deploy/host/home.ts';
import type { Person } from '../../evolution/steering/base/people.ts';
import { soonMs } from '../../deploy/host/patience.ts';
import { patienceWith, temporalOptions } from '../../deploy/servers/external-servers.ts';
import { readUp, type UpInfo } from '../../deploy/supervisor/plan.ts';
import { upElsewhere } from './elsewhere.ts';
import { MissingError, UsageError } from './errors.ts';
import { payloadKeysOf } from './payload-keys.ts';
import { registerOutsideLevels } from '../../deploy/host/outside-levels.ts';
import { DEFAULT_LEVEL } from '../../evolution/config/levels.ts';

/** A home, and the environment that names keys and models. */
export type Place = {
  readonly home: Home;
  readonly env: NodeJS.ProcessEnv;
  /** Gets a line for people while parts are set up. Nobody reads along where it is left out. */
  readonly say?: (line: string) => void;
  /** Who acts; left out it is the user of the machine, by the library. */
  readonly by?: { readonly name?: string; readonly from: Person['from'] };
  /** The sizes of the caches of the store. */
  readonly keeps?: Keeps;
};

export type Engine = {
  readonly client: Client;
  readonly connection: Connection;
  readonly namespace: string;
  readonly close: () => Promise<void>;
};

/**
 * The connections of the handles, made when they are first asked for, and kept. The engine is refused where its
 * namespace works with another database, since nothing may be started or steered there.
 */
export type Parts = {
  readonly place: Place;
  readonly store: () => Promise<Store>;
  readonly engine: () => Promise<Engine>;
  /**
   * The same for commands that only show something, and can do so from what the database knows: it gives up within
   * seconds, and is not asked again at once.
   */
  readonly engineSoon: () => Promise<Engine>;
};

/**
 * After this time a namespace that was this database's is asked about again, because it may have been given to another.
 */
const OWN_MS = 20_000;
/** The time for which commands that only show something do not ask a silent engine again. */
const AWAY_MS = 5_000;

/** Closes the connections that were made. */
export type OpenParts = Parts & { readonly close: () => Promise<void> };

class Connections {
  readonly place: Place;
  #store: Promise<Store> | null = null;
  #engine: Promise<Engine> | null = null;
  /** An attempt to connect that gives up soon. */
  #soon: Promise<Engine> | null = null;
  #away: { readonly error: unknown; readonly untilMs: number } | null = null;
  #askAgainMs = 0;

  constructor(place: Place) {
    this.place = place;
  }

  readonly store = (): Promise<Store> =>
    (this.#store ??= openStore(this.place).catch((error: unknown) => {
      this.#store = null;
      throw error;
    }));

  readonly engine = async (): Promise<Engine> => {
    // Whoever steers waits longer than an attempt that gives up soon.
    await this.#soon?.catch(() => undefined);
    this.#engine ??= openEngine(this.place).catch((error: unknown) => {
      this.#engine = null;
      throw error;
    });
    return this.#checked(await this.#engine);
  };

  readonly engineSoon = async (): Promise<Engine> => {
    if (this.#away !== null && performance.now() < this.#away.untilMs) throw this.#away.error;
    try {
      const opened = await (this.#engine ?? this.#connectSoon());
      return await opened.connection.withDeadline(Date.now() + soonMs(), () => this.#checked(opened));
    } catch (error) {
      this.#away = { error, untilMs: performance.now() + AWAY_MS };
      throw error;
    }
  };

  readonly close = async (): Promise<void> => {
    await this.#soon?.catch(() => undefined);
    const [store, engine] = [this.#store, this.#engine];
    this.#store = this.#engine = null;
    await (await store?.catch(() => null))?.close();
    await (await engine?.catch(() => null))?.close();
  };

  #connectSoon(): Promise<Engine> {
    this.#soon ??= openEngine(this.place, soonMs())
      .then((opened) => {
        this.#engine = Promise.resolve(opened);
        return opened;
      })
      .finally(() => {
        this.#soon = null;
      });
    return this.#soon;
  }

  async #checked(opened: Engine): Promise<Engine> {
    if (performance.now() <= this.#askAgainMs) return opened;
    // Is loaded here, because a command that only reads the store needs neither the workflow engine nor its client.
    const { namespaceRefusal } = await import('./namespace.ts');
    const why = await namespaceRefusal(this.place, opened, await this.store());
    if (why !== null) throw new MissingError(why);
    await refuseOtherKeys(this.place, await this.store());
    this.#askAgainMs = performance.now() + OWN_MS;
    return opened;
  }
}

export const openParts = (place: Place): OpenParts => {
  registerOutsideLevels(place.env);
  return new Connections(place);
};

export const START = 'start it with `npx evolve up` (or `npm start`)';

/** Throws MissingError where nothing was started, and the environment names no servers of others. */
export const upOf = ({ home, env }: Place): UpInfo => {
  const info = readUp(home) ?? upElsewhere(home, env);
  if (info === null)
    throw new MissingError(
      `nothing is up for ${home.root}: ${START}; for servers that are up elsewhere, set MONGODB_URI, and TEMPORAL_ADDRESS or a profile (TEMPORAL_PROFILE)`,
    );
  return info;
};

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';

/**
 * Connects without any check: the workers of this home have tested the server and made its indexes when they started.
 */
export const openStore = async (place: Place, patienceMs?: number): Promise<Store> => {
  const { database } = upOf(place);
  // Is loaded here, so that commands that need no database start faster.
  const { connectStore } = await import('../../activities/store/mongo/connect-store.ts');
  try {
    return await connectStore({
      uri: database.uri,
      log: () => undefined,
      timeoutMs: await patienceWith(hostOf(database.uri), patienceMs),
      tested: true,
      keeps: place.keeps,
    });
  } catch (error) {
    if (error instanceof SchemaError) throw new MissingError(error.message, { cause: error });
    throw new MissingError(
      `the database (${database.kind}) does not answer (${firstLine(error)}): ${database.external ? 'check MONGODB_URI' : START}; \`npx evolve doctor\` says more`,
    );
  }
};

/** Opens the store for the work, and closes it after. */
export const withStore = async <T>(
  place: Place,
  work: (store: Store) => Promise<T>,
  patienceMs?: number,
): Promise<T> => {
  const store = await openStore(place, patienceMs);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
};

/** The same for all parts, each of which is connected when the work first asks for it. */
export const withParts = async <T>(place: Place, work: (parts: Parts) => Promise<T>): Promise<T> => {
  const parts = openParts(place);
  try {
    return await work(parts);
  } finally {
    await parts.close();
  }
};

/** Host and port of a database that is one server. Null for a list of servers, or for a name that stands for one. */
const hostOf = (uri: string): string | null =>
  /^mongodb:\/\/(?:[^@/]*@)?([^,/?]+:\d+)(?:[/?]|$)/.exec(uri)?.[1] ?? null;

/** A payload that a command cannot decrypt is shown as unreadable: no workflow runs here that could take harm. */
const NOT_KNOWN = async (): Promise<boolean> => false;

/** Nothing may be written with other keys than those of the workers, who could not read it. */
const refuseOtherKeys = async (place: Place, store: Store): Promise<void> => {
  const { agreeOnKeys } = await import('../../activities/payloads/payloads.ts');
  try {
    await agreeOnKeys(payloadKeysOf(place), store);
  } catch (error) {
    throw error instanceof PayloadKeyError ? new UsageError(error.message) : error;
  }
};

/** `patienceMs`: it gives up after this time at the latest. */
export const openEngine = async (place: Place, patienceMs?: number): Promise<Engine> => {
  const { temporal } = upOf(place);
  const { Client, Connection, defaultGrpcRetryOptions, makeGrpcRetryInterceptor } = await import('@temporalio/client');
  const { payloadsWith } = await import('../../activities/payloads/payloads.ts');
  const { ofClient: dataConverter } = payloadsWith(payloadKeysOf(place), NOT_KNOWN);
  const options = await temporalOptions(place.home, temporal, place.env);
  const { namespace } = temporal;
  const door = callsUntilClosed();
  try {
    const connection = await Connection.connect({
      ...options,
      connectTimeout: await patienceWith(temporal.address, patienceMs),
      interceptors: [makeGrpcRetryInterceptor(defaultGrpcRetryOptions()), door.interceptor],
    });
    const close = async (): Promise<void> => {
      door.close();
      await connection.close();
    };
    return { client: new Client({ connection, namespace, dataConverter }), connection, namespace, close };
  } catch (error) {
    throw new MissingError(
      `the Temporal server at ${temporal.address} does not answer (${firstLine(error)}): ${temporal.external ? 'start it, or name another one in TEMPORAL_ADDRESS or a profile and run `npx evolve up` again' : START}; \`npx evolve doctor\` says more`,
    );
  }
};

/** Opens the engine for the work, and closes it after. */
export const withEngine = async <T>(
  place: Place,
  work: (engine: Engine) => Promise<T>,
  patienceMs?: number,
): Promise<T> => {
  const engine = await openEngine(place, patienceMs);
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
};

type Interceptor = NonNullable<NonNullable<Parameters<typeof Connection.connect>[0]>['interceptors']>[number];

/**
 * The client tries a failed call again from a timer, and there the error of a closed connection would end the process.
 * So a call that comes after `close` ends as cancelled, which is not tried again.
 */
const callsUntilClosed = (): { readonly interceptor: Interceptor; readonly close: () => void } => {
  let closed = false;
  return {
    close: () => {
      closed = true;
    },
    interceptor: (options, next) => (closed ? CANCELLED_CALL : next(options)) as ReturnType<Interceptor>,
  };
};

/** The form of a call that the caller cancelled; 1 is gRPC's code for it. */
const CANCELLED_CALL: Pick<
  ReturnType<Interceptor>,
  'start' | 'sendMessage' | 'halfClose' | 'startRead' | 'cancelWithStatus' | 'getPeer'
> = {
  start: (metadata, listener) => {
    setImmediate(() => {
      listener?.onReceiveMessage?.(null);
      listener?.onReceiveStatus?.({ code: 1, details: 'the connection is closed', metadata });
    });
  },
  sendMessage: () => undefined,
  halfClose: () => undefined,
  startRead: () => undefined,
  cancelWithStatus: () => undefined,
  getPeer: () => '',
};

/** Address and namespace of the Temporal UI. */
export type TemporalUi = { readonly base: string; readonly namespace: string };

/** Null where no UI is known. */
export const temporalUi = ({ home }: Pick<Place, 'home'>): TemporalUi | null => {
  const temporal = readUp(home)?.temporal;
  return temporal?.ui ? { base: temporal.ui, namespace: temporal.namespace } : null;
};

/** The isolation of runs that leave it open, and the cores that programs can have: null where they run elsewhere. */
export const machineOf = ({ home, env }: Place): { readonly auto: string; readonly cores: number | null } => {
  const info = readUp(home);
  if (info === null && upElsewhere(home, env) !== null) return { auto: DEFAULT_LEVEL, cores: null };
  const up = info?.docker;
  const host = up?.host ?? env['DOCKER_HOST'] ?? 'unix:';
  return {
    auto: up?.level ?? DEFAULT_LEVEL,
    cores: host.startsWith('unix:') ? cpus().length : null,
  };
};
