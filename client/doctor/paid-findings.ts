// What `evolve doctor <run>` says of money: what is paid beside the committed steps, and what was used twice and paid once.
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import { moneyOf } from '../../activities/store/steps/paid.ts';
import type { Paid } from '../../evolution/budget/money.ts';

type PaidFinding = { readonly about: 'paid'; readonly ok: true; readonly detail: string; readonly command?: string };

export const paidFindings = (run: RunDocument): readonly PaidFinding[] => {
  const { setAside, reused } = moneyOf(run);
  const { unanswered } = run;
  const command = `npx evolve usage ${run.run}`;
  const details = [
    any(setAside) &&
      `${told(setAside)} of steps that were rewound or asked afresh are paid for and stand in no committed step; limits on tokens and cost count them`,
    any(reused) &&
      `${told(reused)} were used again when their steps were done again: they were paid for once, and count once`,
    unanswered !== undefined &&
      unanswered.requests > 0 &&
      `${unanswered.requests} requests were sent without an answer: about ${unanswered.tokens.in + unanswered.tokens.out} tokens, $${unanswered.costUsd.toFixed(4)} (estimated); limits on tokens and cost count them`,
  ];
  return details.flatMap((detail) => (detail === false ? [] : [{ about: 'paid', ok: true, detail, command } as const]));
};

const any = ({ programs, tokens }: Paid): boolean => programs + tokens > 0;

const told = ({ programs, tokens, costUsd }: Paid): string =>
  `${programs} programs (${tokens} tokens, $${costUsd.toFixed(4)})`;
