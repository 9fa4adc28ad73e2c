// A clock that is set while a process runs: its time of day, not the clock that nobody can set. It is handed to a
// process by NODE_OPTIONS, and says what a file tells it.
import { writeFileSync } from 'node:fs';

/** Runs in the process before anything else, so it is plain JavaScript. */
const SETTABLE = (file: string): string => `
import { readFileSync } from 'node:fs';
const Real = Date;
let [offsetMs, readMs] = [0, -Infinity];
const now = () => {
  if (performance.now() - readMs > 100) {
    readMs = performance.now();
    try { offsetMs = Number(readFileSync(${JSON.stringify(file)}, 'utf8')) || 0; } catch {}
  }
  return Real.now() + offsetMs;
};
globalThis.Date = new Proxy(Real, {
  construct: (_, given, kind) => Reflect.construct(Real, given.length === 0 ? [now()] : given, kind),
  apply: () => String(new Real(now())),
  get: (_, key) => (key === 'now' ? now : Reflect.get(Real, key)),
});`;

export type SetClock = {
  readonly env: NodeJS.ProcessEnv;
  /** From now on the time of day differs by so much from the machine's. */
  set(offsetMs: number): void;
};

export const settableClock = (file: string): SetClock => ({
  env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(SETTABLE(file))}` },
  set: (offsetMs) => writeFileSync(file, String(offsetMs)),
});
