// The dialogs of the actions on a run or a sweep: the fields of the verb, and for some verbs facts beside them.
import { useEffect, useState } from 'preact/hooks';
import type { RunStatus } from '../../../evolution/run-states.ts';
import type { Field, Fields } from '../../../evolution/steering/base/fields.ts';
import { type Move, moveTitle } from '../../../evolution/steering/advice/advice.ts';
import { UNDER_WAY } from '../../../evolution/steering/base/verb.ts';
import { verbOf, wordsOf } from '../../../evolution/steering/verbs.ts';
import type { Body, RunAction, SweepAction } from '../../api/actions/actions.ts';
import type { AfterStep, RunSettingsAnswer, SettingField, SettingsForm } from '../../api/actions/forms.ts';
import { type Flat, flat, nested, read, same, written } from '../../api/actions/settings-values.ts';
import type { RunReport } from '../../api/run/runs.ts';
import { TextField, Tick } from '../base/controls.tsx';
import { Foreign } from '../base/parts.tsx';
import { runPath, tell, useAnswer, useRunAnswer } from '../base/state.ts';
import { count, counted, shown, dollars } from '../base/text.ts';
import { Confirm } from './confirm.tsx';
import { entriesOf } from './entries.ts';
import { useEntries, VerbFields } from './verb-fields.tsx';

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

type PresentProps = { readonly verb: RunAction; readonly report: RunReport; readonly values: Values };

