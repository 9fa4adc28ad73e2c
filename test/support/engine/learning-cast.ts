// A run that learns, with played activities: what its store knows of the policy, and a trainer that always succeeds.
import type { LearningBrief } from '../../../activities/interface/learning.ts';
import { BRIEF, type conductorWorld, PLAN } from './conductor.ts';

const LIMITS = { programs: null, tokens: null, costUsd: null, wallSeconds: null, targetScore: null };
const RESULT = {
  ...{ weightsHash: 'w', trainingState: 't', samplerState: 's', loss: -0.25, gradNorm: 1.5, clipFraction: 0 },
  ...{ isClipFraction: 0.125, mismatch: 0.001, used: 4, dropped: 0, tokens: 800, seconds: 90 },
};

const committed = (step: number) => ({
  ...{ step, generation: 1, best: null, populationSize: 1, evaluationMs: null },
  ...{ totals: { ...BRIEF.totals, programs: step }, paid: BRIEF.paid },
});

/** What a store knows of a run that learns: its policy, and how far it has learned. */
export const learningCast = (
  world: Pick<ReturnType<typeof conductorWorld>, 'cast'>,
  run: string,
  { steps = 3, lag = 0 as 0 | 1, first = {} as Partial<LearningBrief> } = {},
) => {
  const known = {
    ...{ on: true, trainer: 'reference', lag, learned: -1, last: null, version: 1 },
    ...{ policy: null as LearningBrief['policy'] },
    ...{ step: 0 },
    ...first,
  };
  const policies: NonNullable<LearningBrief['policy']>[] = [];
  let rate = 'first';
  const cast = world.cast(
    run,
    {},
    {
      openRun: () => ({
        ...BRIEF,
        run,
        limits: { ...LIMITS, steps },
        committedStep: known.step,
        learning: { ...known },
      }),
      // Another execution opens a step that is committed: the run goes back to where it was before.
      planStep: ({ step }) => {
        if (step <= known.step) {
          known.step = step - 1;
          known.learned = Math.min(known.learned, known.step);
          known.policy = policies[known.learned] ?? null;
        }
        return PLAN;
      },
      commitStep: (asked) => {
        known.step = asked.step;
        return committed(asked.step);
      },
      planUpdate: ({ step }) => {
        if (!known.on) known.learned = Math.max(known.learned, step);
        if (known.learned >= step) return { settled: { ...known } };
        const version = (known.policy?.version ?? -1) + 1;
        const policy = `${run}-v000${version}-${rate}`;
        const kind = version === 0 ? 'start' : 'policy';
        const size = { rollouts: 4, tokens: 800 };
        return {
          order: {
            ...{ run, step, generation: 1, updateId: policy, kind, trainer: 'reference' },
            policy,
            version,
            ...size,
          },
        };
      },
      applyUpdate: () => RESULT,
      publishPolicy: ({ policy }) => ({ baseUrl: null, model: policy }),
      verifyPolicy: () => ({ baseUrl: 'http://127.0.0.1:1/v1', servedAtMs: 0 }),
      commitPolicy: ({ step, policy, version }) => {
        known.policy = { id: policy as string, version: version as number };
        policies[step] = known.policy;
        known.learned = step;
        known.last = `version ${version as number}: reward 0.5` as never;
        return { ...known, paid: { programs: 0, tokens: 0, costUsd: 0.5 * (step + 1) } };
      },
      changeSettings: ({ change }) => {
        const { patch } = change as unknown as { patch: { learning: { on?: boolean; optimizer?: object } } };
        known.version += 1;
        known.on = patch.learning.on ?? known.on;
        if (patch.learning.optimizer) rate = 'second';
        const { model, batch, responses } = BRIEF;
        const limits = { ...LIMITS, steps };
        const settings = { configVersion: known.version, model, batch, responses, limits, learning: { ...known } };
        return { version: known.version, changed: ['learning'], settings };
      },
    },
  );
  return { cast, known };
};
