// There is one task queue for each kind of work, so that each kind has its own slots and its own worker.
export const QUEUES = {
  workflow: 'evolve-workflow',
  db: 'evolve-db',
  llm: 'evolve-llm',
  eval: 'evolve-eval',
  sweep: 'evolve-sweep',
} as const;
