// People who act on runs, and the marks that they set on runs and programs.
import { visible } from '../../visible.ts';

const WAYS = { page: 'page', command: 'command', library: 'library', temporal: 'Temporal UI' } as const;

/** `name` is the user of the machine, or the address of the page's visitor; null where it is not known. */
export type Person = { readonly name: string | null; readonly from: keyof typeof WAYS };
export const PERSON_FROM = Object.keys(WAYS) as readonly Person['from'][];

/** `mia (page)`. */
export const personText = ({ name, from }: Person): string => `${visible(name ?? 'somebody')} (${WAYS[from]})`;

export type Mark = { readonly star: boolean; readonly label: string | null; readonly note: string | null };

/** A mark, and who set it. */
export type SetMark = Mark & { readonly by: Person; readonly at: string };

/** `★ promising`; of a mark with a note alone `note`, and empty without a mark. */
export const markText = (mark: Mark | null | undefined): string => {
  if (mark == null) return '';
  const { star, label, note } = mark;
  const parts = [...(star ? ['★'] : []), ...(label === null ? [] : [label])];
  return parts.join(' ') || (note === null ? '' : 'note');
};

/** `★ promising “look again” by mia (page)`. */
export const wholeMark = ({ note, by, ...mark }: SetMark): string => {
  const quoted = note === null ? '' : `“${note.replaceAll(/\s+/g, ' ')}” `;
  return `${markText({ ...mark, note: null })} ${quoted}by ${personText(by)}`.trim();
};

type Action = {
  readonly _id: string;
  readonly verb: string;
  readonly by: Person;
  readonly state: 'asked' | 'done' | 'refused';
  readonly text: string;
};

/** `pause: pauses after its current step`. */
export const actionText = ({ verb, state, text }: Action): string => {
  const how = { asked: `${verb}, of which no end was recorded`, done: verb, refused: `${verb} was refused` }[state];
  // What a workflow or a command refused names the verb once more.
  const why = state === 'refused' ? text.replace(new RegExp(`^(.* refused to ${verb}: )?(${verb}: )?`), '') : text;
  return why === '' ? how : `${how}: ${why}`;
};

/** Who sent the message of this id: one that no action sent came from the Temporal UI. Empty where no id is stored. */
export const senderOf = (message: string | undefined, actions: readonly Action[]): { readonly by?: Person } =>
  message === undefined
    ? {}
    : { by: actions.find(({ _id }) => _id === message)?.by ?? { name: null, from: 'temporal' } };
