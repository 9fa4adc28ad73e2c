// Settings of a run that exists: the same fields as in the form of a new one, over what the run has.
import { useState } from 'preact/hooks';
import { set } from '../../../evolution/steering/set.ts';
import type { Problem } from '../../data/actions.ts';
import type { SettingField } from '../../data/forms.ts';
import { type Flat, nested, written } from '../../data/settings-values.ts';
import { ask } from '../actions/asking.ts';
import { Confirm } from '../actions/confirm.tsx';
import { shown } from '../base/text.ts';
import { AllSettings } from '../start/all-settings.tsx';

/** The refusal of a change, by the keys that it names. */
const problemsOf = (message: string, fields: readonly SettingField[]): readonly Problem[] =>
  message
    .split('\n')
    .map((line) => line.trim().replace(/^setConfig: /, ''))
    .map((line) => {
      const key =
        fields.find((field) => line.startsWith(`${field.key}:`) || line.startsWith(`${field.key}.`))?.key ?? null;
      return { key, message: key !== null && line.startsWith(`${key}: `) ? line.slice(key.length + 2) : line };
    });

export const Change = ({
  run,
  fields,
  values,
  onClose,
}: {
  readonly run: string;
  readonly fields: readonly SettingField[];
  readonly values: Flat;
  readonly onClose: () => void;
}) => {
  const [changed, setChanged] = useState<Flat>({});
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const [busy, setBusy] = useState(false);
  const [asking, setAsking] = useState(false);
  const patch = nested(changed);
  const count = Object.keys(changed).length;
  const check = async (): Promise<void> => {
    setBusy(true);
    setProblems([]);
    try {
      await ask('set', { run, patch, dry: true });
      setAsking(true);
    } catch (error) {
      setProblems(problemsOf(error instanceof Error ? error.message : String(error), fields));
    } finally {
      setBusy(false);
    }
  };
  const elsewhere = problems.filter(({ key }) => key === null);
  return (
    <section class="card" aria-label="Change settings">
      <h2>Change settings</h2>
      <p class="soft">
        What is changed here holds from the next step on; limits and models at once. Settings that hold for the life of
        a run cannot be changed: start or fork another run with them.
      </p>
      <AllSettings
        fields={fields}
        base={values}
        values={changed}
        problems={problems}
        baseWord="now"
        isFixed={({ change }) => change === 'no'}
        set={(key, value) => {
          const { [key]: _, ...rest } = changed;
          setChanged(value === undefined ? rest : { ...rest, [key]: value });
        }}
      />
      {elsewhere.map(({ message }) => (
        <p class="error" role="alert">
          {shown(message)}
        </p>
      ))}
      {problems.length > elsewhere.length ? (
        <p class="error" role="alert">
          Nothing was changed: {problems.length - elsewhere.length} of these settings cannot be so. What is wrong stands
          beside each.
        </p>
      ) : null}
      <div class="buttons" role="group" aria-label="What is done with the change">
        <span class="soft" role="status">
          {busy ? 'The change is being checked …' : `${count} ${count === 1 ? 'setting is' : 'settings are'} changed`}
        </span>
        <button onClick={onClose}>Back to the values</button>
        <button class="main" disabled={count === 0 || busy} onClick={() => void check()}>
          Change them …
        </button>
      </div>
      {asking ? (
        <Confirm
          verb="set"
          body={{ run, patch }}
          words={set.words({ run })}
          more={
            <ul>
              {Object.entries(changed).map(([key, value]) => (
                <li>
                  <code>{key}</code>: <del>{shown(written(values[key]) || 'none')}</del> →{' '}
                  <ins>{shown(written(value) || 'none')}</ins>
                </li>
              ))}
            </ul>
          }
          onClose={() => setAsking(false)}
          onDone={() => setChanged({})}
        />
      ) : null}
    </section>
  );
};
