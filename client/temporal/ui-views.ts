// The views of the Temporal UI: which rows show what. The table in docs/temporal-ui.md, the links of `evolve up` and
// `evolve views`, and the tests on a real server are made of this one list.
import type { TemporalUi } from '../connect/connection.ts';

export type UiView = {
  readonly name: string;
  /** A word in angle brackets is for a person to fill in. */
  readonly query: string;
  readonly meaning: string;
};

/** One row a run, open or at rest. A reset, a rewind and a terminate leave rows of other states. */
const PRESENT = 'ExecutionStatus IN ("Running", "Completed")';
export const RUNS = `WorkflowType = "evolutionRun" AND ${PRESENT}`;
const OPEN_RUNS = 'WorkflowType = "evolutionRun" AND ExecutionStatus = "Running"';
const RESTING_RUNS = 'WorkflowType = "evolutionRun" AND ExecutionStatus = "Completed"';
/** The server's report on an execution whose code fails. */
export const FAULTS = 'TemporalReportedProblems IN ("category=WorkflowTaskFailed", "category=WorkflowTaskTimedOut")';

export const UI_VIEWS: readonly UiView[] = [
  {
    name: 'needs a person',
    query: `ExecutionStatus = "Running" AND ((EvoNeedsAttention = true AND WorkflowType IN ("evolutionRun", "sweep")) OR ${FAULTS})`,
    meaning: 'runs and sweeps that are parked, and everything whose code fails',
  },
  { name: 'all runs', query: RUNS, meaning: 'one row a run' },
  { name: 'runs under way', query: OPEN_RUNS, meaning: 'runs that are open, paused ones too' },
  {
    name: 'paused runs',
    query: `${OPEN_RUNS} AND EvoStatus IN ("pausing", "paused")`,
    meaning: 'runs that wait for `resume`, or soon will',
  },
  { name: 'ended runs', query: RESTING_RUNS, meaning: 'finished, stopped and terminated runs' },
  {
    name: 'terminated runs',
    query: `${RESTING_RUNS} AND EvoStatus = "terminated"`,
    meaning: 'runs that somebody terminated and nobody has resumed',
  },
  {
    name: 'refused starts',
    query: 'WorkflowType IN ("evolutionRun", "sweep") AND ExecutionStatus = "Failed"',
    meaning: 'starts that failed at once, with the reason as their result',
  },
  {
    name: 'one run with its steps',
    query: `EvoRunId = "<run>" AND ${PRESENT}`,
    meaning:
      'the run, its steps and the updates of its policy; what was done again has a row for each time it was committed',
  },
  {
    name: 'one step',
    query: 'WorkflowId = "run/<run>/step/<000012>"',
    meaning: 'all executions of the step, also those that a reset, a retry or a rewind gave up',
  },
  {
    name: 'updates of policies',
    query: `WorkflowType = "policyUpdate" AND ${PRESENT}`,
    meaning: 'one row an update, of all runs that learn, with the policy that it makes or made (`EvoPolicy`)',
  },
  {
    name: 'one policy',
    query: `EvoPolicy = "<policy>" AND ${PRESENT}`,
    meaning: 'the update that made the policy, the one that trained on from it, and the run while it samples from it',
  },
  {
    name: 'all sweeps',
    query: `WorkflowType = "sweep" AND EvoSweepId IS NOT NULL AND ${PRESENT}`,
    meaning: 'one row a sweep',
  },
  {
    name: 'one sweep with its runs',
    query: `EvoSweepId = "<sweep>" AND WorkflowType IN ("evolutionRun", "sweep") AND ${PRESENT}`,
    meaning: 'the sweep, and one row for each of its runs that was started',
  },
  {
    name: 'good runs on a task',
    query: `${RUNS} AND EvoTask = "<task>" AND EvoBestScore > <2.6>`,
    meaning: 'runs whose present best score is above a number',
  },
  { name: 'expensive runs', query: `${RUNS} AND EvoSpend > <5>`, meaning: 'runs that have cost more, in US dollars' },
];

/** The columns that make a table of runs readable: what changes stands first, what was chosen at the start last. */
export const UI_COLUMNS: readonly string[] = [
  ...['Status', 'Workflow ID', 'EvoStatus', 'EvoStep', 'EvoBestScore', 'EvoSpend', 'EvoLastImprovement'],
  ...['EvoLastCommit', 'Start', 'EvoSeed', 'EvoTask', 'EvoModel', 'EvoPolicy'],
];

/** True where the query has no blank for a person to fill in. */
export const isComplete = ({ query }: UiView): boolean => !/<[\w.]+>/.test(query);

export const workflowsUrl = ({ base, namespace }: TemporalUi): string =>
  `${base.replace(/\/+$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows`;

/** The views that `evolve up` names. */
export const FIRST_VIEWS: readonly UiView[] = UI_VIEWS.filter(({ name }) =>
  ['needs a person', 'all runs'].includes(name),
);

/** The table of docs/temporal-ui.md. */
export const viewsTable = (): string =>
  [
    '| view | rows | query |',
    '| --- | --- | --- |',
    ...UI_VIEWS.map(({ name, meaning, query }) => `| ${name} | ${meaning} | \`${query}\` |`),
  ].join('\n');

/** Opens the view. With `save` the UI also keeps it under its name, once more each time the address is opened. */
export const viewUrl = (ui: TemporalUi, { name, query }: UiView, { save }: { readonly save: boolean }): string => {
  const parameters = new URLSearchParams({ query, ...(save ? { savedQuery: name } : {}) });
  return `${workflowsUrl(ui)}?${parameters.toString().replaceAll('+', '%20')}`;
};

/**
 * Sets columns and saved views in one go. Both live in the browser, where no address can reach the columns, so a person
 * pastes this line into the browser's console on a page of the UI. Pasted again, it changes nothing more.
 */
export const consoleLine = ({ namespace }: TemporalUi): string => {
  const name = JSON.stringify(namespace);
  const views = UI_VIEWS.filter(isComplete).map((view) => ({
    id: view.name,
    name: view.name,
    query: view.query,
    type: 'user',
  }));
  const columns = UI_COLUMNS.map((label) => ({ label }));
  return (
    `((n,v,c)=>{const put=(k,f)=>{const s=JSON.parse(localStorage[k]||"{}");s[n]=f(s[n]||[]);localStorage[k]=JSON.stringify(s)};` +
    `put("saved-workflow-queries",a=>[...a.filter(o=>!v.some(w=>w.name===o.name)),...v]);` +
    `put("namespace-workflow-table-columns",()=>c);location.reload()})` +
    `(${name},${JSON.stringify(views)},${JSON.stringify(columns)})`
  );
};
