// There is one task queue for each kind of work, so that each kind has its own slots and its own worker.
export const QUEUES = {
  workflow: 'evolve-workflow',
  db: 'evolve-db',
  llm: 'evolve-llm',
  eval: 'evolve-eval',
  sweep: 'evolve-sweep',
  /** Polled by the Python worker that holds the trainers (deploy/trainer), and by nobody where no run learns. */
  rl: 'evolve-rl',
} as const;
