// The model is asked for the groups of a unit: first what comes before their programs, stage by stage, then the
// programs. What a limit leaves out is noted.
import type { Advanced } from '../../activities/interface/step.ts';
import type { Stage } from '../../evolution/stages.ts';
import { model, store } from '../engine/proxies.ts';
import { affordable, askStage, isBudgetSpent } from './asking.ts';
import { Pipeline } from './pipeline.ts';
import type { Batched } from './batched.ts';
import { type Conductor, nameOf, type Unit } from './unit.ts';

export type Work = {
  readonly at: Conductor;
  readonly unit: Unit;
  readonly pipeline: Pipeline;
  /** Sends many requests in one activity. Left out where each is an activity of its own. */
  readonly batched?: Batched | undefined;
};

/** Takes a unit from its plan to its last evaluation. */
export const runUnit = async (at: Conductor, unit: Unit, batched?: Batched): Promise<void> => {
  const work = { at, unit, pipeline: new Pipeline(at, unit), batched };
  at.ledger.count(unit.ref.step, 'total', unit.groups.length * at.plan.responses);
  at.describe();
  const stages = new Map(unit.preludes.map(({ group, stage }) => [group, stage]));
  const requests = unit.groups.flatMap((group) => askGroup(work, group, stages.get(group) ?? null));
  let answered = false;
  // In a window of steps all islands together may have more requests than fit, so the window sees to the widening.
  const widened = unit.ahead === undefined ? at.requests.widenFor(requests.length) : [];
  const answers = Promise.all([...requests, ...widened]).then(() => {
    answered = true;
  });
  await Promise.all([answers, ...work.pipeline.drained(() => answered)]);
};

const askGroup = (work: Work, group: number, stage: Stage | null): readonly Promise<void>[] =>
  // Where one response does not fit into a limit, no further group of a window is asked for.
  askFor(work, group, stage, work.unit.ahead !== undefined && work.at.ledger.spent ? 0 : wantedOf(work, group));

/** Asks for the first `wanted` responses of a group, after the stages that come before them. */
export const askFor = (work: Work, group: number, stage: Stage | null, wanted: number): readonly Promise<void>[] => {
  const { plan } = work.at;
  omit(work, group, wanted, plan.responses - wanted);
  return stage !== null && wanted > 0
    ? [prepareAndRequest(work, group, stage, wanted)]
    : requestAll(work, group, wanted, false);
};

/** The number of responses of a group, which is smaller for the last groups where a limit on programs says so. */
const wantedOf = ({ at: { plan } }: Work, group: number): number =>
  Math.min(plan.responses, Math.max(0, (plan.programs ?? Infinity) - group * plan.responses));

/** Reserves, before the first call, what all calls of the group and its programs are likely to cost. */
const prepareAndRequest = async (work: Work, group: number, first: Stage, wanted: number): Promise<void> => {
  const { allowance } = work.at;
  const count = await affordable(allowance, wanted);
  omit(work, group, count, wanted - count);
  try {
    if (count > 0 && (await prepared(work, group, first))) {
      await Promise.all(requestAll(work, group, count, true));
      return;
    }
    if (count > 0) work.unit.stream?.refused(group);
  } catch (error) {
    if (!isBudgetSpent(error)) throw error;
    omit(work, group, 0, count);
  }
  allowance.release(count);
};

/** Takes a group through its stages. False where it ends before its programs. */
const prepared = async ({ at, unit }: Work, group: number, first: Stage): Promise<boolean> => {
  const { ref, ahead } = unit;
  let next: Stage | null = first;
  while (next !== null) {
    const stage: Stage = next;
    const failed = await at.requests.staged.run(() => askStage(at.park, at.allowance, { ...ref, group, stage }));
    const summary: string = `read the answer of stage ${stage}, group ${group}: ${nameOf(unit)}`;
    const advanced: Advanced = await at.park.phase(
      `read ${stage} ${ref.step}.${group}`,
      () =>
        store.advance.executeWithOptions({ summary }, [
          { ...ref, group, stage, failed, ...(ahead && { ahead }), ...(unit.stream && { stream: true as const }) },
        ]),
      ['SupersededError'],
    );
    if (advanced.refused) return false;
    next = advanced.next;
  }
  return true;
};

const requestAll = (work: Work, group: number, count: number, reserved: boolean): readonly Promise<void>[] => {
  const { perRequest } = work.at.plan;
  return Array.from({ length: Math.ceil(count / perRequest) }, (_, index) =>
    request(work, group, index * perRequest, Math.min(perRequest, count - index * perRequest), reserved),
  );
};

const request = async (work: Work, group: number, first: number, wanted: number, reserved: boolean): Promise<void> => {
  const { allowance, plan, requests } = work.at;
  const missing = await (reserved ? requests.staged : requests.plain).run(async () => {
    const count = reserved ? wanted : await affordable(allowance, wanted);
    omit(work, group, first + count, wanted - count);
    if (count === 0) return [];
    const answer = (await work.batched?.ask({ group, first, count })) ?? null;
    const responses = answer ?? (await generated(work, group, first, count));
    allowance.settle(responses.stored.length, responses);
    const omitted = responses.omitted ?? [];
    if (omitted.length > 0) {
      work.at.ledger.omit(work.unit.ref.step, omitted);
      work.unit.stream?.omitted(omitted);
      allowance.release(omitted.length);
    }
    if (!reserved) allowance.release(responses.missing.length);
    work.pipeline.take(responses.stored, answer?.applied);
    return responses.missing;
  });
  await Promise.all(missing.map((slot) => request(work, group, slot % plan.responses, 1, reserved)));
};

const generated = ({ at, unit }: Work, group: number, first: number, count: number) => {
  const { responses } = at.plan;
  const summary = `model: ${nameOf(unit)}, group ${group}, ${count} response${count === 1 ? '' : 's'} from ${first}`;
  return at.park.phase(`generate ${unit.ref.step}.${group}.${first}`, (acknowledged) =>
    model.generate.executeWithOptions({ summary }, [
      {
        ...{ ...unit.ref, group, first, count, responses },
        ...(acknowledged > 0 && { told: acknowledged }),
        ...(at.plan.stream && { inFlight: at.plan.stream.inFlight }),
      },
    ]),
  );
};

const omit = ({ at, unit }: Work, group: number, first: number, count: number): void => {
  const slots = Array.from({ length: count }, (_, index) => group * at.plan.responses + first + index);
  at.ledger.omit(unit.ref.step, slots);
  if (count > 0) unit.stream?.omitted(slots);
};
