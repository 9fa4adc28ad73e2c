// The states of open runs by the workflow engine: one list a while answers for all runs. Where no UI is known, states are
// the database's.
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import { standing, terminated, type WorkflowWord, wordOfExecution } from '../../../client/temporal/run-state.ts';
import { RUN_WORKFLOW, runWorkflowId } from '../../../evolution/ids.ts';
import { hasEnded } from '../../../evolution/run-states.ts';
import { decoded, type Encoded, type EngineHttp } from './engine-http.ts';
import { Kept } from './kept.ts';

/** An answer of the engine counts for so long. The state that a run itself writes is seen at once. */
const KEPT_MS = 10_000;
/** After an action its answers count for less, as long as the action may change states. */
const SOON_MS = 500;
const ACTED_MS = 5_000;
/** Pages of executions as the engine gives them. */
const MOST_PAGES = 20;
/** So many runs that the engine does not list as open are asked about one by one, in one look. */
const MOST_ASKED = 10;

type Execution = {
  readonly execution?: { readonly workflowId?: string };
  readonly status?: string;
  readonly memo?: { readonly fields?: { readonly [name: string]: Encoded } };
  readonly searchAttributes?: { readonly indexedFields?: { readonly [name: string]: Encoded } };
};
type Page = { readonly executions?: readonly Execution[]; readonly nextPageToken?: string };

const valuesOf = (fields: { readonly [name: string]: Encoded } = {}): { readonly [name: string]: unknown } =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, decoded(value)]));

const wordOf = ({ status = '', memo, searchAttributes }: Execution): WorkflowWord => {
  const values = Object.entries(valuesOf(searchAttributes?.indexedFields));
  return wordOfExecution({
    status: { name: status.replace('WORKFLOW_EXECUTION_STATUS_', '') },
    memo: valuesOf(memo?.fields),
    typedSearchAttributes: { getAll: () => values.map(([name, value]) => ({ key: { name }, value })) },
  });
};

export type EngineStates = {
  /** A person has just acted, so states are about to change. */
  readonly acted: () => void;
  /** Documents with the present state of their runs, and a note where the engine could not be asked. */
  readonly asTheyStand: (
    documents: readonly RunDocument[],
  ) => Promise<{ readonly runs: readonly RunDocument[]; readonly note: string | null }>;
};

export const engineStates = ({ get }: EngineHttp): EngineStates => {
  let listed: { readonly atMs: number; readonly words: Promise<ReadonlyMap<string, WorkflowWord>> } | null = null;
  const asked = new Kept<WorkflowWord | null>(4 * MOST_ASKED, KEPT_MS);

  const open = async (): Promise<ReadonlyMap<string, WorkflowWord>> => {
    const words = new Map<string, WorkflowWord>();
    let token = '';
    for (let page = 0; page < MOST_PAGES; page++) {
      const query = new URLSearchParams({ query: `WorkflowType = "${RUN_WORKFLOW}" AND ExecutionStatus = "Running"` });
      if (token !== '') query.set('nextPageToken', token);
      const { executions = [], nextPageToken = '' } = ((await get(`?${query}`)) ?? {}) as Page;
      for (const one of executions) words.set(one.execution?.workflowId ?? '', wordOf(one));
      if (nextPageToken === '') break;
      token = nextPageToken;
    }
    return words;
  };
  let actedMs = -Infinity;
  const openNow = (): Promise<ReadonlyMap<string, WorkflowWord>> => {
    const keptMs = performance.now() - actedMs < ACTED_MS ? SOON_MS : KEPT_MS;
    if (listed === null || listed.atMs < actedMs || performance.now() - listed.atMs > keptMs)
      listed = { atMs: performance.now(), words: open() };
    return listed.words;
  };
  const ask = (run: string): Promise<WorkflowWord | null> =>
    asked.get(run, async () => {
      const answer = await get(`/${encodeURIComponent(runWorkflowId(run))}`);
      return answer === null
        ? null
        : wordOf((answer as { readonly workflowExecutionInfo?: Execution }).workflowExecutionInfo ?? {});
    });
  return {
    acted() {
      actedMs = performance.now();
    },
    async asTheyStand(documents) {
      try {
        const words = await openNow();
        let questions = 0;
        const runs = await Promise.all(
          documents.map(async (run) => {
            const word = words.get(runWorkflowId(run.run));
            if (word !== undefined) return standing(run, word);
            // It was ended from outside, or has just begun.
            if (hasEnded(run) || run.status === 'queued' || questions++ >= MOST_ASKED) return run;
            const closer = await ask(run.run);
            return closer === null ? run : standing(terminated(run, closer), closer);
          }),
        );
        return { runs, note: null };
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return {
          runs: documents,
          note: `States are those of the database, because the workflow engine could not be asked (${why}).`,
        };
      }
    },
  };
};
