// The findings of `evolve doctor <run>`: the meaning of a run's state, and the next command. All functions are pure.
import type { RunDocument, StepDocument } from '../../activities/store/documents/documents.ts';
import type { RunProgress } from '../../workflows/messages/messages.ts';
import { codeFails, type Execution } from '../temporal/execution.ts';
import { hasEnded, isParked } from '../../evolution/run-states.ts';
import { duration } from '../../evolution/reports/number-text.ts';
import type { Advice } from '../../evolution/steering/advice/advice.ts';
import {
  aboutAdvice,
  aboutMessages,
  aboutRun,
  fine,
  look,
  paidFindings,
  type RunFinding,
} from '../read/state-findings.ts';
import { aboutStream, type StreamState } from './stream-findings.ts';

export type RunState = {
  readonly run: RunDocument;
  /** The newest execution of the run's workflow, or null where the engine knows none. */
  readonly workflow: Execution | null;
  /** Executions of that workflow that somebody ended or reset, newest first. */
  readonly earlier: readonly Execution[];
  /** The workflow of the step at hand, which belongs to the run's present execution. */
  readonly step: { readonly number: number; readonly execution: Execution } | null;
  /** Only for an open run with `schedule: continuous`. */
  readonly stream?: StreamState;
  /** The workflow of the update of the policy that is under way. Left out where none is. */
  readonly update?: { readonly number: number; readonly execution: Execution };
  /** The workflow's own word; null where no worker answered. */
  readonly live: RunProgress | null;
  /** The version of the workflows that was the current one before the one at hand. Left out where none is known. */
  readonly earlierVersion?: string | null;
  /** False where no worker of the workflow's version asks for work. Left out where it answers, or has no version. */
  readonly served?: boolean;
  /** Left out where it is not known. */
  readonly advice?: readonly Advice[];
  /** The present time, for the time that something still waits. */
  readonly now?: Date;
  readonly superseded: readonly Pick<StepDocument, 'step' | 'generation'>[];
  /**
   * The folder of the task since the run began: unchanged, changed or unreadable. The run keeps its task and does not look
   * at the folder.
   */
  readonly task?: 'nothing' | 'folder' | { readonly problem: string };
};

const isOpen = (execution: Execution | null): boolean =>
  execution?.state === 'RUNNING' || execution?.state === 'PAUSED';

export const runFindings = (state: RunState): readonly RunFinding[] => [
  ...aboutRun(state),
  ...aboutAdvice(state.run.run, state.advice ?? []),
  ...aboutMessages(state),
  ...aboutWorkflow(state),
  ...aboutWorkers(state),
  ...aboutStep(state),
  ...aboutStream(state),
  ...aboutUpdate(state),
  ...aboutActivities(state),
  ...aboutHistory(state),
  ...aboutGeneration(state),
  ...paidFindings(state.run),
  ...aboutSettings(state.run),
  ...aboutTask(state),
  ...aboutOrigin(state.run),
  ...aboutPolicy(state.run),
];

const failingText = ({ taskAttempts, taskFailure, version }: Execution): string => {
  const on = version === null ? '' : ` of version ${version}`;
  const why = taskFailure === null ? '' : `: ${taskFailure.message}`;
  return taskFailure?.diverges
    ? `its history does not replay under the code${on} (attempt ${taskAttempts} at one workflow task)${why}.`
    : `its code${on} fails (attempt ${taskAttempts} at one workflow task)${why}. It goes on by itself once the code is repaired.`;
};

/** A workflow that another version cannot go on with does not come back by itself: the server keeps its new version. */
const wayOut = ({ run }: RunDocument, { taskFailure }: Execution, earlier: string | null | undefined): string => {
  const again = `npx evolve terminate ${run}, then npx evolve resume ${run}`;
  return taskFailure?.diverges || earlier == null
    ? again
    : `npx evolve upgrade --pin ${earlier} ${run}; or, where that says that it does not replay there, ${again}`;
};

