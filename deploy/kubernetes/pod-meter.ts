// The use of a pod, asked of a process of its own in the container (guest/pod-meter.py), since a cluster itself tells
// it only every fifteen seconds or so. The program has the same uid and could end the meter. Its numbers are then not
// known any more, and the limits of the kernel and the wall clock still hold.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ResourceUse } from '../../activities/sandbox/contract/confined.ts';
import { InfrastructureError } from '../../activities/sandbox/contract/types.ts';
import type { ClusterApi } from './api.ts';
import { openExec } from './exec.ts';
import { guest, python } from './pod-process.ts';

const METER = python(guest('pod-meter.py'));
const [BOOT_MS, ANSWER_MS] = [60_000, 5_000];
const LINE = /^(\d+) (\d+|-) (\d+|-)$/;
const LINE_CHARS = 100;

export type Meter = {
  /** Asks, and waits for the answer. It never throws. */
  sample(): Promise<void>;
  mark(): void;
  /** As of the last answer. */
  use(): ResourceUse;
  /** True once a process was killed for its memory; null where that is not known. */
  oomKilled(): boolean | null;
  /** True if it answered the last question. */
  lives(): boolean;
  close(): void;
};

type Reading = { readonly cpuMs: number; readonly peakBytes: number | null; readonly kills: number | null };

const readingOf = (line: string): Reading | null => {
  const [, cpu, peak, kills] = LINE.exec(line) ?? [];
  if (cpu === undefined) return null;
  const numberIn = (text: string | undefined): number | null => (text === '-' ? null : Number(text));
  return { cpuMs: Number(cpu) / 1000, peakBytes: numberIn(peak), kills: numberIn(kills) };
};

/** Resolves once it has answered. Throws InfrastructureError. */
export const createMeter = async (
  api: ClusterApi,
  into: { readonly pod: string; readonly container: string },
): Promise<Meter> => {
  let text = '';
  let last: Reading | null = null;
  let first: Reading | undefined;
  let markedMs: number | null = null;
  let alive = true;
  let closed = false;
  let answered = Promise.withResolvers<void>();
  let tail = '';
  const exec = await openExec(api, {
    ...into,
    command: METER,
    onStdout: (chunk) => {
      text = (text + chunk.toString('latin1')).slice(-LINE_CHARS);
      if (!text.endsWith('\n')) return;
      const reading = readingOf(text.trim().split('\n').at(-1)!);
      text = '';
      if (reading === null) return;
      // Use cannot become less.
      last = { ...reading, cpuMs: Math.max(reading.cpuMs, last?.cpuMs ?? 0) };
      first ??= last;
      answered.resolve();
    },
    onStderr: (chunk) => {
      tail = (tail + chunk.toString()).slice(-300);
    },
  });
  void exec.ended.then(() => {
    // The last numbers before its end stay valid.
    if (!closed) alive = false;
    answered.resolve();
  });
  const close = (): void => {
    closed = true;
    exec.close();
  };
  await Promise.race([answered.promise, sleep(BOOT_MS, undefined, { ref: false })]);
  if (first === undefined) {
    close();
    throw new InfrastructureError(`a pod does not say what it uses: ${tail.trim() || 'no answer'}`);
  }
  let asking: Promise<void> | undefined;
  const ask = async (): Promise<void> => {
    answered = Promise.withResolvers<void>();
    exec.send(Buffer.from('\n'));
    const silence = new AbortController();
    const silent = sleep(ANSWER_MS, 'silent', { ref: false, signal: silence.signal }).catch(() => undefined);
    if ((await Promise.race([answered.promise, silent])) === 'silent') alive = false;
    silence.abort();
  };
  return {
    sample: () => {
      if (!alive || closed) return Promise.resolve();
      asking ??= ask().finally(() => {
        asking = undefined;
      });
      return asking;
    },
    mark: () => {
      markedMs = last?.cpuMs ?? null;
    },
    use: () => ({
      cpuMs: last === null || markedMs === null || !alive ? null : Math.round(last.cpuMs - markedMs),
      peakBytes: last?.peakBytes ?? null,
    }),
    oomKilled: () => (last === null || last.kills === null || first!.kills === null ? null : last.kills > first!.kills),
    lives: () => alive,
    close,
  };
};
