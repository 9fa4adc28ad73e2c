// A window of steps through which each island runs on its own (docs/methods/codeevolve.md, Migration): its next
// groups are planned as soon as its own programs are evaluated, a step is committed when the slowest island is
// through it, and migration waits for the last.
import { condition, getExternalWorkflowHandle, setHandler } from '@temporalio/workflow';
import type { IslandPlan, StepPlan, StepSummary } from '../../activities/interface/step.ts';
import type { Allowance } from '../../evolution/budget/allowance.ts';
import { runWorkflowId } from '../../evolution/ids.ts';
import type { Stage } from '../../evolution/types.ts';
import type { Park } from '../engine/park.ts';
import { evaluation, model, store } from '../engine/proxies.ts';
import { closeWindow, type InStep, windowReport, type WindowReport } from '../messages/messages.ts';
import type { StepInput } from '../messages/step-input.ts';
import { affordable, askStage } from './asking.ts';
import { Window } from './flow.ts';

/** Model requests pending at once. */
const REQUESTS_IN_FLIGHT = 160;

type IslandWindow = {
  readonly input: StepInput;
  readonly plan: StepPlan & { readonly window: NonNullable<StepPlan['window']> };
  readonly park: Park;
  readonly allowance: Allowance;
  /** Of the steps that are not committed. */
  readonly counts: { -readonly [count in keyof InStep]: number };
  readonly describe: () => void;
};