/** The sentences above the fields about the run as it is. */
const Present = ({ verb, report, values }: PresentProps) => {
  const hints = hintsOf(values);
  if (verb === 'extend')
    return (
      <p class="soft">
        So far: {count(report.steps)} steps, {count(report.programs)} programs, {count(report.paid.tokens)} tokens,{' '}
        {dollars(report.paid.costUsd)}. What is left empty stays as it is shown; “none” removes a limit.
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

type ActionProps = DialogProps & {
  readonly verb: Exclude<RunAction, 'set'>;
  /** What stands in the fields at first. */
  readonly given?: object;
  /** The program that is marked; left out it is the run. */
  readonly program?: string;
};

/** A mark without anything is none; where there is none, there is nothing to ask for. */
const markBody = (body: object, given: object): object | null =>
  Object.keys(body).length > 0 ? body : Object.keys(given).length > 0 ? { remove: true } : null;

export const ActionDialog = (props: ActionProps) => {
  const { verb, report, onClose, step = report.steps, given = {}, program } = props;
  const { run } = report;
  const [remove, setRemove] = useState(false);
  const { hint: _, ...withoutHint } = verbOf(verb).fields;
  const fields = remove ? withoutHint : bounded(verb, report);
  const { body: entry, ...entered } = useEntries(fields, {
    toStep: String(step),
    step: String(step),
    ...entriesOf(given),
  });
  const body = verb === 'mark' && entry !== null ? markBody(entry, given) : entry;
  const values = useRunAnswer<RunSettingsAnswer>(run, 'settings').value?.values ?? null;
  const request =
    body === null
      ? null
      : { run, ...(program === undefined ? {} : { program }), ...body, ...(remove ? { hint: null } : {}) };
  const entries = (
    <VerbFields
      {...{ fields, ...entered }}
      stream={report.stream}
      placeholders={verb === 'extend' && values !== null ? limitsOf(values) : {}}
    />
  );
  return (
    <Confirm
      verb={verb}
      body={request as Body<typeof verb> | null}
      words={wordsOf(verb, report)}
      onClose={onClose}
      onDone={() => tell(run)}
      more={<Behind verb={verb} report={report} body={body} />}
      {...(remove ? { button: 'Remove the hint' } : {})}
      {...(NOTES[verb] === undefined ? {} : { note: NOTES[verb] })}
    >
      {values === null ? null : <Present verb={verb} report={report} values={values} />}
      {verb === 'hint' && values !== null && hintsOf(values).length > 0 ? (
        <Tick class="flag" checked={remove} onValue={setRemove}>
          Remove the hint of the island below, or that of all
        </Tick>
      ) : null}
      {verb === 'extend' ? <div class="pairs">{entries}</div> : entries}
    </Confirm>
  );
};

type MoveProps = DialogProps & { readonly move: Move };

/** The dialog of a verb that is proposed, with the proposal in its fields. */
export const MoveDialog = ({ move, report, onClose }: MoveProps) => {
  const { verb, body } = move;
  if (verb === 'set') return <PatchDialog patch={body.patch} title={moveTitle(move)} {...{ report, onClose }} />;
  if (verb === 'terminate') return null;
  return <ActionDialog verb={verb} given={body} {...{ report, onClose }} />;
};

type PatchProps = DialogProps & { readonly patch: Body<'set'>['patch']; readonly title: string };

/** Settings that are proposed, each in a field beside its present value. */
const PatchDialog = ({ report, patch, title, onClose }: PatchProps) => {
  const { run } = report;
  const [values, set] = useState<Flat>(flat(patch));
  const present = useRunAnswer<RunSettingsAnswer>(run, 'settings').value?.values;
  const fields = useAnswer<SettingsForm>('forms/settings').value?.fields ?? [];
  const fieldOf = (key: string): SettingField | undefined => fields.find((field) => field.key === key);
  const now = (key: string): string => (present === undefined ? '' : ` (now ${written(present[key]) || 'none'})`);
  return (
    <Confirm
      verb="set"
      {...{ title, onClose }}
      body={
        present !== undefined && Object.keys(values).every((key) => same(values[key], present[key]))
          ? null
          : { run, patch: nested(values) }
      }
      words={wordsOf('set', report)}
    >
      {Object.entries(values).map(([key, value]) => (
        <TextField
          key={key}
          label={`${key}${now(key)}`}
          help={fieldOf(key)?.meaning}
          value={written(value)}
          set={(text) => set({ ...values, [key]: read(fieldOf(key) ?? { type: 'text' }, text) })}
        />
      ))}
    </Confirm>
  );
};

type BehindProps = { readonly verb: RunAction; readonly report: RunReport; readonly body: object | null };

/** The programs that a rewind sets aside, or that a fork does not take with it. */
const Behind = ({ verb, report, body }: BehindProps) => {
  const { toStep, step } = (body ?? {}) as { readonly toStep?: number; readonly step?: number };
  if (verb === 'rewind' && toStep !== undefined && toStep > 0)
    return <AfterStepWords report={report} step={toStep - 1} way="rewind" />;
  return verb === 'fork' && step !== undefined ? <AfterStepWords report={report} step={step} way="fork" /> : null;
};

/** Somebody who types a number is not asked about for each digit. */
const PAUSE_MS = 300;

type AfterProps = { readonly report: RunReport; readonly step: number; readonly way: 'rewind' | 'fork' };

const COMMITTING: readonly RunStatus[] = [...UNDER_WAY, 'pausing', 'stopping'];

const AfterStepWords = ({ report: { run, state }, step, way }: AfterProps) => {
  const [settled, settle] = useState(step);
  useEffect(() => {
    const timer = setTimeout(() => settle(step), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [step]);
  const { value, error } = useAnswer<AfterStep>(runPath(run, `after/${settled}`), run);
  if (error !== null)
    return (
      <p class="warned" role="alert">
        {shown(error.message)}
      </p>
    );
  if (value === null || value.step !== step) return <p class="busy">Counting what lies behind step {step} …</p>;
  const { committed, steps, programs, tokens, costUsd } = value;
  const behind = `${counted(steps, 'step')} with ${count(programs)} programs, ${count(tokens)} tokens and ${dollars(costUsd)}`;
  const upTo = `all up to step ${committed}${COMMITTING.includes(state) ? ', and what the run commits until you confirm' : ''}`;
  if (way === 'rewind')
    return (
      <p class="warned">
        This sets aside {behind}: {upTo}.
      </p>
    );
  return (
    <p class="soft">
      {steps === 0
        ? 'The new run has everything that was committed so far.'
        : `The new run is without ${behind}, which come after this step: ${upTo}.`}
    </p>
  );
};

type SweepProps = {
  readonly sweep: { readonly run: string; readonly state: RunStatus };
  readonly verb: SweepAction;
  readonly onClose: () => void;
};

export const SweepDialog = ({ sweep, verb, onClose }: SweepProps) => {
  const { fields } = verbOf(verb);
  const { body, ...entered } = useEntries(fields);
  const request = body === null ? null : ({ sweep: sweep.run, ...body } as Body<typeof verb>);
  return (
    <Confirm verb={verb} body={request} words={wordsOf(verb, sweep)} onClose={onClose}>
      <VerbFields fields={fields} {...entered} />
    </Confirm>
  );
};
