// People read the current details of an update in the Temporal UI: whose update it is, what it is at, and what is parked.
import type { LearningBrief, UpdateOrder } from '../../activities/interface/learning.ts';
import { runWorkflowId, trainingWorkflowId, updateWorkflowId } from '../../evolution/ids.ts';
import type { Refusal } from '../../evolution/run-states.ts';
import {
  type Attention,
  attentionLines,
  newestLine,
  noteLines,
  pageLine,
  told,
  workflowLink,
} from '../engine/details.ts';
import { details, digits } from '../engine/telling.ts';
import type { UpdateOperation } from '../messages/messages.ts';
import type { UpdateInput } from '../messages/update-input.ts';

type UpdateShown = Attention & {
  readonly input: UpdateInput;
  readonly operation: UpdateOperation;
  /** Null until it is planned. */
  readonly order: UpdateOrder | null;
  /** The policy of the run after the last update of the step. */
  readonly settled: LearningBrief | null;
  readonly refusals: readonly Refusal[];
  readonly nowMs: number;
};

const AT_WORK: { readonly [operation in UpdateOperation]: string } = {
  plan: 'the rollouts of the step become a batch',
  apply: 'it is with the trainer, whose progress stands among the pending activities of this workflow',
  publish: 'the policy is handed to the server that is to serve it',
  verify: 'the server is asked for an answer under the name of the policy',
  commit: 'the run moves to the policy',
};

const stateText = ({ operation, settled, order }: UpdateShown): string => {
  if (settled === null) return AT_WORK[operation];
  if (order === null) return `nothing was to be trained${settled.last === null ? '' : `: ${told(settled.last)}`}`;
  return 'committed';
};

const orderLine = ({ kind, policy, version, rollouts, tokens }: UpdateOrder, trainer: string): string => {
  const what = kind === 'policy' ? 'rollouts' : 'examples with known answers';
  const of =
    kind === 'start'
      ? 'the weights that it begins with'
      : `${digits(rollouts)} ${what}, ${digits(tokens)} tokens, by trainer ${told(trainer)}`;
  return `It makes \`${told(policy)}\`, version ${digits(version)}, of ${of}.`;
};

export const updateDetails = (shown: UpdateShown): string => {
  const { input, order, refusals, nowMs } = shown;
  const { run, step, trainer, training, links } = input;
  const ofRun = training === undefined;
  const id = ofRun ? updateWorkflowId(run, step) : trainingWorkflowId(run, step);
  return details([
    ofRun
      ? `**Update after step ${digits(step)}** of run \`${run}\`: ${stateText(shown)}`
      : `**Training of judge** \`${run}\`, ${digits(step)} epochs: ${stateText(shown)}`,
    '',
    ...attentionLines(shown, ofRun ? ' The run keeps its policy.' : ''),
    ...(order === null ? [] : [orderLine(order, trainer), '']),
    `\`npx evolve policies ${run}\` lists what is made. ${
      ofRun
        ? `${workflowLink(runWorkflowId(run), links)} says what you can do; the signal \`retry\`, to this workflow too, lets what is parked try again.`
        : `\`npx evolve train-judge ${run}\` with the same arguments lets it try again at once and waits for it.`
    }`,
    ...(ofRun ? ['', pageLine('run', run, links)] : []),
    ...noteLines(refusals),
    '',
    newestLine(nowMs, id, links),
  ]);
};
