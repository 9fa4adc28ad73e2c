// The things that a person can do with a run now, each as a command and as a message: only those that make sense in
// the state in which the run is.
import type { RunBrief } from '../../activities/interface/run.ts';
import { HUMAN_BEATEN, LIMIT_FLAGS } from '../../evolution/budget/limits.ts';
import type { Limits } from '../../evolution/config/run-config.ts';
import { hasEnded, type RunStatus } from '../../evolution/run-states.ts';
import { type Action, actionTable, signal, start, update } from '../engine/actions.ts';
import { digits } from '../engine/telling.ts';
import { updateActions } from '../learning/update-details.ts';
import { spentBy } from './spending.ts';

export type Situation = {
  readonly run: string;
  readonly status: RunStatus;
  /** Null where nothing is known of the run yet. */
  readonly brief: RunBrief | null;
  /** A pause was taken; a pause or a stop that was taken interrupts the present step. */
  readonly paused: boolean;
  readonly interrupts: boolean;
  /** Something is parked, and whether it is a step that is. */
  readonly parked: boolean;
  readonly stepParked: boolean;
  /** The reason why the update of the policy is parked; null where it is not. */
  readonly updateParked: string | null;
  /** The reason of its end. */
  readonly reason: string | null;
  readonly nowMs: number;
};

/** Markdown: a table, and above it how a closed run is started. */
export const whatNow = (situation: Situation): readonly string[] => {
  const { run } = situation;
  const actions = actionsNow(situation);
  if (actions.length === 0) return ['**What you can do now**: nothing; it ends by itself.'];
  const starts = hasEnded(situation);
  return [
    starts
      ? `**What you can do now**: a command, or *Start Workflow* with workflow id \`run/${run}\`, task queue \`evolve-workflow\`, workflow type \`evolutionRun\` and the input.`
      : `**What you can do now**: a command, or a message to the workflow \`run/${run}\` (*More Actions*, *Send a Signal* or *Send an Update*).`,
    '',
    ...actionTable(starts ? 'input' : 'message', actions),
  ];
};

const actionsNow = (situation: Situation): readonly Action[] => {
  const { run, status, interrupts, paused, parked, stepParked, updateParked } = situation;
  const resume = signal('go on', `resume ${run}`, 'resume', {});
  const pauseNow = signal('interrupt the step', `pause ${run} --now`, 'pause', { mode: 'now' });
  const pause = signal('wait after this step', `pause ${run}`, 'pause', { mode: 'step' });
  const end = signal('end the run after this step', `stop ${run}`, 'stop', { mode: 'step' });
  const endNow = signal('end the run at once', `stop ${run} --now`, 'stop', { mode: 'now' });
  const retry = signal('try again now', `retry ${run}`, 'retry', {});
  switch (status) {
    case 'queued':
      return [];
    case 'opening':
      return [...(parked ? [retry] : []), signal('end it', `stop ${run}`, 'stop', {})];
    case 'running':
      return [pause, pauseNow, end, ...changes(situation)];
    case 'pausing':
      return [resume, ...(interrupts ? [] : [pauseNow]), endNow, ...changes(situation)];
    case 'paused':
      return [resume, signal('end the run', `stop ${run}`, 'stop', {}), ...changes(situation)];
    case 'stopping':
      return interrupts ? [] : [endNow];
    case 'needs attention':
    case 'retrying':
      return [
        ...(status === 'retrying' ? [] : [retry]),
        ...(stepParked
          ? [
              signal('ask the model afresh for this step', `retry ${run} --resample`, 'retry', { resample: true }),
              update(
                'ask at another address, then try again',
                `set ${run} model.baseUrl=https://host/v1`,
                'setConfig',
                {
                  patch: { model: { baseUrl: 'https://host/v1' } },
                },
              ),
            ]
          : []),
        ...(updateParked === null ? [] : updateActions(run, updateParked)),
        ...(paused ? [resume] : [pauseNow]),
        signal('end the run', `stop ${run}`, 'stop', {}),
      ];
    case 'finished':
    case 'stopped':
    case 'terminated':
      return again(situation);
  }
};

/** Changes that are possible at any time while the run is open. */
const changes = ({ run, brief }: Situation): readonly Action[] => [
  update('set another limit', `extend ${run} --steps 20 --add`, 'extend', { steps: 20, add: true }),
  update('change a setting', `set ${run} model.temperature=0.7`, 'setConfig', {
    patch: { model: { temperature: 0.7 } },
  }),
  update('tell the model something', `hint ${run} "try hexagons"`, 'steer', { hint: 'try hexagons' }),
  ...(brief !== null && brief.committedStep >= 1
    ? [
        update('do steps again from one on', `rewind ${run} --to-step ${brief.committedStep}`, 'rewind', {
          toStep: brief.committedStep,
        }),
      ]
    : []),
];

const again = (situation: Situation): readonly Action[] => {
  const { run, status, brief } = situation;
  const step = brief?.committedStep ?? -1;
  const more = status === 'finished' ? beyond(situation) : null;
  // An id has at most 60 characters.
  const other = `${run.slice(0, 58)}-2`;
  return [
    more ?? start('go on', `resume ${run}`, { run }),
    ...(step >= 1
      ? [start('do steps again from one on', `rewind ${run} --to-step ${step}`, { run, rewind: { toStep: step } })]
      : []),
    ...(step >= 0
      ? [
          start(`begin another run from here (workflow id \`run/${other}\`)`, `fork ${run} --at-step ${step}`, {
            run: other,
            fork: { from: run, atStep: step },
          }),
        ]
      : []),
  ];
};

/** A run that has reached a limit would only reach it again, so the way on is another limit. */
const beyond = ({ run, brief, reason, nowMs }: Situation): Action | null => {
  if (reason === HUMAN_BEATEN)
    return start(
      'go on past the best by human hands',
      `set ${run} ideation.stopAtHuman=false && npx evolve resume ${run}`,
      {
        run,
        patch: { ideation: { stopAtHuman: false } },
      },
    );
  const limit = Object.keys(LIMIT_FLAGS).find((key) => key === reason) as keyof Limits | undefined;
  const present = limit === undefined ? null : (brief?.limits[limit] ?? null);
  if (limit === undefined || present === null || brief === null) return null;
  const flag = LIMIT_FLAGS[limit];
  if (limit === 'targetScore')
    return start('go on without that target', `extend ${run} ${flag} none`, { run, extend: { targetScore: null } });
  if (limit === 'wallSeconds') {
    const until = Math.ceil(spentBy(brief, nowMs).wallSeconds + present);
    return start('go on for as long again', `extend ${run} ${flag} ${digits(until)}`, {
      run,
      extend: { wallSeconds: until },
    });
  }
  return start('go on for as much again', `extend ${run} ${flag} ${digits(present)} --add`, {
    run,
    extend: { [limit]: present, add: true },
  });
};
