// Lines that the details of runs, steps, updates and sweeps in the Temporal UI share. What comes from outside is put in
// so that it draws nothing. The page (`npx evolve ui`) shows everything else.
import type { Links } from '../../activities/interface/run.ts';
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
export const pageLine = (view: 'run' | 'sweeps', name: string, links: Links | undefined): string =>
  links?.page === undefined
    ? `The page shows the rest: \`npx evolve ui\` opens it, at \`#/${view}/${name}\`.`
    : `[The page](${links.page}/#/${view}/${name}) shows the rest.`;

/**
 * A workflow, or one execution of it: as a link where the address of the UI is known. The UI shows what is behind an
 * address without a host in the frame of the details.
 */
export const workflowLink = (id: string, links: Links | undefined, execution?: string): string => {
  const text = `\`${execution ?? id}\``;
  if (links?.workflows === undefined) return text;
  return `[${text}](${links.workflows}/${encodeURIComponent(id)}${execution === undefined ? '' : `/${execution}`})`;
};

/** Of an execution that continued as new. The UI goes on to show it, with no message that could be sent to it. */
export const overLines = (left: string | null, id: string, links: Links | undefined): readonly string[] =>
  left === null
    ? []
    : [
        `**This execution is over**: ${told(left)}. Messages go to the newest execution of ${workflowLink(id, links)}.`,
        '',
      ];

/** An execution that was reset or terminated cannot know it, so its last line says where to look. */
export const newestLine = (nowMs: number, id: string, links: Links | undefined): string =>
  `As of ${utc(nowMs)}. Where this execution is closed and did not complete, the newest execution of ${workflowLink(id, links)} says more.`;
