// Settings of the offline model: its address and the faults that it makes on purpose.
import { parseArgs } from 'node:util';

export type OfflineModelOptions = {
  /** Delay before each answer, and the largest random addition to it. */
  readonly latencyMs: number;
  readonly latencyJitterMs: number;
  /** Shares of requests in [0, 1]. */
  readonly rate429: number;
  readonly rate500: number;
  /** The connection is destroyed in the middle of the body. */
  readonly rateCut: number;
  /** The body is broken JSON. */
  readonly rateMalformed: number;
  /** Share of choices in [0, 1] that have unusable text in a valid envelope. */
  readonly rateGarbage: number;
  /** Share of choices in [0, 1] with empty or null content. One request in four of this share gets no choices at all. */
  readonly rateEmpty: number;
  /** Requests are refused with 401 for so many milliseconds after the start. Infinity means always. */
  readonly failAuthMs: number;
  readonly trivial: boolean;
  /** False means one choice whatever `n` asks for, as endpoints without native n give. */
  readonly nativeN: boolean;
  readonly faultSeed: number;
};

export const NO_FAULTS: OfflineModelOptions = {
  latencyMs: 0,
  latencyJitterMs: 0,
  rate429: 0,
  rate500: 0,
  rateCut: 0,
  rateMalformed: 0,
  rateGarbage: 0,
  rateEmpty: 0,
  failAuthMs: 0,
  trivial: false,
  nativeN: true,
  faultSeed: 0,
};

export type Address = { readonly host: string; readonly port: number };

const USAGE = `node main.ts [--port N] [--host 127.0.0.1] [--latency-ms N] [--latency-jitter-ms N] [--rate-429 P] [--rate-500 P] [--rate-cut P]
  [--rate-malformed P] [--rate-garbage P] [--rate-empty P] [--fail-auth SECONDS|always] [--trivial] [--no-native-n] [--fault-seed N]`;

/** Throws an Error that names the flag, what it takes and what came. */
export function readFlags(args: readonly string[]): Address & { readonly options: OfflineModelOptions } {
  const text = { type: 'string' } as const,
    flag = { type: 'boolean' } as const;
  const { values } = parseArgs({
    args: [...args],
    strict: true,
    options: {
      port: text,
      host: text,
      'latency-ms': text,
      'latency-jitter-ms': text,
      'rate-429': text,
      'rate-500': text,
      'rate-cut': text,
      'rate-malformed': text,
      'rate-garbage': text,
      'rate-empty': text,
      'fail-auth': text,
      'fault-seed': text,
      trivial: flag,
      'no-native-n': flag,
    },
  });
  const number = (name: keyof typeof values, most: number): number => {
    const entry = values[name] ?? '0';
    const value = Number(entry);
    if (typeof entry !== 'string' || entry.trim() === '' || !(value >= 0 && value <= most))
      throw new Error(`--${name} takes a number from 0 to ${most}, not "${entry}"\n${USAGE}`);
    return value;
  };
  return {
    host: values.host ?? '127.0.0.1',
    port: number('port', 65_535),
    options: {
      latencyMs: number('latency-ms', 3_600_000),
      latencyJitterMs: number('latency-jitter-ms', 3_600_000),
      rate429: number('rate-429', 1),
      rate500: number('rate-500', 1),
      rateCut: number('rate-cut', 1),
      rateMalformed: number('rate-malformed', 1),
      rateGarbage: number('rate-garbage', 1),
      rateEmpty: number('rate-empty', 1),
      failAuthMs: values['fail-auth'] === 'always' ? Infinity : 1000 * number('fail-auth', 1_000_000),
      trivial: values.trivial ?? false,
      nativeN: !(values['no-native-n'] ?? false),
      faultSeed: number('fault-seed', Number.MAX_SAFE_INTEGER),
    },
  };
}
