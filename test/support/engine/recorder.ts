// Records the words for the states of runs, and judges them by what the engine and the store say at the same moment:
// which steps and activities are under way, what is committed. For end-to-end tests.
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import { hasEnded, isParked, type RunStatus } from '../../../evolution/run-states.ts';
import type { RunProgress } from '../../../workflows/messages/messages.ts';
import { carriedOut } from '../machine/carried-out.ts';
import type { Live } from '../machine/live.ts';

type Listed = { readonly run: string; readonly state: string };

/** What the engine says of a workflow, in one answer. */
type Present = {
  readonly state: string;
  /** Is another one whenever something happened to the workflow. */
  readonly moment: string;
  readonly children: readonly string[];
  readonly activities: readonly string[];
  readonly attributes: { readonly [name: string]: readonly unknown[] | undefined };
};

type Picture = {
  readonly moment: string;
  readonly run: Present;
  /** The steps that are under way. */
  readonly steps: readonly Present[];
  readonly said: RunProgress;
  readonly document: RunDocument;
  readonly listed: string | undefined;
};

export type Record = {
  /** The words of each run, in the order in which they came. */
  readonly words: Map<string, RunStatus[]>;
  readonly faults: string[];
  /** Moments at which nothing moved while the words were read, so that they could be judged. */
  judged: number;
  moved: number;
  /** Moments at which the run had just been terminated, or nobody answered because the worker was down. */
  unanswered: number;
};

/** These only write down the word itself. */
const WRITING = ['markRun', 'endRun'];

export const startRecorder = (live: Live, runs: readonly string[], everyMs: number) => {
  const { engine } = live;
  const record: Record = { words: new Map(), faults: [], judged: 0, moved: 0, unanswered: 0 };
  const last = new Map<string, Picture>();
  let stopped = false;

  const present = async (workflowId: string): Promise<Present> => {
    const { status, runId, historyLength, searchAttributes, raw } = await engine.client.workflow
      .getHandle(workflowId)
      .describe();
    const activities = (raw.pendingActivities ?? []).map(({ activityType }) => activityType?.name ?? '');
    return {
      state: status.name,
      moment: `${runId} ${historyLength} ${activities.join()} ${raw.pendingWorkflowTask ? 'task' : ''}`,
      children: (raw.pendingChildren ?? []).map((child) => child.workflowId!),
      activities,
      attributes: searchAttributes,
    };
  };
  /** Null where nobody can say the word at this moment. */
  const picture = async (run: string, listed: readonly Listed[]): Promise<Picture | null> => {
    const handle = engine.client.workflow.getHandle(`run/${run}`);
    const before = await present(`run/${run}`);
    if (!['RUNNING', 'COMPLETED'].includes(before.state)) return null;
    const said = await handle.query<RunProgress>('status').catch(() => null);
    const document = await engine.store.readRun(run);
    const now = await present(`run/${run}`);
    const steps = await Promise.all(now.children.map((child) => present(child).catch(() => null)));
    if (said === null || document === null) return null;
    const found = steps.filter((step) => step !== null);
    const moment = [before, now, ...found].map((one) => one.moment).join('; ');
    const word = listed.find((one) => one.run === run)?.state;
    return { moment: before.moment === now.moment ? moment : '', run: now, steps: found, said, document, listed: word };
  };
  const list = async (): Promise<readonly Listed[]> => {
    const { stdout, code } = await carriedOut(['list', '--json']);
    return code === 0 ? (JSON.parse(stdout) as Listed[]) : [];
  };

  const look = async (): Promise<void> => {
    const pictures = async (listed: readonly Listed[]) =>
      new Map(await Promise.all(runs.map(async (run) => [run, await picture(run, listed).catch(() => null)] as const)));
    const first = await pictures([]);
    const listed = await list();
    const second = await pictures(listed);
    for (const run of runs) {
      const [one, two] = [first.get(run) ?? null, second.get(run) ?? null];
      if (one === null || two === null) record.unanswered += 1;
      else if (one.moment === '' || one.moment !== two.moment) record.moved += 1;
      else {
        const { status } = two.said;
        const words = record.words.get(run) ?? [];
        if (words.at(-1) !== status) record.words.set(run, [...words, status]);
        record.judged += 1;
        record.faults.push(...faultsOf(two, last.get(run) ?? null).map((fault) => `${run}: ${fault}`));
        last.set(run, two);
      }
    }
  };
  const done = (async () => {
    while (!stopped) {
      await look();
      await sleep(everyMs);
    }
  })();
  // A test that fails before it stops the recorder tells its own fault.
  done.catch(() => undefined);
  return {
    record,
    async stop(): Promise<Record> {
      stopped = true;
      await done;
      await look();
      return record;
    },
  };
};

/** Everything of a picture in which nothing moved that cannot be true. */
const faultsOf = (now: Picture, before: Picture | null): readonly string[] => {
  const { said, document, run, steps, listed } = now;
  const word = said.status;
  const open = run.state === 'RUNNING';
  const atWork = [...run.children, ...run.activities.filter((name) => !WRITING.includes(name))];
  const inSteps = steps.flatMap(({ activities }) => activities);
  // The document is told by an activity, and is on its way while that is under way.
  const written = !run.activities.some((name) => WRITING.includes(name));
  const attention = run.attributes['EvoNeedsAttention']?.[0] === true;
  const must = (is: boolean, what: string): readonly string[] =>
    is
      ? []
      : [
          `${what}: query ${word}, EvoStatus ${String(run.attributes['EvoStatus']?.[0])}, document ${document.status}, list ${listed}, workflow ${run.state}, step ${document.committedStep}, at work: ${[...atWork, ...inSteps].join(', ') || 'nothing'}`,
        ];
  return [
    ...must(run.attributes['EvoStatus']?.[0] === word, 'the attribute says another word than the query'),
    ...(written ? must(document.status === word, 'the document says another word than the query') : []),
    ...(written ? must(listed === word, '`list` says another word than the query') : []),
    ...must(attention === isParked(word), 'EvoNeedsAttention does not fit the word'),
    ...(hasEnded({ status: word })
      ? must(
          run.children.length === 0 && run.activities.every((name) => name === 'writeResults'),
          'ended with work under way',
        )
      : must(open, 'a run that has not ended has no open workflow')),
    ...(word === 'paused' ? must(atWork.length === 0, 'paused with work under way') : []),
    ...(word === 'pausing' ? must(atWork.length > 0, 'pausing with nothing under way') : []),
    ...(word === 'running' && written ? must(atWork.length > 0, 'running with nothing under way') : []),
    ...(word === 'retrying' ? must(atWork.length + inSteps.length > 0, 'retrying with nothing under way') : []),
    ...(word === 'needs attention' ? must(inSteps.length === 0, 'parked with activities under way') : []),
    ...(['paused', 'finished', 'stopped', 'terminated'].includes(word) && word === before?.said.status
      ? must(document.committedStep === before.document.committedStep, `a step was committed while ${word}`)
      : []),
    ...(['paused', 'finished', 'stopped', 'terminated'].includes(word)
      ? must(Number(run.attributes['EvoStep']?.[0]) === document.committedStep, 'EvoStep is not the committed step')
      : []),
  ];
};
