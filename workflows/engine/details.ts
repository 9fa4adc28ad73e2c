// Lines that the details of runs, steps, updates and sweeps in the Temporal UI share. What comes from outside is put in
// so that it draws nothing. The page (`npx evolve ui`) shows everything else.
import { type Parked, parkedText, type Refusal, refusalText } from '../../evolution/run-states.ts';
import { inMarkdown } from '../../evolution/visible.ts';
import { withoutPerson } from './park.ts';
import { cut, utc } from './telling.ts';

const SHORT = 200;
const LONG = 1_000;

export const told = (text: string, bytes = SHORT): string => inMarkdown(cut(text, bytes));

export const stateLine = (status: string, reason: string | null, then = ''): string =>
  `**${status}**${reason ? ` (${told(reason, LONG)})` : ''}${then}`;

export type Attention = { readonly attention: string | null; readonly parked: Parked | null };

export const attentionLines = ({ attention, parked }: Attention, more = ''): readonly string[] => {
  if (attention === null) return [];
  const alone = withoutPerson(attention);
  const how = parked === null ? alone : parkedText(parked, { alone });
  return [`**Needs attention**: ${told(attention, LONG)}`, '', `${how} What is finished is kept.${more}`, ''];
};

/** The last messages that changed nothing, newest first. */
export const noteLines = (refusals: readonly Refusal[]): readonly string[] =>
  refusals.length === 0
    ? []
    : ['', '**Messages that changed nothing**', '', ...refusals.map((one) => `- ${inMarkdown(refusalText(one))}`)];

/** A line that says where the rest is shown. */
export const pageLine = (view: 'run' | 'sweeps', name: string): string =>
  `The page shows the rest: \`npx evolve ui\` opens it, at \`#/${view}/${name}\`.`;

/** An execution that was reset or terminated cannot know it, so its last line says where to look. */
export const newestLine = (nowMs: number, workflowId: string): string =>
  `As of ${utc(nowMs)}. Where this execution is closed and did not complete, the newest execution of \`${workflowId}\` says more.`;
