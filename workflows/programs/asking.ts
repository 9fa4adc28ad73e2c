// A step makes calls beside its responses, as far as its budget allows: stages of a group, deltas that responses left
// out, edits in place of those that could not be taken, and the judgement of the initial idea. Calls that wait for the
// budget hold nothing that a request in flight needs.
import { ApplicationFailure, condition, isCancellation } from '@temporalio/workflow';
import type { Allowance } from '../../evolution/budget/allowance.ts';
import { causesOf } from '../../evolution/root-cause.ts';
import { explain, type Phases } from '../engine/park.ts';
import { model } from '../engine/proxies.ts';

type Call = Parameters<typeof model.ask>[0];

const LONGEST_REASON = 300;

/** The largest number of the wanted responses that the budget allows. It waits where requests in flight decide it. */
export const affordable = async (allowance: Allowance, wanted: number): Promise<number> => {
  for (let count = wanted; count >= 1; count = Math.floor(count / 2)) {
    let verdict = allowance.reserve(count);
    if (verdict === 'wait')
      await condition(() => {
        verdict = allowance.reserve(count);
        return verdict !== 'wait';
      });
    if (verdict === 'granted') return count;
  }
  return 0;
};

/**
 * Asks for a group that has reserved its responses. An idea that cannot be asked for parks; a judge that cannot be
 * asked ends its group, and a prompt that cannot be edited stays as it is. Null, or why the call failed. Throws where
 * the budget is spent (isBudgetSpent), because then the group is left out.
 */
export const askStage = async (park: Phases, allowance: Allowance, call: Call): Promise<string | null> => {
  if (call.stage === 'idea') {
    allowance.pay(
      await park.phase(
        `${call.stage} ${call.group}`,
        (acknowledged) => ask(acknowledged > 0 ? { ...call, told: acknowledged } : call),
        [BUDGET_SPENT],
      ),
    );
    return null;
  }
  return unlessFailed(async () => allowance.pay(await ask(call)), isBudgetSpent);
};

const BUDGET_SPENT = 'BudgetSpent';

/** True where a call was not made, because a limit is used up once requests without an answer count. */
export const isBudgetSpent = (error: unknown): boolean =>
  causesOf(error).some((cause) => cause instanceof ApplicationFailure && cause.type === BUDGET_SPENT);

/**
 * Asks for what the step can do without, once the budget has a response to spare for it. Null, or why there is no
 * answer.
 */
export const askAside = async (allowance: Allowance, call: Call): Promise<string | null> => {
  if ((await affordable(allowance, 1)) === 0) return 'the budget does not reach';
  try {
    return await unlessFailed(async () => allowance.pay(await ask(call)));
  } finally {
    allowance.release(1);
  }
};

const ask = (call: Call): ReturnType<typeof model.ask> =>
  model.ask.executeWithOptions(
    { summary: `model: ${call.stage} of ${'slot' in call ? `slot ${call.slot}` : `group ${call.group}`}` },
    [call],
  );

const unlessFailed = async (
  work: () => Promise<void>,
  passes: (error: unknown) => boolean = () => false,
): Promise<string | null> => {
  try {
    await work();
    return null;
  } catch (error) {
    if (isCancellation(error) || passes(error)) throw error;
    return explain(error).slice(0, LONGEST_REASON);
  }
};
