// The needs of a task, and the queue that stands for them: a host knows from its name whether it may take the work.

/** Left out means nothing in particular. */
export type Needs = {
  /** GPUs that a program has to itself. */
  readonly gpu?: number | undefined;
  /** Memory of the host, in GB. */
  readonly memoryGb?: number | undefined;
  /** Words that an operator gave the host. */
  readonly labels?: readonly string[] | undefined;
};

/** The offer of a host. */
export type Offer = { readonly gpus: number; readonly memoryBytes: number; readonly labels: readonly string[] };

/** The queue of programs that any evaluation host may run. */
export const EVALUATION_QUEUE = 'evolve-eval';
/** A label is one word without hyphens, which separate words in the name of a queue. */
export const LABEL = /^(?!gpu\d*$|mem\d+$)[a-z][a-z0-9]{0,30}$/;
export const LABEL_EXPECTED = 'expected lower-case letters and digits such as avx512, and neither gpu<n> nor mem<n>';

/** `evolve-eval`, `evolve-eval-gpu`, `evolve-eval-gpu2-mem64-fast`: labels are sorted, so that equal needs share one. */
export const queueOf = ({ gpu = 0, memoryGb = 0, labels = [] }: Needs): string =>
  [
    EVALUATION_QUEUE,
    ...(gpu === 0 ? [] : [gpu === 1 ? 'gpu' : `gpu${gpu}`]),
    ...(memoryGb === 0 ? [] : [`mem${memoryGb}`]),
    ...[...new Set(labels)].sort(),
  ].join('-');

/** Null where the name is none of an evaluation queue. */
export const needsOf = (queue: string): Needs | null => {
  if (queue === EVALUATION_QUEUE) return {};
  if (!queue.startsWith(`${EVALUATION_QUEUE}-`)) return null;
  const words = queue.slice(EVALUATION_QUEUE.length + 1).split('-');
  const [, gpu] = /^gpu(\d*)$/.exec(words[0] ?? '') ?? [];
  if (gpu !== undefined) words.shift();
  const [, memory] = /^mem(\d+)$/.exec(words[0] ?? '') ?? [];
  if (memory !== undefined) words.shift();
  if (!words.every((word) => LABEL.test(word))) return null;
  return {
    ...(gpu === undefined ? {} : { gpu: gpu === '' ? 1 : Number(gpu) }),
    ...(memory === undefined ? {} : { memoryGb: Number(memory) }),
    ...(words.length === 0 ? {} : { labels: words }),
  };
};

/** True where a host with this offer may serve a queue. */
export const serves = ({ gpus, memoryBytes, labels }: Offer, queue: string): boolean => {
  const needs = needsOf(queue);
  return (
    needs !== null &&
    gpus >= (needs.gpu ?? 0) &&
    memoryBytes >= (needs.memoryGb ?? 0) * 1e9 &&
    (needs.labels ?? []).every((label) => labels.includes(label))
  );
};

/** In words: `1 GPU, 64 GB of memory, the label fast`. */
export const needsText = (queue: string): string => {
  const { gpu, memoryGb, labels = [] } = needsOf(queue) ?? {};
  const words = [
    ...(gpu === undefined ? [] : [`${gpu} GPU${gpu === 1 ? '' : 's'}`]),
    ...(memoryGb === undefined ? [] : [`${memoryGb} GB of memory`]),
    ...(labels.length === 0 ? [] : [`the label${labels.length === 1 ? '' : 's'} ${labels.join(', ')}`]),
  ];
  return words.length === 0 ? 'nothing in particular' : words.join(', ');
};

/** The flags of `evolve worker evaluation` with which a host serves a queue. */
export const flagsFor = (queue: string): string => {
  const { gpu, labels = [] } = needsOf(queue) ?? {};
  return [
    'npx evolve worker evaluation',
    ...(gpu === undefined ? [] : [`--gpus ${gpu}`]),
    ...(labels.length === 0 ? [] : [`--labels ${labels.join(',')}`]),
  ].join(' ');
};
