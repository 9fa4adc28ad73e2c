// The part of a sweep that varies: settings with their values, seeds, repetitions, and the number of runs.
import type { Problem } from '../../api/actions/actions.ts';
import type { SettingField } from '../../api/actions/forms.ts';
import { runsOf, type SweepForm } from '../../api/actions/sweep-form.ts';
import { TextField } from '../base/controls.tsx';
import { Alert } from '../base/parts.tsx';
import { count, shown } from '../base/text.ts';

type Props = {
  readonly form: SweepForm;
  readonly set: (form: SweepForm) => void;
  readonly fields: readonly SettingField[];
  readonly problems: readonly Problem[];
};

const NUMBERS = [
  ['repeat', 'Repeat each', '1', undefined],
  ['maxParallel', 'Runs at a time', '2', undefined],
  ['first', 'Halve after programs', '', 'Successive halving: the worse half stops there. Empty: no halving.'],
] as const;

export const Axes = ({ form, set, fields, problems }: Props) => {
  const keys = fields.map(({ key }) => key);
  const setAxis = (index: number, axis: Axis | null): void =>
    set({ ...form, axes: form.axes.toSpliced(index, 1, ...(axis === null ? [] : [axis])) });
  return (
    <section class="card" aria-label="What varies">
      <h2>What varies</h2>
      <TextField
        label="Name of the sweep"
        help="1 to 40 of a-z, 0-9 and -; {date} and {time} stand for when it is started."
        value={form.name}
        set={(name) => set({ ...form, name })}
        placeholder="batch-sizes"
      />
      {form.axes.map((axis, index) => (
        <AxisFields {...{ axis, keys }} number={index + 1} set={(next) => setAxis(index, next)} />
      ))}
      <p>
        <button type="button" onClick={() => set({ ...form, axes: [...form.axes, { key: '', values: '' }] })}>
          Add a setting that varies
        </button>
      </p>
      <div class="pairs">
        <TextField label="Seeds" value={form.seeds} set={(seeds) => set({ ...form, seeds })} placeholder="1, 2, 3" />
        {NUMBERS.map(([name, label, placeholder, help]) => (
          <TextField
            numeric
            {...{ label, placeholder, help }}
            value={form[name]}
            set={(text) => set({ ...form, [name]: text })}
          />
        ))}
      </div>
      <Runs form={form} />
      {problems
        .filter(({ key }) => key !== null && !keys.some((known) => key === known || key.startsWith(`${known}.`)))
        .map(({ key, message }) => (
          <Alert>{shown(`${key}: ${message}`)}</Alert>
        ))}
    </section>
  );
};

type Axis = SweepForm['axes'][number];
type AxisProps = {
  readonly axis: Axis;
  readonly number: number;
  readonly keys: readonly string[];
  /** Null removes it. */
  readonly set: (axis: Axis | null) => void;
};

const AxisFields = ({ axis, number, keys, set }: AxisProps) => (
  <fieldset class="axis">
    <legend>Setting {number}</legend>
    <TextField
      label="Its key"
      list={keys}
      value={axis.key}
      set={(key) => set({ ...axis, key })}
      placeholder="population.islands"
    />
    <TextField
      label="Its values"
      value={axis.values}
      set={(values) => set({ ...axis, values })}
      placeholder="1, 2, 4"
    />
    <button type="button" aria-label={`Remove setting ${number}`} onClick={() => set(null)}>
      Remove
    </button>
  </fieldset>
);

/** The number of runs, where the form alone says it. */
const Runs = ({ form }: { readonly form: SweepForm }) => {
  const runs = runsOf(form);
  const others = Object.keys(form.rest);
  return (
    <>
      {others.length === 0 ? null : (
        <p class="warned">
          The file also says {others.join(', ')}, for which there are no fields here: it stays as it is, and the check
          says how many runs there are.
        </p>
      )}
      {others.includes('list') || others.includes('random') ? null : (
        <p role="status">
          This makes <strong>{count(runs)}</strong> {runs === 1 ? 'run' : 'runs'}.
        </p>
      )}
    </>
  );
};
