// The events of a run, newest first, from its stored steps, settings, actions, policies and notices; and the marks that
// people put on its programs.
import { rescoringAt } from '../../../activities/store/documents/lineage.ts';
import type { ActionDocument, RunDocument } from '../../../activities/store/documents/documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { everySettings } from '../../../client/read/settings-versions.ts';
import { actionText, senderOf } from '../../../evolution/steering/base/people.ts';
import { hasEnded } from '../../../evolution/run-states.ts';
import { score } from '../../../evolution/reports/number-text.ts';
import {
  changeWords,
  type Events,
  LATEST_EVENTS,
  quietSteps,
  type RunEvent,
  stateWords,
} from '../../api/run/events.ts';
import type { ProgramMarks } from '../../api/rows/marks.ts';
import { runGains } from '../../api/run/overview.ts';
import type { SettingsMark } from '../../api/run/steps.ts';
import { Kept } from '../site/kept.ts';
import { type Answers, storedRun } from '../site/site.ts';
import { valuesOf } from './settings.ts';
import { stepsOf } from './steps.ts';

const MOST = 400;
const RUNS_KEPT = 16;

export const eventAnswers: Answers = (app, site) => {
  // Finding superseded steps is a scan, and they are other ones only where the generation is another one.
  const rewound = new Kept<readonly RunEvent[]>(RUNS_KEPT);
  const rewindsOf = (store: Store, run: RunDocument): Promise<readonly RunEvent[]> =>
    run.generation === 1
      ? Promise.resolve([])
      : rewound.get(`${run.run} ${run.createdAt.getTime()} ${run.generation}`, () => readRewinds(store, run));
  const eventsOf = async (id: string): Promise<readonly RunEvent[]> => {
    const { store, run: stored } = await storedRun(site, id);
    const { runs } = await site.engine.asTheyStand([stored]);
    const run = runs[0]!;
    const actions = await store.listActions(run.run);
    return [
      ...(await ofSteps(store, run, actions)),
      ...ofPeople(run, actions),
      ...(await rewindsOf(store, run)),
      ...(await ofPolicies(store, run)),
      ...(await ofNotices(store, run)),
      ...ofState(run, actions),
    ].sort((a, b) => b.atMs - a.atMs || (b.step ?? 0) - (a.step ?? 0));
  };
  const some = (all: readonly RunEvent[], most: number): Events => ({
    events: all.slice(0, most),
    more: Math.max(0, all.length - most),
  });
  app.get('/runs/:run/events', async (c) => c.json(some(await eventsOf(c.req.param('run')), MOST)));
  app.get('/runs/:run/latest', async (c) => c.json(some(await eventsOf(c.req.param('run')), LATEST_EVENTS)));
  app.get('/runs/:run/marks', async (c) => {
    const { store, run } = await storedRun(site, c.req.param('run'));
    return c.json(Object.fromEntries(await store.programMarks(run.run)) satisfies ProgramMarks);
  });
};

const event = (kind: RunEvent['kind'], at: Date | number, text: string, beside: Partial<RunEvent> = {}): RunEvent => ({
  kind,
  atMs: Number(at),
  exact: true,
  step: null,
  text,
  program: null,
  ...beside,
});

const stepsText = (first: number, last: number): string =>
  first === last ? `step ${first}` : `steps ${first} to ${last}`;

type Actions = readonly ActionDocument[];

const ofSteps = async (store: Store, run: RunDocument, actions: Actions): Promise<readonly RunEvent[]> => {
  const { curve, records, settings, migrated } = await stepsOf.of(store, run);
  const points = curve.points();
  const gains = runGains(records, ({ step }) => rescoringAt(run, step) !== undefined);
  return [
    ...records.map(({ step, atMs, program, ranking }, index) => {
      const { runGain } = gains[index]!;
      const text =
        rescoringAt(run, step) !== undefined
          ? 'the best of those that are scored again by a new version of the task'
          : runGain === null
            ? 'first valid program'
            : `better by ${score(runGain, 3)}`;
      return event('best', atMs, `${score(ranking)}, ${text}`, { step, program });
    }),
    ...quietSteps({ points, records, settings }).map(({ from, to, atMs, made, valid }) =>
      event('step', atMs, `${stepsText(from, to)}, no new best: ${made} programs, ${valid} of them valid`, {
        step: to,
      }),
    ),
    ...migrated.map(({ step, atMs }) => event('migration', atMs, 'programs migrated between islands', { step })),
    ...(await ofSettings(store, run, actions, { settings, lastMs: points.at(-1)?.atMs ?? run.createdAt.getTime() })),
  ];
};

