// The offline model inside a worker process. It is a thread of its own, which is started when a run first asks for it and
// ends with the process.
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

const MAIN = fileURLToPath(new URL('../../deploy/offline-model/main.ts', import.meta.url));

let started: Promise<string> | null = null;

/** Resolves to its address. Where it cannot start, it is tried again when it is next asked for. */
export const startOfflineModel = (): Promise<string> =>
  (started ??= start().catch((error: unknown) => {
    started = null;
    throw error;
  }));

const start = (): Promise<string> =>
  new Promise((resolve, reject) => {
    const thread = new Worker(MAIN, { argv: ['--port', '0'], stdout: true, execArgv: [] });
    thread.unref();
    let output = '';
    thread.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
      const line = output.split('\n').find((one) => one.includes('"port"'));
      if (line !== undefined) resolve(`http://127.0.0.1:${(JSON.parse(line) as { port: number }).port}/v1`);
    });
    const ended = (why: string): void => {
      started = null;
      reject(new Error(`the offline model of this process ended: ${why}`));
    };
    thread.once('error', (error) => ended(error.message));
    thread.once('exit', (code) => ended(`code ${code}`));
  });
