// The thread that reads texts from outside. It answers each text with what it read or with the error of reading it, and
// tells its caller by shared memory how much CPU time it had taken when it began with a text.
import { parentPort, workerData } from 'node:worker_threads';
import { READINGS } from './readings.ts';
import type { ToThread } from './reading.ts';

const { began } = workerData as { readonly began: Float64Array };

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

parentPort!.on('message', ({ reading, texts }: ToThread) => {
  const read = READINGS[reading] as (text: unknown) => unknown;
  for (const text of texts) {
    began[0] = cpuMs();
    try {
      parentPort!.postMessage({ value: read(text), failed: null });
    } catch (error) {
      parentPort!.postMessage({ value: null, failed: String(error).slice(0, 200) });
    }
  }
});
