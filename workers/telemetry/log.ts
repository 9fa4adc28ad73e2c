// The log of a worker process: lines of text as Temporal's SDK writes them, or JSON, a line an entry, with
// run, step, program, activity and attempt as far as they are known. Keys are taken out of both.
import { AsyncLocalStorage } from 'node:async_hooks';
import { format } from 'node:util';
import { DefaultLogger, type Logger } from '@temporalio/worker';
import { linesTo, type Told } from '../../activities/telemetry/lines.ts';
import { visible } from '../../evolution/visible.ts';

/** The subject of an activity. */
export type Place = {
  readonly run?: string;
  readonly step?: number;
  readonly epoch?: number;
  readonly group?: number;
  readonly slot?: number;
  readonly program?: string;
  readonly activity: string;
  readonly attempt: number;
};

const places = new AsyncLocalStorage<Place>();

/** Lines that the work writes say where it is. */
export const at = <T>(place: Place, work: () => Promise<T>): Promise<T> => places.run(place, work);

type Entry = Readonly<Record<string, unknown>>;

/** `run/<run>/step/<n>` and `run/<run>`, as workflows are called. */
const workflowPlace = (workflowId: unknown): Entry => {
  const [, run, step] = /^run\/([a-z0-9-]+)(?:\/step\/(\d+))?/.exec(String(workflowId)) ?? [];
  return { ...(run === undefined ? {} : { run }), ...(step === undefined ? {} : { step: Number(step) }) };
};

/** The parts of an entry of the SDK that help a reader. Ids of the engine find it in Temporal's UI. */
const KEPT = ['workflowId', 'runId', 'workflowType', 'taskQueue', 'activityId'];

const fromMeta = (meta: Entry): Entry => ({
  ...workflowPlace(meta['workflowId']),
  ...(meta['activityType'] === undefined ? {} : { activity: meta['activityType'] }),
  ...(meta['attempt'] === undefined ? {} : { attempt: meta['attempt'] }),
  ...Object.fromEntries(KEPT.flatMap((name) => (meta[name] === undefined ? [] : [[name, meta[name]]]))),
  ...(meta['error'] === undefined ? {} : { error: wordsOf(meta['error']) }),
});

const wordsOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));

type Log = {
  readonly process: string;
  readonly redact: (text: string) => string;
  /** Takes a whole line; by default it goes to the standard error stream. */
  readonly write?: (line: string) => void;
};

export type JsonLog = { readonly logger: Logger; readonly write: (level: string, message: string, of: Entry) => void };

export const createJsonLog = ({ process: name, redact, write = toStandardError }: Log): JsonLog => {
  const entry = (level: string, message: string, of: Entry): void => {
    const redacted = Object.entries({ ...places.getStore(), ...of }).map(([key, value]) => [
      key,
      typeof value === 'string' ? redact(value) : value,
    ]);
    const line = {
      ...{ time: new Date().toISOString(), level, message: redact(message), process: name },
      ...(Object.fromEntries(redacted) as Entry),
    };
    write(JSON.stringify(line, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value)));
  };
  const logger = new DefaultLogger('WARN', ({ level, message, meta = {} }) =>
    entry(level.toLowerCase(), message, fromMeta(meta)),
  );
  return { logger, write: entry };
};

const toStandardError = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

/** From now on everything that this process writes is JSON, what it or a library writes to the console included. */
export const logJson = (log: Omit<Log, 'write'>): Logger => {
  const { logger, write } = createJsonLog(log);
  for (const [method, level] of [
    ['log', 'info'],
    ['info', 'info'],
    ['warn', 'warn'],
    ['error', 'error'],
  ] as const)
    console[method] = (...words: readonly unknown[]) => write(level, format(...words), {});
  linesTo((level, message, of: Told) => write(level, message, of));
  return logger;
};

/** The SDK's own lines without keys and terminal codes, because errors repeat what endpoints say. */
export const textLogger = ({ redact, write = toStandardError }: Omit<Log, 'process'>): Logger =>
  new DefaultLogger('WARN', ({ level, timestampNanos, message, meta }) => {
    const time = new Date(Number(timestampNanos / 1_000_000n)).toISOString();
    write(visible(redact(`${time} [${level}] ${meta === undefined ? message : `${message} ${format(meta)}`}`)));
  });
