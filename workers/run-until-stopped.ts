// Runs workers until SIGTERM or SIGINT, then drains and closes them. A worker that fails ends the process: the supervisor restarts it.
import type { Worker } from '@temporalio/worker';

export const runUntilStopped = async (options: { readonly workers: readonly Worker[]; readonly close: () => Promise<void> }): Promise<void> => {
  const shutdown = (): void => { for (const worker of options.workers) if (worker.getState() === 'RUNNING') worker.shutdown(); };
  process.on('SIGTERM', shutdown);
  process.on('SIGINT', shutdown);
  console.log(`ready: ${options.workers.map((worker) => worker.options.taskQueue).join(', ')} (pid ${process.pid})`);
  try {
    await Promise.all(options.workers.map((worker) => worker.run()));
    await options.close();
    process.exit(0);
  } catch (error) {
    console.error('a worker failed:', error);
    process.exit(1);
  }
};
