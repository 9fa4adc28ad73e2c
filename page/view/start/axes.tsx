// What varies in a sweep: settings with their values, seeds, repetitions, and how many runs that makes.
import type { Problem } from '../../data/actions.ts';
import type { SettingField } from '../../data/forms.ts';
import { runsOf, type SweepForm } from '../../data/sweep-form.ts';
import { TextField } from '../actions/fields.tsx';
import { count, shown } from '../base/text.ts';

export const Axes = ({
  form,
  set,
  fields,
  problems,
}: {
  readonly form: SweepForm;
  readonly set: (form: SweepForm) => void;
  readonly fields: readonly SettingField[];
  readonly problems: readonly Problem[];
}) => {
  const axis = (index: number, change: Partial<SweepForm['axes'][number]>): void =>
    set({ ...form, axes: form.axes.map((one, at) => (at === index ? { ...one, ...change } : one)) });
  const runs = runsOf(form);
  const keys = fields.map(({ key }) => key);
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
      {form.axes.map(({ key, values }, index) => (
        <fieldset class="axis">
          <legend>Setting {index + 1}</legend>
          <TextField
            label="Its key"
            list={keys}
            value={key}
            set={(one) => axis(index, { key: one })}
            placeholder="population.islands"
          />
          <TextField
            label="Its values"
            value={values}
            set={(one) => axis(index, { values: one })}
            placeholder="1, 2, 4"
          />
          <button
            type="button"
            aria-label={`Remove setting ${index + 1}`}
            onClick={() => set({ ...form, axes: form.axes.filter((_, at) => at !== index) })}
          >
            Remove
          </button>
        </fieldset>
      ))}
      <p>
        <button type="button" onClick={() => set({ ...form, axes: [...form.axes, { key: '', values: '' }] })}>
          Add a setting that varies
        </button>
      </p>
      <div class="pairs">
        <TextField label="Seeds" value={form.seeds} set={(seeds) => set({ ...form, seeds })} placeholder="1, 2, 3" />
        <TextField
          numeric
          label="Repeat each"
          value={form.repeat}
          set={(repeat) => set({ ...form, repeat })}
          placeholder="1"
        />
        <TextField
          numeric
          label="Runs at a time"
          value={form.maxParallel}
          set={(maxParallel) => set({ ...form, maxParallel })}
          placeholder="2"
        />
        <TextField
          numeric
          label="Halve after programs"
          help="Successive halving: the worse half stops there. Empty: no halving."
          value={form.first}
          set={(first) => set({ ...form, first })}
        />
      </div>
      {Object.keys(form.rest).length === 0 ? null : (
        <p class="warned">
          The file also says {Object.keys(form.rest).join(', ')}, for which there are no fields here: it stays as it is,
          and the check says how many runs there are.
        </p>
      )}
      {'list' in form.rest || 'random' in form.rest ? null : (
        <p role="status">
          This makes <strong>{count(runs)}</strong> {runs === 1 ? 'run' : 'runs'}.
        </p>
      )}
      {problems
        .filter(({ key }) => key !== null && !keys.some((known) => key === known || key.startsWith(`${known}.`)))
        .map(({ key, message }) => (
          <p class="error" role="alert">
            {shown(`${key}: ${message}`)}
          </p>
        ))}
    </section>
  );
};
