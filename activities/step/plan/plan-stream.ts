// A stream (evolution/schedule/stream.ts) is opened by `planStep`, which finds out where it is, and goes on turn by
// turn: activity `turnStream` commits the groups that were finished next, and plans further ones from the population
// after them.
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { promptId, stageId } from '../../../evolution/ids.ts';
import { range } from '../../../evolution/schedule/slots.ts';
import { STREAM_START, stepsInTurn, type StreamPlace, WINDOW_PROGRAMS } from '../../../evolution/schedule/stream.ts';
import type { StoreActivities } from '../../interface/run.ts';
import type { StepSummary, StreamPlan, WindowLimits } from '../../interface/step.ts';
import type { StreamDone, StreamTurn, StreamTurned } from '../../interface/stream.ts';
import { requiredRun, type StepDeps } from '../../run/step-summary.ts';
import type { ProgramId } from '../../../evolution/types.ts';
import { callIds } from '../../store/content/calls.ts';
import type { RunDocument, StepDocument } from '../../store/documents/documents.ts';
import { epochAt } from '../../store/steps/paid.ts';
import type { PromptDocument } from '../../store/documents/step-documents.ts';
import { type AskedIn, plannedGroups, programsIn, promptsIn } from '../../store/documents/step-ids.ts';
import { withRun } from '../../store/population/population-store.ts';
import type { Store } from '../../store/store.ts';
import { taskRef } from '../../task/kept-task.ts';
import { createCommit, madeIn } from '../commit/commit-step.ts';
import { requireGeneration } from '../commit/ahead.ts';
import { planGroups, preludesOf } from './plan-groups.ts';

type Opening = {
  readonly store: Store;
  readonly run: RunDocument;
  readonly step: number;
  readonly epoch: number;
  readonly limits: WindowLimits | undefined;
};

type Opened = {
  readonly stream: StreamPlan;
  readonly config: RunConfig;
  readonly version: number;
  readonly preludes: StreamTurned['preludes'];
};

type Place = StreamPlace & { readonly first: number };

/**
 * The place of the stream with which the run goes on; null where the next step is one of its own. A stream goes on as
 * long as a group that was planned and is not committed has been asked for, so that no answer is lost; else a new one
 * begins, whose prompts know of everything that is committed by then. Like a step, it keeps the settings under which
 * its groups were planned, but once these were replaced, only groups that have an answer are gone on with.
 */
export const openStream = async (opening: Opening): Promise<Opened | null> => {
  const { store, run, step, epoch, limits } = opening;
  const before = await placeBefore(store, run, step, epoch);
  if (before === null && !(await beginsStream(store, run, step, epoch))) return null;
  const pending = before === null ? [] : await pendingPrompts(opening, before);
  const at = before !== null && pending.length > 0 ? before : { first: step, ...STREAM_START };
  const planned =
    at === before ? pending : [...(await plannedGroups(store, { run: run.run, step, epoch }, at)).values()];
  const version = planned[0]?.configVersion ?? run.configVersion;
  const config = await store.readConfig(run.run, version);
  if (config.schedule !== 'continuous') return null;
  const steps = limits?.steps ?? null;
  const ends = [
    ...(steps === null ? [] : [step + steps - 1]),
    ...run.epochs.flatMap(({ step: start }) =>
      start > step && epochAt(run.epochs, start) !== epoch ? [start - 1] : [],
    ),
    // Only the first step of a stream takes injected programs, and after a rewind such a step takes its own again.
    ...[...(await store.injectedSteps(run.run))].flatMap((taking) => (taking > step ? [taking - 1] : [])),
  ];
  const groups = planned.map(({ group }) => group).sort((a, b) => a - b);
  return {
    stream: {
      first: at.first,
      pending: groups,
      planned: Math.max(at.next, ...groups.map((group) => group + 1)),
      batch: config.batch,
      inFlight: config.inFlight,
      last: ends.length === 0 ? null : Math.min(...ends),
      steps: stepsInTurn(config),
      window: WINDOW_PROGRAMS,
      ...(version === run.configVersion ? {} : { closed: true }),
    },
    config,
    version,
    preludes: await preludesOf(store, { config, run: run.run, step: at.first, epoch, groups }),
  };
};

/**
 * The prompts of the groups that the stream goes on with: planned and not committed. Under newer settings only groups
 * that have an answer count, and none where no request of any was sent.
 */
const pendingPrompts = async ({ store, run, epoch }: Opening, at: Place): Promise<readonly PromptDocument[]> => {
  const prompts = [...(await plannedGroups(store, { run: run.run, step: at.first, epoch }, at)).values()];
  const [first] = prompts;
  if (first === undefined) return prompts;
  const config = await store.readConfig(run.run, first.configVersion);
  const asked = (group: number): AskedIn => ({ run: run.run, step: at.first, epoch, groups: [group] });
  const idsOf = (of: (asked: AskedIn, config: RunConfig) => readonly string[]): readonly string[] =>
    prompts.flatMap(({ group }) => of(asked(group), config));
  const [answers, calls] = [
    await store.getRollouts(idsOf(programsIn) as readonly ProgramId[]),
    await store.getCalls(idsOf(callIds)),
  ];
  const answered = new Set([...answers.values(), ...calls.values()].map(({ group }) => group));
  if (first.configVersion !== run.configVersion) return prompts.filter(({ group }) => answered.has(group));
  return answered.size > 0 || (await wasSent(store, prompts, idsOf(programsIn) as readonly ProgramId[])) ? prompts : [];
};

