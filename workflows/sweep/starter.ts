// A sweep's workflow has the id `sweep/<name>`, and the engine lets only one execution of an id live, so that one name
// has one living sweep. An execution under another id (a schedule adds the time to it, and people may type any) starts
// that workflow, or finds it alive and joins it. It waits for the end, so that a schedule sees that its start is still
// under way, and then says what has become of it.
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ApplicationFailure,
  CancellationScope,
  type ChildWorkflowHandle,
  ChildWorkflowCancellationType,
  condition,
  defineSignal,
  getExternalWorkflowHandle,
  isCancellation,
  makeContinueAsNewFunc,
  ParentClosePolicy,
  setCurrentDetails,
  sleep,
  startChild,
  TerminatedFailure,
  workflowInfo,
} from '@temporalio/workflow';
import { sweepWorkflowId } from '../../evolution/ids.ts';
import { rootOf } from '../../evolution/root-cause.ts';
import { descriptionOf, messageName } from '../../evolution/steering/verbs.ts';
import { isSweepName, sweepName } from '../../evolution/sweep/name.ts';
import type { Json } from '../../evolution/types.ts';
import { inMarkdown } from '../../evolution/visible.ts';
import { ATTRIBUTES } from '../engine/attributes.ts';
import { Park } from '../engine/park.ts';
import { sweeping } from '../engine/proxies.ts';
import { details, summary } from '../engine/telling.ts';
import type { Upgrade } from '../messages/upgrade.ts';
import { listenTo } from '../messages/listening.ts';
import { requireMessage, verbsBy } from '../messages/people.ts';
import { refuse } from '../messages/refusals.ts';
import type { SweepCarry, SweepResult, SweepWorkflow } from '../messages/sweep-input.ts';

const SLOW_RETRY_MS = 30_000;
const FIRST_LOOK_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/**
 * The name of the sweep that this execution is to start, since it is not that sweep itself. Null where it is, and where
 * the name makes no sense: then whoever opens the sweep says what was expected.
 */
export const sweepToStart = (spec: Json): string | null => {
  const { name } = spec as { readonly name?: unknown };
  return typeof name === 'string' && isSweepName(name) && workflowInfo().workflowId !== sweepWorkflowId(name)
    ? name
    : null;
};

/**
 * The time that a schedule started this execution for, which in a backfill lies days before its start. Where no
 * schedule started it: its start. Continue-as-new and resets keep it.
 */
const scheduledTime = (): Date => {
  const { searchAttributes, startTime } = workflowInfo();
  const time = searchAttributes['TemporalScheduledStartTime']?.[0];
  return time instanceof Date ? time : startTime;
};

/** The sweep with its final name. One without a name stays as it is: who opens it says what is wrong. */
export const withScheduledName = (spec: Json): Json => {
  const { name } = spec as { readonly name?: unknown };
  return typeof name === 'string' ? { ...(spec as object), name: sweepName(name, scheduledTime()) } : spec;
};

const ID_START = sweepWorkflowId('');

/** Throws a BadRequest where the id is that of another sweep, which could not be started as long as this lives. */
const requireFreeId = (name: string): void => {
  const { workflowId } = workflowInfo();
  if (workflowId.startsWith(ID_START) && isSweepName(workflowId.slice(ID_START.length)))
    refuse(
      `sweep: "name" ${name} expected the workflow id "${sweepWorkflowId(name)}", got "${workflowId}", which is that of another sweep`,
    );
};

/** The schedule that started this execution, or that started what started it. */
export const scheduleOf = (carry: SweepCarry | undefined): string | null => {
  const by = workflowInfo().searchAttributes['TemporalScheduledById']?.[0];
  return carry?.schedule ?? (typeof by === 'string' ? by : null);
};

/** Starts the sweep, or joins it where it is alive, and waits for its end. */
export class Starter {
  readonly #spec: Json;
  readonly #name: string;
  readonly #carry: SweepCarry;
  readonly #upgrade: Upgrade;
  readonly #sweep;
  readonly #park = new Park({ slowRetryMs: SLOW_RETRY_MS, onChange: () => this.#describe() });
  #joined: boolean;
  #refusal: string | null = null;

  constructor(spec: Json, name: string, carry: SweepCarry, upgrade: Upgrade) {
    requireFreeId(name);
    this.#spec = spec;
    this.#name = name;
    this.#carry = carry;
    this.#upgrade = upgrade;
    this.#sweep = getExternalWorkflowHandle(sweepWorkflowId(name));
    this.#joined = carry.joined === true;
  }