const aboutWorkflow = ({ run, workflow, earlierVersion }: RunState): readonly RunFinding[] => {
  const resume = `npx evolve resume ${run.run}`;
  const said = hasEnded(run) ? `the run is ${run.status}` : `the run document still says "${run.status}"`;
  if (workflow === null) {
    return hasEnded(run) || run.status === 'queued'
      ? [fine('workflow', 'the workflow engine knows no workflow of this run (not started, or past its retention)')]
      : [
          look(
            'workflow',
            `the workflow engine knows no workflow of this run (its data was lost, or the retention is over), and ${said}; what is committed is kept`,
            resume,
          ),
        ];
  }
  if (workflow.state === 'PAUSED')
    return [
      look('workflow', 'paused in the workflow engine itself: it takes no messages', 'unpause it in the Temporal UI'),
    ];
  if (codeFails(workflow))
    return [
      look(
        'workflow',
        `${failingText(workflow)} It takes no message and answers nothing`,
        wayOut(run, workflow, earlierVersion),
      ),
    ];
  if (isOpen(workflow)) return [fine('workflow', 'open')];
  const how = workflow.ending ?? workflow.state.toLowerCase().replaceAll('_', ' ');
  if (hasEnded(run)) return [fine('workflow', `closed (${how}), and ${said}`)];
  return [
    look('workflow', `closed (${how}), and ${said}; what is committed is kept, the step at hand is done again`, resume),
  ];
};

const aboutWorkers = ({ workflow, live, served }: RunState): readonly RunFinding[] => {
  if (!isOpen(workflow) || live !== null) return [];
  return served === false && workflow?.version
    ? [
        look(
          'workers',
          `no worker of version ${workflow.version} of the workflows is there, and the run is on it`,
          `start the host that has it, or npx evolve upgrade --move ${workflow.version}`,
        ),
      ]
    : [look('workers', 'no worker answered for the open workflow', 'npx evolve doctor')];
};

const aboutStep = ({ run, workflow, step, earlierVersion }: RunState): readonly RunFinding[] => {
  if (step === null || !isOpen(workflow)) return [];
  const { number, execution } = step;
  if (isOpen(execution) && codeFails(execution))
    return [look('step', `step ${number} is stuck: ${failingText(execution)}`, wayOut(run, execution, earlierVersion))];
  if (isOpen(execution) && isParked(run.status) && execution.pending.length === 0)
    return [fine('step', `step ${number} waits with the run`)];
  if (isOpen(execution)) return [fine('step', `step ${number} is under way, ${pendingText(execution.pending.length)}`)];
  if (execution.ending === null) return [];
  return isParked(run.status)
    ? [
        look(
          'step',
          `step ${number} was ${execution.ending}; the run waits, and does it again with what is stored`,
          `npx evolve retry ${run.run}`,
        ),
      ]
    : [fine('step', `step ${number} was ${execution.ending}; it is done again when the run goes on`)];
};

const aboutUpdate = ({ run, update, workflow, earlierVersion }: RunState): readonly RunFinding[] => {
  if (update === undefined || !isOpen(workflow) || !isOpen(update.execution)) return [];
  const { number, execution } = update;
  const what = `the update of the policy after step ${number}`;
  return codeFails(execution)
    ? [look('update', `${what} is stuck: ${failingText(execution)}`, wayOut(run, execution, earlierVersion))]
    : [fine('update', `${what} is under way, ${pendingText(execution.pending.length)}`)];
};

const pendingText = (count: number): string => `${count} ${count === 1 ? 'activity' : 'activities'} pending`;

/** So many failed attempts are reported as normal: a worker starts again, an endpoint is busy. */
const USUAL_ATTEMPTS = 3;

const aboutActivities = ({ workflow, step, update, stream, now }: RunState): readonly RunFinding[] => {
  const windows = stream?.windows.map(({ execution }) => execution) ?? [];
  const pending = [workflow, step?.execution ?? null, update?.execution ?? null, ...windows].flatMap((execution) =>
    isOpen(execution) ? (execution?.pending ?? []) : [],
  );
  const paused = pending.filter((one) => one.paused);
  const failing = pending.filter((one) => !one.paused && one.attempt > 1).sort((a, b) => b.attempt - a.attempt);
  const worst = failing[0];
  const detail =
    worst &&
    `${worst.activity}: attempt ${worst.attempt}${failing.length > 1 ? `, ${failing.length - 1} more like it` : ''}; last failure: ${worst.lastFailure ?? 'not known'}`;
  return [
    ...(paused.length === 0
      ? []
      : [
          look(
            'activity',
            `${paused.length} paused by hand: ${paused[0]?.activity}`,
            'unpause it under Pending Activities in the Temporal UI',
          ),
        ]),
    ...(worst === undefined || detail === undefined
      ? []
      : worst.attempt <= USUAL_ATTEMPTS
        ? [fine('activity', detail)]
        : [
            look(
              'activity',
              `${detail}; it is tried again by itself`,
              'remove the cause; Reset under Pending Activities in the Temporal UI tries at once',
            ),
          ]),
    ...aboutWaits(pending, now),
  ];
};

