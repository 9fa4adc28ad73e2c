// The dialogs of the actions on a run: the fields of the verb, and for some verbs what is good to know beside them.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Field, Fields } from '../../../evolution/steering/base/fields.ts';
import { verbOf, wordsOf } from '../../../evolution/steering/verbs.ts';
import type { Body, RunAction } from '../../api/actions/actions.ts';
import type { RunSettingsAnswer } from '../../api/actions/forms.ts';
import type { RunReport } from '../../api/run/runs.ts';
import { written } from '../../api/actions/settings-values.ts';
import { Foreign } from '../base/parts.tsx';
import { useAnswer } from '../base/state.ts';
import { count, shown, usd } from '../base/text.ts';
import { AfterStepWords } from './after-step.tsx';
import { Confirm } from './confirm.tsx';
import { FlagField } from './fields.tsx';
import { TypedFields, useTyped } from './typed.tsx';

type DialogProps = {
  readonly report: RunReport;
  readonly onClose: () => void;
  /** The step that is proposed. */
  readonly step?: number | undefined;
};

type GivenHint = { readonly island: number | null; readonly text: string };
type Values = RunSettingsAnswer['values'];
const hintsOf = (values: Values): readonly GivenHint[] => (values['prompt.hints'] ?? []) as readonly GivenHint[];

/** A step is one of the run's. */
const bounded = (verb: RunAction, { steps, best }: RunReport): Fields => {
  const first = verb === 'rewind' && best !== null ? 1 : 0;
  const within = (field: Field): Field =>
    field.type === 'whole' && field.needed
      ? { ...field, min: first, max: steps, label: `${field.label} (${first} to ${steps})` }
      : field;
  return Object.fromEntries(Object.entries(verbOf(verb).fields).map(([name, field]) => [name, within(field)]));
};

/** The sentences above the fields that say how the run stands. */
const Present = ({
  verb,
  report,
  values,
}: {
  readonly verb: RunAction;
  readonly report: RunReport;
  readonly values: Values;
}) => {
  const hints = hintsOf(values);
  if (verb === 'extend')
    return (
      <p class="soft">
        So far: {count(report.steps)} steps, {count(report.programs)} programs, {count(report.paid.tokens)} tokens,{' '}
        {usd(report.paid.costUsd)}. What is left empty stays as it is shown; “none” removes a limit.
      </p>
    );
  if (verb === 'fork')
    return (
      <p class="soft">
        It takes over seed {written(values['seed'])} and{' '}
        {hints.length === 0 ? 'no hint' : hints.map((one) => `the hint “${shown(one.text)}”`).join(', ')}.
      </p>
    );
  if (verb !== 'hint') return null;
  return hints.length === 0 ? (
    <p class="soft">The run has no hint so far.</p>
  ) : (
    <ul>
      {hints.map((one) => (
        <li>
          {one.island === null ? 'all islands' : `island ${one.island}`}: <Foreign text={one.text} />
        </li>
      ))}
    </ul>
  );
};

const NOTES: { readonly [verb in RunAction]?: string } = {
  inject: 'There, the program is a file.',
  fork: 'There, settings as YAML are a file fork.yaml.',
};

const limitsOf = (values: Values): { readonly [limit: string]: string } =>
  Object.fromEntries(
    Object.keys(verbOf('extend').fields).map((name) => [name, written(values[`limits.${name}`]) || 'none']),
  );

export const ActionDialog = ({
  verb,
  report,
  onClose,
  step = report.steps,
}: DialogProps & { readonly verb: Exclude<RunAction, 'set'> }) => {
  const { run } = report;
  const [remove, setRemove] = useState(false);
  const { hint: _, ...withoutHint } = verbOf(verb).fields;
  const fields = remove ? withoutHint : bounded(verb, report);
  const { typed, set, body } = useTyped(fields, { toStep: String(step), step: String(step) });
  const values = useAnswer<RunSettingsAnswer>(`runs/${encodeURIComponent(run)}/settings`, run).value?.values ?? null;
  const asked = body === null ? null : { run, ...body, ...(remove ? { hint: null } : {}) };
  return (
    <Confirm
      verb={verb}
      body={asked as Body<typeof verb> | null}
      words={wordsOf(verb, report)}
      onClose={onClose}
      more={<Behind verb={verb} run={run} body={body} />}
      {...(remove ? { button: 'Remove the hint' } : {})}
      {...(NOTES[verb] === undefined ? {} : { note: NOTES[verb] })}
    >
      {values === null ? null : <Present verb={verb} report={report} values={values} />}
      {verb === 'hint' && values !== null && hintsOf(values).length > 0 ? (
        <FlagField label="Remove the hint of the island below, or that of all" value={remove} set={setRemove} />
      ) : null}
      <Together pairs={verb === 'extend'}>
        <TypedFields
          fields={fields}
          typed={typed}
          set={set}
          stream={report.stream}
          placeholders={verb === 'extend' && values !== null ? limitsOf(values) : {}}
        />
      </Together>
    </Confirm>
  );
};

const Together = ({ pairs, children }: { readonly pairs: boolean; readonly children: ComponentChildren }) =>
  pairs ? <div class="pairs">{children}</div> : <>{children}</>;

/** What a rewind sets aside, and what a fork does not take with it. */
const Behind = ({
  verb,
  run,
  body,
}: {
  readonly verb: RunAction;
  readonly run: string;
  readonly body: object | null;
}) => {
  const { toStep, step } = (body ?? {}) as { readonly toStep?: number; readonly step?: number };
  if (verb === 'rewind' && toStep !== undefined && toStep > 0)
    return <AfterStepWords run={run} step={toStep - 1} way="rewind" />;
  return verb === 'fork' && step !== undefined ? <AfterStepWords run={run} step={step} way="fork" /> : null;
};