/** Returns the summary of the last step that was committed. */
export const runWindow = async ({
  input: { run, step: first, owner, batching },
  plan,
  park,
  allowance,
  counts,
  describe,
}: IslandWindow): Promise<StepSummary> => {
  const {
    epoch,
    version,
    generation,
    responses,
    perRequest,
    window: { last, islands },
  } = plan;
  const requests = new Window(REQUESTS_IN_FLIGHT);
  // A window of their own: in the other one requests wait for what these groups have reserved.
  const staged = new Window(REQUESTS_IN_FLIGHT);
  const omitted = new Map<number, number[]>();
  const countsOf = new Map<number, Partial<typeof counts>>();
  const reached = Array.from({ length: islands }, () => first - 1);
  let furthest = first;
  let closing = false;
  let spent = false;
  /** Who closes a window lets every island come as far as the first of them is. */
  const end = (): number => (closing ? furthest : last);
  setHandler(closeWindow, () => {
    closing = true;
  });

  const count = (step: number, kind: keyof InStep, by: number): void => {
    counts[kind] += by;
    const own = countsOf.get(step) ?? {};
    own[kind] = (own[kind] ?? 0) + by;
    countsOf.set(step, own);
  };
  const omit = (step: number, slots: readonly number[]): void => {
    if (slots.length === 0) return;
    omitted.set(step, [...(omitted.get(step) ?? []), ...slots]);
    count(step, 'total', -slots.length);
    // Where one response does not fit into a limit, no further group is asked for.
    spent = closing = true;
  };
  const slotsOf = (group: number, from: number, many: number): number[] =>
    Array.from({ length: many }, (_, index) => group * responses + from + index);

  /** One group of an island, up to the evaluation of its programs. */
  const runGroup = async (step: number, island: number, group: number, firstStage: Stage | null): Promise<void> => {
    const ref = { run, step, epoch, version };
    const ahead = { generation, island };
    const name = `${step}.${group}`;
    const request = async (from: number, wanted: number, reserved: boolean): Promise<void> => {
      const missing = await (reserved ? staged : requests).run(async () => {
        const granted = reserved ? wanted : await affordable(allowance, wanted);
        omit(step, slotsOf(group, from + granted, wanted - granted));
        if (granted === 0) return [];
        const made = await park.phase(`generate ${name}.${from}`, () =>
          model.generate.executeWithOptions(
            { summary: `model: island ${island}, step ${step}, ${granted} response${granted === 1 ? '' : 's'}` },
            [{ ...ref, group, first: from, count: granted, responses }],
          ),
        );
        allowance.settle(made.stored.length, made);
        if (!reserved) allowance.release(made.missing.length);
        count(step, 'responses', made.stored.length);
        await applyAndEvaluate(made.stored);
        return made.missing;
      });
      await Promise.all(missing.map((slot) => request(slot % responses, 1, reserved)));
    };
    const applyAndEvaluate = async (slots: readonly number[]): Promise<void> => {
      if (slots.length === 0) return;
      const { evaluate } = await park.phase(
        `apply ${name}.${slots[0]}`,
        () =>
          store.applyResponses.executeWithOptions({ summary: `apply edits: island ${island}, step ${step}` }, [
            { ...ref, slots, ahead },
          ]),
        ['SupersededError'],
      );
      count(step, 'applied', slots.length);
      count(step, 'toEvaluate', evaluate.length);
      await Promise.all(
        inBatches(evaluate, batching.size).map(async (batch) => {
          await park.phase(`evaluate ${name}.${batch[0]}`, () =>
            evaluation.evaluate.executeWithOptions({ summary: `evaluate: island ${island}, step ${step}` }, [
              { ...ref, slots: batch },
            ]),
          );
          count(step, 'evaluated', batch.length);
        }),
      );
    };
    const requestAll = (wanted: number, reserved: boolean): Promise<unknown> =>
      Promise.all(
        Array.from({ length: Math.ceil(wanted / perRequest) }, (_, index) =>
          request(index * perRequest, Math.min(perRequest, wanted - index * perRequest), reserved),
        ),
      );
    const prepared = async (): Promise<boolean> => {
      for (let stage = firstStage; stage !== null;) {
        const asked: Stage = stage;
        const failed = await staged.run(() => askStage(park, allowance, { ...ref, group, stage: asked }));
        const advanced = await park.phase(
          `read ${asked} ${name}`,
          () =>
            store.advance.executeWithOptions(
              { summary: `read the answer of stage ${asked}: island ${island}, step ${step}` },
              [{ ...ref, group, stage: asked, failed, ahead }],
            ),
          ['SupersededError'],
        );
        if (advanced.refused) return false;
        stage = advanced.next;
      }
      return true;
    };

    if (spent) omit(step, slotsOf(group, 0, responses));
    else if (firstStage === null) await requestAll(responses, false);
    else {
      const granted = await affordable(allowance, responses);
      omit(step, slotsOf(group, granted, responses - granted));
      if (granted > 0 && (await prepared())) await requestAll(granted, true);
      else allowance.release(granted);
    }
  };

  const runIsland = async (island: number): Promise<void> => {
    for (let step = first; step <= end(); step++) {
      furthest = Math.max(furthest, step);
      // In the first step of a window every group is planned already.
      const planned: IslandPlan =
        step === first
          ? {
              groups: slotsOf(0, 0, plan.groups).filter((group) => group % islands === island),
              preludes: plan.preludes ?? [],
            }
          : await park.phase(
              `plan ${step}.${island}`,
              () =>
                store.planIsland.executeWithOptions({ summary: `sample parents: island ${island}, step ${step}` }, [
                  { run, step, epoch, version, generation, island },
                ]),
              ['SupersededError'],
            );
      const stages = new Map(planned.preludes.map(({ group, stage }) => [group, stage]));
      count(step, 'total', planned.groups.length * responses);
      await Promise.all(planned.groups.map((group) => runGroup(step, island, group, stages.get(group) ?? null)));
      reached[island] = step;
    }
  };

  const report = (summary: StepSummary | null): Promise<void> => {
    const body: WindowReport = { step: first, last, summary };
    return getExternalWorkflowHandle(runWorkflowId(run), owner)
      .signal(windowReport, body)
      .catch(() => undefined);
  };

  const commitAll = async (): Promise<StepSummary> => {
    for (let step = first; ; step++) {
      await condition(() => Math.min(...reached) >= step);
      const goesOn = step < end();
      const summary = await park.phase(
        'commit',
        () =>
          store.commitStep.executeWithOptions({ summary: `insert, migrate, commit step ${step}` }, [
            {
              run,
              step,
              epoch,
              version,
              generation,
              injected: 0,
              omitted: (omitted.get(step) ?? []).sort((a, b) => a - b),
              ...(goesOn ? { next: owner } : {}),
            },
          ]),
        ['SupersededError'],
      );
      for (const [kind, many] of Object.entries(countsOf.get(step) ?? {})) counts[kind as keyof InStep] -= many;
      describe();
      if (!goesOn) return summary;
      await report(summary);
    }
  };

  await report(null);
  const [summary] = await Promise.all([
    commitAll(),
    ...Array.from({ length: islands }, (_, island) => runIsland(island)),
  ]);
  return summary;
};

const inBatches = <T>(items: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));