/** True where a request of these groups was sent, although it has no answer. */
const wasSent = async (
  store: Store,
  prompts: readonly PromptDocument[],
  programs: readonly ProgramId[],
): Promise<boolean> => {
  const staged = prompts.filter(({ first }) => first !== undefined);
  const sent = [
    ...staged.map(({ _id, first }) => store.bookingsFor(first!, stageId(_id, first!))),
    ...programs.map((program) => store.bookingsFor('program', program)),
  ];
  return (await Promise.all(sent)).some((bookings) => bookings.length > 0);
};

/** True where the step is the first of a stream, by its prompts or, before it is planned, by the settings. */
const beginsStream = async (
  store: Store,
  { run, config }: RunDocument,
  step: number,
  epoch: number,
): Promise<boolean> => {
  const [first] = (await store.getPrompts([promptId(run, step, epoch, 0)])).values();
  return (first === undefined ? config : await store.readConfig(run, first.configVersion)).schedule === 'continuous';
};

/** The place of the stream after the step before, where that was the run's own and under the same epoch. */
const placeBefore = async (store: Store, run: RunDocument, step: number, epoch: number): Promise<Place | null> => {
  const marker = step === 0 ? null : await markerOf(store, run, step - 1);
  if (marker?.stream === undefined || marker.run !== run.run || marker.epoch !== epoch) return null;
  const { first, next, open } = marker.stream;
  return { first, next, open };
};

const markerOf = async (store: Store, run: RunDocument, step: number): Promise<StepDocument | null> => {
  for await (const marker of store.eachStep(run, step)) return marker.step === step ? marker : null;
  return null;
};

/** Commits the steps in order. It ends after a step that an earlier attempt committed with other groups. */
const committedIn = async (
  store: Store,
  commits: ReturnType<typeof createCommit>,
  { run, step, epoch, version, generation, first, commit, further = [] }: StreamTurn,
): Promise<{ readonly steps: readonly StreamDone[]; readonly document: RunDocument }> => {
  const steps: StreamDone[] = [];
  let document = await requiredRun(store, run);
  if (commit === undefined) return { steps, document };
  const owed = await store.owed(run);
  const all = [commit, ...further].map((one, index) => ({
    ...{ run, step: step + index, epoch, version, generation, ...one },
    stream: { first, groups: one.groups },
  }));
  let together = all.length > 1 && document.committedStep < step;
  const read = withRun(store, document);
  const made = together ? await Promise.all(all.map((one) => madeIn(read, document, one))) : [];
  while (steps.length < all.length) {
    const from = steps.length;
    const row = together ? all : all.slice(from, from + 1);
    const summaries: StepSummary[] = [];
    for (const one of row) {
      const known = { document, owed, followed: one !== row.at(-1), made: made[one.step - step] ?? null };
      const done = await commits(one, known);
      document = done.document;
      summaries.push(done.summary);
    }
    // Where another attempt had stored some of these steps, the rest is committed one by one.
    const done = document.committedStep - row[0]!.step + 1;
    for (const [index, summary] of summaries.slice(0, done).entries()) {
      const { stream, step: at } = row[index]!;
      const groups = together
        ? stream.groups
        : ((await markerOf(withRun(store, document), document, at))?.stream?.groups ?? stream.groups);
      steps.push({ summary, groups });
      if (groups.join() !== stream.groups.join()) return { steps, document };
    }
    together = false;
  }
  return { steps, document };
};

export const createTurnStream = (deps: StepDeps): Pick<StoreActivities, 'turnStream'> => {
  const { store: given, loadTask } = deps;
  const commit = createCommit(deps);
  return {
    async turnStream(turn): Promise<StreamTurned> {
      const { run, step, epoch, version, generation, first, plan } = turn;
      const { steps, document } = await committedIn(given, commit, turn);
      const [done, ...further] = steps;
      const result = {
        ...(done ?? { summary: null, groups: [] }),
        ...(further.length > 0 && { further }),
      };
      const store = withRun(given, document);
      if (plan.count === 0) return { ...result, preludes: [] };

      const committed = step - 1 + steps.length;
      requireGeneration(document, step, generation);
      const config = await store.readConfig(run, version);
      const wanted = range(plan.from, plan.count);
      const asked = { run, step: first, epoch, groups: wanted };
      // What an earlier attempt has written stays. Where another execution had written these groups, its prompts stay too,
      // because what is stored first counts.
      const isFirst = Context.current().info.attempt === 1;
      const written = isFirst ? new Map<string, PromptDocument>() : await store.getPrompts(promptsIn(asked, config));
      const present = new Set([...written.values()].map(({ group }) => group));
      const missed = wanted.filter((group) => !present.has(group));
      if (missed.length > 0) {
        const task = await loadTask(taskRef({ ...document, config }));
        const population = await store.population(document);
        const { committedStep } = document;
        if (committedStep < committed)
          throw ApplicationFailure.create({
            message: `groups of run ${run} were planned after step ${committedStep}, and step ${committed} was expected`,
            type: 'Moved',
          });
        await planGroups({
          ...{ store, task, run: document, step: first, epoch, config, version, population, groups: missed },
          // What was tried on programs is remembered by the store itself.
          ahead: { base: given, committed: committedStep, steps: [] },
        });
      }
      return { ...result, preludes: await preludesOf(store, { config, ...asked }) };
    },
  };
};