/**
 * Each change of the settings. Only the last times are kept; an older change has the time of the first step that had
 * it, or of the last commit.
 */
const ofSettings = async (
  store: Store,
  run: RunDocument,
  actions: Actions,
  { settings, lastMs }: { readonly settings: readonly SettingsMark[]; readonly lastMs: number },
): Promise<readonly RunEvent[]> => {
  if (run.configVersion === 1) return [];
  const values = (await everySettings(store, run)).map(valuesOf);
  const versions = new Map(run.happened.flatMap((one) => ('version' in one ? [[one.version, one] as const] : [])));
  return values.slice(1).map((after, index) => {
    const version = index + 2;
    const began = settings.find((one) => one.version === version);
    const { at: stored, by: message } = versions.get(version) ?? {};
    const text = `settings version ${version}: ${changeWords(values[index]!, after)}`;
    const beside = { step: began?.step ?? null, exact: stored !== undefined, ...senderOf(message, actions) };
    return event('settings', stored ?? began?.atMs ?? lastMs, text, beside);
  });
};

/** A change of settings is told with its version. */
const ofPeople = ({ happened }: RunDocument, actions: Actions): readonly RunEvent[] => {
  const told = new Set(happened.map((one) => ('version' in one ? one.by : undefined)));
  return actions
    .filter(({ _id }) => !told.has(_id))
    .map((action) =>
      event('action', action.at, actionText(action), { by: action.by, program: action.marked?.program ?? null }),
    );
};

const readRewinds = async (store: Store, { run }: RunDocument): Promise<readonly RunEvent[]> => {
  const byGeneration = Map.groupBy(await store.supersededSteps(run), ({ generation }) => generation);
  return [...byGeneration.values()].map((steps) => {
    const numbers = steps.map(({ step }) => step);
    const [first, last] = [Math.min(...numbers), Math.max(...numbers)];
    const text = `the rewind to step ${first - 1} took ${stepsText(first, last)} back; their programs stay readable`;
    const lastMs = Math.max(...steps.map(({ at }) => at.getTime()));
    return event('rewind', lastMs, text, { step: first, exact: false });
  });
};

const ofPolicies = async (store: Store, run: RunDocument): Promise<readonly RunEvent[]> =>
  run.policy == null
    ? []
    : (await store.policyChain(run.policy.id)).map(({ version, kind, step, servedAt, reward }) =>
        event(
          'policy',
          servedAt,
          `policy version ${version} answers${kind === 'start' ? ', the model as it begins' : reward === null ? '' : `: mean reward ${Number(reward.mean.toPrecision(4))}`}`,
          { step },
        ),
      );

const ofNotices = async (store: Store, { run }: RunDocument): Promise<readonly RunEvent[]> =>
  (await store.listNotices({ name: run })).map(({ at, notice: { text }, state, error }) => {
    const told =
      state === 'sent' ? 'told a person' : `could not tell a person${error === null ? ' yet' : ` (${error})`}`;
    return event('notice', at, `${told}: ${text}`);
  });

const waitsIn = (one: Pick<RunDocument, 'status'>): Pick<RunEvent, 'waits'> =>
  one.status === 'running' || hasEnded(one) ? {} : { waits: true };

const ofState = (run: RunDocument, actions: Actions): readonly RunEvent[] => {
  const { createdAt, endedAt, status, statusReason, stopReason, parked, refusals = [], origin, happened } = run;
  const states = happened.filter((one) => 'status' in one);
  const isTold = states.at(-1)?.status === status;
  const began = origin === null ? 'the run was created' : `forked off ${origin.run} after step ${origin.step}`;
  const why = stateWords(status, statusReason ?? 'no reason was recorded');
  const failed = parked?.tries === 1 ? '' : `; failed ${parked?.tries} times`;
  return [
    event('state', createdAt, began),
    ...states
      .filter((one, index) => parked == null || index < states.length - 1 || one.status !== 'needs attention')
      .map((one) => event('state', one.at, stateWords(one.status, one.reason), waitsIn(one))),
    // Earlier versions stored the last end alone.
    ...(endedAt === null || isTold || !hasEnded(run) ? [] : [event('state', endedAt, stateWords(status, stopReason))]),
    ...(parked == null ? [] : [event('state', Date.parse(parked.since), `${why}${failed}`, { waits: true })]),
    // One that a command or the page sent is told with who did so.
    ...refusals
      .filter(({ why }) => !actions.some(({ text }) => text.includes(why)))
      .map(({ at, message, why }) =>
        event('state', Date.parse(at), `the message "${message}" changed nothing: ${why}`),
      ),
  ];
};