/** A shorter wait for a worker is usual. */
const LONG_WAIT_MS = 2 * 60_000;

/** The activity that no worker has taken for longest. */
const aboutWaits = (pending: Execution['pending'], now: Date | undefined): readonly RunFinding[] => {
  if (now === undefined) return [];
  const waiting = pending
    .filter(({ waitsSince }) => waitsSince !== null && now.getTime() - waitsSince.getTime() >= LONG_WAIT_MS)
    .sort((a, b) => a.waitsSince!.getTime() - b.waitsSince!.getTime());
  const [first] = waiting;
  if (first === undefined) return [];
  const { activity, waitsSince } = first;
  const what = activity === 'evaluateHidden' ? `${activity} (the score on hidden instances)` : activity;
  const detail = `${what} has waited for a worker for ${duration(Math.round((now.getTime() - waitsSince!.getTime()) / 1000))}${waiting.length > 1 ? `, and ${waiting.length - 1} more wait` : ''}`;
  return pending.some((one) => one.activity === activity && one.waitsSince === null)
    ? [fine('activity', `${detail}; others like it are at work`)]
    : [look('activity', `${detail}: the workers are busy with other runs, or none asks for it`, 'npx evolve hosts')];
};

const aboutHistory = ({ earlier }: RunState): readonly RunFinding[] =>
  earlier.slice(0, 5).map(({ ending, resetTo, closedAt, state }) => {
    const when = closedAt === null ? '' : ` at ${closedAt.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
    const how = ending ?? state.toLowerCase();
    return fine(
      'history',
      resetTo === null
        ? `an earlier execution was ${how}${when}`
        : `reset by hand${when} (${how}); steps after that point were done again, the fence keeps the population right`,
    );
  });

const aboutGeneration = ({ run, superseded }: RunState): readonly RunFinding[] => {
  if (superseded.length === 0)
    return run.generation > 1
      ? [fine('generation', `${run.generation}: steps were opened again after a reset or a restart; none was rewound`)]
      : [];
  const steps = superseded.map(({ step }) => step);
  return [
    fine(
      'generation',
      `${run.generation}; ${steps.length} commits of steps ${Math.min(...steps)} to ${Math.max(...steps)} were rewound or reset, and stay readable`,
      `npx evolve steps ${run.run} --all`,
    ),
  ];
};

const aboutSettings = ({ run, configVersion }: RunDocument): readonly RunFinding[] =>
  configVersion > 1
    ? [
        fine(
          'settings',
          `version ${configVersion}: changed since the run began`,
          `npx evolve settings ${run} --versions`,
        ),
      ]
    : [];

const aboutTask = ({ run: { config, rescorings = [] }, task = 'nothing' }: RunState): readonly RunFinding[] => {
  if (task === 'nothing') return [];
  const folder = config.task.includes('/') ? config.task : `tasks/${config.task}`;
  const updated = rescorings.findLast(({ step, refused }) => step !== null && refused === undefined);
  if (task === 'folder')
    return [
      fine(
        'task',
        updated === undefined
          ? `${folder} has changed since the run began; the run goes on with the task as it was then, a new run takes the new one`
          : `${folder} is not the task that \`task update\` gave the run for its step ${updated.step}; the run goes on with that one, a new run takes the folder`,
      ),
    ];
  return [
    fine('task', `${folder} cannot be read any more (${task.problem}); the run goes on with the task that it has`),
  ];
};

const aboutOrigin = ({ origin, sweep }: RunDocument): readonly RunFinding[] => [
  ...(origin === null ? [] : [fine('origin', `a fork of run ${origin.run} after its step ${origin.step}`)]),
  ...(sweep === null ? [] : [fine('origin', `of sweep ${sweep}`, `npx evolve sweep status ${sweep}`)]),
];

const aboutPolicy = ({
  run,
  config: { learning },
  policy,
  learned = -1,
  committedStep,
}: RunDocument): readonly RunFinding[] => {
  if (learning.trainer === 'none') return [];
  const version = policy ? `version ${policy.version} of the model` : 'no policy yet';
  const behind = committedStep - learned;
  return [
    fine(
      'policy',
      learning.on
        ? `${version}; ${behind === 0 ? 'every committed step is learned from' : `${behind} committed ${behind === 1 ? 'step is' : 'steps are'} not learned from yet`}`
        : `${version}; learning is off (learning.on)`,
      `npx evolve policies ${run}`,
    ),
  ];
};
