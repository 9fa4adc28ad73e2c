// Starts the measured process of the population bench and asks it for points.
import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { BenchDatabase } from './population-database.ts';
import type { Measured, Request } from './population-process.ts';
import { PARTS } from '../../support/machine/home.ts';

export type Measuring = { measure(request: Request): Promise<Measured>; stop(): Promise<void> };

export const startMeasuring = ({ uri, name, pid }: BenchDatabase): Measuring => {
  const child = fork(join(import.meta.dirname, 'population-process.ts'), [], {
    // As workers are started (deploy/children.ts).
    execArgv: ['--max-semi-space-size=16'],
    env: {
      ...process.env,
      MONGODB_URI: uri,
      BENCH_DATABASE: name,
      BENCH_DATABASE_PID: String(pid ?? ''),
      NODE_COMPILE_CACHE: join(PARTS, 'compile-cache'),
    },
    // What it says goes to stderr: stdout is the bench's JSON.
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const failed = ended.then((code): never => {
    throw new Error(`the measured process ended with code ${code}; its message is above`);
  });
  failed.catch(() => {});
  return {
    measure: (request) =>
      Promise.race([
        failed,
        new Promise<Measured>((resolve) => {
          child.once('message', (measured) => resolve(measured as Measured));
          child.send(request);
        }),
      ]),
    async stop() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
};