  async work(): Promise<SweepResult> {
    this.#listen();
    this.#describe();
    try {
      for (let wait = FIRST_LOOK_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
        const end = (await this.#started()) ?? (await this.#look());
        if (end !== null) return end;
        this.#describe();
        await sleep(wait);
        if (workflowInfo().continueAsNewSuggested || this.#upgrade.due) await this.#goOn({});
      }
    } catch (error) {
      // It is no child of this execution, and whoever cancels the start cancels what it started.
      if (this.#carry.started === true && isCancellation(error))
        await CancellationScope.nonCancellable(() => this.#sweep.cancel().catch(() => undefined));
      throw error;
    }
  }

  #listen(): void {
    for (const verb of verbsBy('signal', 'sweep')) {
      const message = messageName(verb);
      listenTo<object | undefined>(defineSignal<[object | undefined]>(message), {
        description: descriptionOf(verb),
        answer: (refusal) => {
          this.#refusal = refusal;
          this.#describe();
        },
        check: (body) => requireMessage(message, body ?? {}, 'sweep'),
        handle: async (body) => this.#sweep.signal(message, body ?? {}),
      });
    }
  }

  #describe(): void {
    setCurrentDetails(starterDetails(this.#name, this.#joined, this.#park.attention, this.#refusal));
  }

  /** The end of the sweep that is started here; null where it is alive already, or was started before. */
  async #started(): Promise<SweepResult | null> {
    if (this.#joined || this.#carry.started === true) return null;
    const child = await startSweep(this.#spec, this.#name, this.#carry);
    if (child === null) return null;
    return (await endOrUpgrade(child, this.#name, this.#upgrade)) ?? (await this.#goOn({ started: true }));
  }

  /** The end of a sweep that is no child of this execution; null while it is open. */
  async #look(): Promise<SweepResult | null> {
    const sweep = this.#name;
    const started = this.#carry.started === true;
    const { open, status, ended, runs } = await this.#park.phase('look', () =>
      sweeping.lookAtSweep.executeWithOptions({ summary: summary(`look at sweep ${sweep}`) }, [{ sweep }]),
    );
    if ((this.#joined || started) && !open) {
      const how = ended && status !== null ? status : 'terminated';
      const said = started
        ? `started sweep ${sweep}, which is ${how} now`
        : `sweep ${sweep} was under way already, and this start joined it; it is ${how} now`;
      return { sweep, status: how, runs, said };
    }
    // One that has ended and is open is about to close. A moment later its id is free.
    this.#joined ||= !started && open && !ended;
    return null;
  }

  #goOn(more: Partial<SweepCarry>): Promise<never> {
    const { options, carry } = this.#upgrade.onward;
    const kept = { ...this.#carry, joined: this.#joined, ...more, ...carry };
    return makeContinueAsNewFunc<SweepWorkflow>(options)(this.#spec, kept);
  }
}

/** Null where the sweep is alive already. */
const startSweep = async (
  spec: Json,
  name: string,
  carry: SweepCarry,
): Promise<ChildWorkflowHandle<SweepWorkflow> | null> => {
  try {
    return await startChild<SweepWorkflow>('sweep', {
      workflowId: sweepWorkflowId(name),
      args: [spec, carry],
      // Cancelling the start cancels the sweep; terminating it, as a schedule may, ends the waiting alone.
      cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: summary(`sweep ${name}, started by ${carry.schedule ?? workflowInfo().workflowId}`),
      typedSearchAttributes: [{ key: ATTRIBUTES.sweep, value: name }],
    });
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return null;
    throw error;
  }
};

/** Null where another version of the workflows became the current one: the waiting goes on under that. */
const endOrUpgrade = async (
  child: ChildWorkflowHandle<SweepWorkflow>,
  name: string,
  upgrade: Upgrade,
): Promise<SweepResult | null> => {
  let over = false;
  const end = endOf(child, name).finally(() => {
    over = true;
  });
  // Whoever awaits it hears of it, and until then nobody may.
  end.catch(() => undefined);
  // A cancellation reaches the child, whose end is then waited for.
  await CancellationScope.nonCancellable(() => condition(() => over || upgrade.due));
  return over || !upgrade.due ? end : null;
};

const endOf = async (child: ChildWorkflowHandle<SweepWorkflow>, name: string): Promise<SweepResult> => {
  try {
    const result = await child.result();
    return { ...result, said: `started sweep ${name}, which is ${result.status} now` };
  } catch (error) {
    if (CancellationScope.current().consideredCancelled) throw error;
    if (isCancellation(error))
      return { sweep: name, status: 'stopped', runs: 0, said: `started sweep ${name}, which was cancelled` };
    const root = rootOf(error);
    if (root instanceof TerminatedFailure)
      return { sweep: name, status: 'terminated', runs: 0, said: `started sweep ${name}, which was terminated` };
    throw ApplicationFailure.nonRetryable(
      root.message,
      root instanceof ApplicationFailure && root.type ? root.type : 'Failed',
    );
  }
};

const starterDetails = (name: string, joined: boolean, attention: string | null, refusal: string | null): string =>
  details([
    joined
      ? `Sweep \`${name}\` was under way already, so this start joined it and waits for its end.`
      : `Started sweep \`${name}\`, and waits for its end.`,
    '',
    `The sweep itself is the workflow \`${sweepWorkflowId(name)}\`. The list shows it with the query \`WorkflowId = "${sweepWorkflowId(name)}"\`.`,
    '',
    `The signals \`pause\`, \`resume\` and \`stop\` are handed on to it. ${joined ? 'Cancel ends this waiting alone.' : 'Cancel cancels the sweep too.'}`,
    ...(attention === null ? [] : ['', `**Needs attention**: ${inMarkdown(attention)}`]),
    ...(refusal === null ? [] : ['', `**Last signal refused**: ${inMarkdown(refusal)}`]),
  ]);
