// The open step of a run, as the workflow engine knows it: its counts, and what is under way in it.
import { runWorkflowId, stepOfWorkflow } from '../../../evolution/ids.ts';
import type { InStep } from '../../../workflows/messages/messages.ts';
import type { Failing, OpenStep, Work } from '../../api/run/open-step.ts';
import { decoded, type Encoded, type EngineHttp } from './engine-http.ts';
import { Kept } from './kept.ts';

/** One look answers for all who follow the run. */
const KEPT_MS = 2_000;
const RUNS_KEPT = 16;
/** Windows of a run overlap; so many are looked at. */
const MOST_STEPS = 4;
/** The texts of so many programs are shown. */
const MOST_PRINTED = 4;

type Pending = {
  readonly activityType?: { readonly name?: string };
  readonly state?: string;
  readonly attempt?: number;
  readonly maximumAttempts?: number;
  readonly lastStartedTime?: string;
  readonly lastFailure?: Failure;
  readonly heartbeatDetails?: { readonly payloads?: readonly Encoded[] };
};
type Failure = { readonly message?: string; readonly cause?: Failure };
type Described = {
  readonly workflowExecutionInfo?: { readonly startTime?: string };
  readonly pendingChildren?: readonly { readonly workflowId?: string }[];
  readonly pendingActivities?: readonly Pending[];
};

/** What wraps a failure only says that something failed. */
const rootMessage = ({ message, cause }: Failure): string | null =>
  cause === undefined ? (message ?? null) : (rootMessage(cause) ?? message ?? null);

const failingOf = ({ attempt = 1, maximumAttempts = 0, lastFailure }: Pending): readonly Failing[] => {
  const why = lastFailure === undefined ? null : rootMessage(lastFailure);
  return why === null ? [] : [{ attempt, attempts: maximumAttempts === 0 ? null : maximumAttempts, why }];
};

/** Nothing where an activity tells nothing, or payloads are encrypted. */
const printedBy = ({ heartbeatDetails }: Pending): readonly string[] => {
  const told = decoded(heartbeatDetails?.payloads?.[0] ?? {});
  return Array.isArray(told) ? told.filter((one) => typeof one === 'string') : [];
};

const workOf = (pending: readonly Pending[]): readonly Work[] =>
  [...Map.groupBy(pending, ({ activityType }) => activityType?.name ?? 'an activity')].map(([activity, all]) => {
    const started = all.filter(({ state }) => state === 'PENDING_ACTIVITY_STATE_STARTED');
    return {
      activity,
      sinceMs: started.map(({ lastStartedTime = '' }) => Date.parse(lastStartedTime)).toSorted((a, b) => a - b),
      waiting: all.length - started.length,
      printed: all.flatMap(printedBy).slice(0, MOST_PRINTED),
      failing: all.flatMap(failingOf).toSorted((a, b) => b.attempt - a.attempt)[0] ?? null,
    };
  });

/** All but what is stored. */
type Seen = Omit<OpenStep, 'made'>;

/** Null where no step is open, or nothing is known of it. */
export const openSteps = ({ get, query }: EngineHttp): ((run: string) => Promise<Seen | null>) => {
  const kept = new Kept<Seen | null>(RUNS_KEPT, KEPT_MS);
  const describe = async (id: string): Promise<Described> =>
    ((await get(`/${encodeURIComponent(id)}`)) ?? {}) as Described;
  const read = async (run: string): Promise<Seen | null> => {
    const { pendingChildren = [] } = await describe(runWorkflowId(run));
    const ids = pendingChildren
      .flatMap(({ workflowId }) =>
        workflowId !== undefined && stepOfWorkflow(workflowId) !== null ? [workflowId] : [],
      )
      .toSorted()
      .slice(-MOST_STEPS);
    const newest = ids.at(-1);
    if (newest === undefined) return null;
    // The newest window counts what is under way in all of them.
    const [counts, ...steps] = await Promise.all([query<InStep>(newest, 'inStep'), ...ids.map(describe)]);
    const began = steps.at(-1)!.workflowExecutionInfo?.startTime;
    return {
      step: stepOfWorkflow(newest)!,
      sinceMs: began === undefined ? null : Date.parse(began),
      counts,
      work: workOf(steps.flatMap(({ pendingActivities = [] }) => pendingActivities)),
      atMs: Date.now(),
    };
  };
  return (run) => kept.get(run, () => read(run).catch(() => null));
};
