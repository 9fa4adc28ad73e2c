// Deltas that an answer left out: a mechanical summary or a repair call fills them (docs/methods/deltaevolve.md).
import { cutTo, TEXT_LIMITS } from '../edits/limits.ts';
import { type CompleteDelta, type Delta, deltaOf } from './delta.ts';

type MissingDelta = {
  readonly delta: Delta;
  /** Null where the parent is a root, such as the initial program. */
  readonly parentDelta: CompleteDelta | null;
  /** The number of SEARCH/REPLACE blocks in the answer. */
  readonly blocks: number;
  /** The number of lines of the child that its parent lacks, and the reverse. */
  readonly addedLines: number;
  readonly deletedLines: number;
};

/** Makes a summary where there is none, of the plan's components or the size of the edit. The status stays. */
export const completeDelta = ({
  delta,
  parentDelta,
  blocks,
  addedLines,
  deletedLines,
}: MissingDelta): CompleteDelta => {
  if (delta.summary !== null) return { ...delta, summary: delta.summary };
  const components = componentsOf(delta);
  const size = `unlabelled change, ${blocks} ${blocks === 1 ? 'block' : 'blocks'}, +${addedLines}/-${deletedLines} lines`;
  return {
    ...delta,
    summary: {
      from: parentDelta?.summary.to ?? 'initial program',
      to: components.length > 0 ? joined(components) : size,
    },
  };
};

/** The answer of a repair call fills what the first answer lacked; what the first answer had stays. */
export const repairedDelta = (delta: Delta, repair: Delta): Delta =>
  deltaOf(delta.summary ?? repair.summary, delta.plan.length > 0 ? delta.plan : repair.plan);

/** A delta completed by the answer of a repair call; null where that held nothing of what was missing. */
export const withRepair = (change: CompleteDelta, repair: Delta): CompleteDelta | null => {
  const own = change.status === 'full' || change.status === 'summary_only' ? change.summary : null;
  const whole = repairedDelta(deltaOf(own, change.plan), repair);
  if (whole.status === change.status) return null;
  const components = componentsOf(whole);
  const mechanical = components.length > 0 ? { from: change.summary.from, to: joined(components) } : change.summary;
  return { ...whole, summary: whole.summary ?? mechanical };
};

const joined = (components: readonly string[]): string => cutTo(components.join(', '), TEXT_LIMITS.deltaFieldChars);

const componentsOf = ({ plan }: Pick<Delta, 'plan'>): readonly string[] => [
  ...new Set(plan.flatMap(({ component }) => (component === '' ? [] : [component]))),
];
