// The time of a step by its activities: GET runs/<run>/time/<step>. All functions are pure.

/** The kinds of work. A moment at which several go on counts for the first of them. */
export const WORK = {
  commit: { name: 'commit', colour: '--s3' },
  container: { name: 'container', colour: '--s1' },
  model: { name: 'model', colour: '--s0' },
  embedding: { name: 'embeddings', colour: '--s4' },
  edits: { name: 'edits', colour: '--s7' },
  plan: { name: 'plan', colour: '--s5' },
  other: { name: 'other', colour: '--s6' },
} as const;
export type Work = keyof typeof WORK;

const KINDS: { readonly [activity: string]: Work } = {
  commitStep: 'commit',
  evaluate: 'container',
  evaluateHidden: 'container',
  generate: 'model',
  ask: 'model',
  embed: 'embedding',
  applyResponses: 'edits',
  advance: 'edits',
  planStep: 'plan',
  planIsland: 'plan',
  planOverlapping: 'plan',
  turnStream: 'plan',
};
export const workOf = (activity: string): Work => KINDS[activity] ?? 'other';

/** Times in milliseconds since 1970. `startedMs` is that of the last attempt; null while it waits or is retried. */
export type Activity = {
  readonly name: string;
  readonly queue: string;
  readonly scheduledMs: number;
  readonly startedMs: number | null;
  readonly endedMs: number | null;
  readonly attempt: number;
  readonly failed: boolean;
};

export type StepTime = {
  readonly step: number;
  /** The commits of the step before and of this one. */
  readonly fromMs: number | null;
  readonly toMs: number;
  /** The history that the workflow engine still keeps; null where it keeps none or was not reached. */
  readonly history: {
    readonly activities: readonly Activity[];
    readonly startMs: number;
    readonly endMs: number | null;
    /** The workflow may do several steps (a window); this is the first of them. */
    readonly firstStep: number;
  } | null;
  /** Why there is no history. */
  readonly unknown: string | null;
  readonly evaluations: {
    readonly programs: number;
    /** Programs that were not run: they failed before, or are the same as another one. */
    readonly notRun: number;
    readonly cpuSeconds: number;
    readonly wallSeconds: number;
    readonly longest: { readonly program: string; readonly seconds: number } | null;
  };
};

export type Span = { readonly from: number; readonly to: number };

/** The length of the union of the spans. */
export const covered = (spans: readonly Span[]): number => {
  let [sum, end] = [0, Number.NEGATIVE_INFINITY];
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
    if (to <= end) continue;
    sum += to - Math.max(from, end);
    end = to;
  }
  return sum;
};

export type Part = { readonly name: string; readonly colour: string; readonly ms: number };

/**
 * Every moment of the step counts once: as what was at work then, as model and container together, as waiting in a
 * queue where something waited and nothing worked, or as between. The parts add up to the whole.
 */
export const partsOf = (activities: readonly Activity[], { from, to }: Span): readonly Part[] => {
  const ends = new Set([from, to]);
  for (const { scheduledMs, startedMs, endedMs } of activities)
    for (const at of [scheduledMs, startedMs, endedMs]) if (at !== null && at > from && at < to) ends.add(at);
  const changes = new Map<number, Map<Work | 'waiting', number>>();
  const change = (at: number, of: Work | 'waiting', by: number): void => {
    const there = changes.get(at) ?? new Map<Work | 'waiting', number>();
    there.set(of, (there.get(of) ?? 0) + by);
    changes.set(at, there);
  };
  const within = (at: number): number => Math.min(to, Math.max(from, at));
  for (const { name, scheduledMs, startedMs, endedMs } of activities) {
    change(within(scheduledMs), 'waiting', 1);
    change(within(startedMs ?? endedMs ?? to), 'waiting', -1);
    if (startedMs === null) continue;
    change(within(startedMs), workOf(name), 1);
    change(within(endedMs ?? to), workOf(name), -1);
  }
  const now = new Map<Work | 'waiting', number>();
  const sums = new Map<string, { colour: string; ms: number }>();
  const at = [...ends].sort((a, b) => a - b);
  for (const [index, moment] of at.entries()) {
    for (const [of, by] of changes.get(moment) ?? []) now.set(of, (now.get(of) ?? 0) + by);
    const next = at[index + 1];
    if (next === undefined) break;
    const busy = (of: Work | 'waiting'): boolean => (now.get(of) ?? 0) > 0;
    const first = (Object.keys(WORK) as Work[]).find(busy);
    const part =
      first === 'container' && busy('model')
        ? { name: 'model and container at once', colour: '--s2' }
        : first !== undefined
          ? WORK[first]
          : busy('waiting')
            ? { name: 'waiting in a queue', colour: '--wait' }
            : { name: 'between activities', colour: '--line' };
    const sum = sums.get(part.name) ?? { colour: part.colour, ms: 0 };
    sum.ms += next - moment;
    sums.set(part.name, sum);
  }
  return [...sums].map(([name, { colour, ms }]) => ({ name, colour, ms })).sort((a, b) => b.ms - a.ms);
};

export type WorkLine = {
  readonly work: Work;
  readonly activities: number;
  /** The time with at least one at work, and the sum of all. */
  readonly coveredMs: number;
  readonly sumMs: number;
  /** In queues, earlier attempts and the waits between them included. */
  readonly waitedMs: number;
  readonly retried: number;
  readonly failed: number;
};

export const workLines = (activities: readonly Activity[], untilMs: number): readonly WorkLine[] =>
  (Object.keys(WORK) as Work[]).flatMap((work) => {
    const own = activities.filter(({ name }) => workOf(name) === work);
    if (own.length === 0) return [];
    const spans = own.flatMap(({ startedMs, endedMs }) =>
      startedMs === null ? [] : [{ from: startedMs, to: endedMs ?? untilMs }],
    );
    return [
      {
        work,
        activities: own.length,
        coveredMs: covered(spans),
        sumMs: spans.reduce((sum, { from, to }) => sum + to - from, 0),
        waitedMs: own.reduce(
          (sum, { scheduledMs, startedMs, endedMs }) =>
            sum + Math.max(0, (startedMs ?? endedMs ?? untilMs) - scheduledMs),
          0,
        ),
        retried: own.filter(({ attempt }) => attempt > 1).length,
        failed: own.filter(({ failed }) => failed).length,
      },
    ];
  });
