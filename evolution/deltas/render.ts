// A node of the history as text, with label, attempt and change (DeltaEvolve Figures 13 and 14).
import type { ChangeLabel, CompleteDelta, DeltaSummary, Level, Modification } from './delta.ts';

type RenderedNode = {
  /** The attempt number. */
  readonly time: number;
  readonly label: ChangeLabel;
  readonly delta: CompleteDelta;
  /** At L2 a node without a plan shows its L1. */
  readonly level: Level;
};

export const renderNode = ({ time, label, delta, level }: RenderedNode): string => {
  const number = String(time).padStart(3, '0');
  return level === 'L2' && delta.plan.length > 0
    ? `[iter:${number}:${label}]\n${renderPlan(delta.plan)}`
    : `[iter: ${number} | ${label}]\n${renderSummary(delta.summary)}`;
};

/** Fields that are empty are left out. */
export const renderSummary = ({ from, to }: DeltaSummary): string =>
  fields([
    ['FROM', from],
    ['TO', to],
  ]);

/** Modifications are numbered from 1. */
export const renderPlan = (plan: readonly Modification[]): string =>
  plan
    .map(
      ({ component, oldLogic, newLogic, hypothesis }, index) =>
        `[Modification ${index + 1}]\n${fields([
          ['COMPONENT', component],
          ['OLD_LOGIC', oldLogic],
          ['NEW_LOGIC', newLogic],
          ['HYPOTHESIS', hypothesis],
        ])}`,
    )
    .join('\n');

const fields = (pairs: readonly (readonly [label: string, value: string])[]): string =>
  pairs
    .filter(([, value]) => value !== '')
    .map(([label, value]) => `${label}: ${value}`)
    .join('\n');
