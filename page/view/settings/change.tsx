// Settings of a run that exists: the same fields as in the form of a new one, over what the run has.
import { useState } from 'preact/hooks';
import { set } from '../../../evolution/steering/set.ts';
import type { Problem } from '../../api/actions/actions.ts';
import type { SettingField } from '../../api/actions/forms.ts';
import { type Flat, nested, written } from '../../api/actions/settings-values.ts';
import { ask } from '../actions/asking.ts';
import { Confirm } from '../actions/confirm.tsx';
import { Alert } from '../base/parts.tsx';
import { shown } from '../base/text.ts';
import { AllSettings } from '../start/all-settings.tsx';
import { problemsOf, withValue } from '../start/form.ts';

type Props = {
  readonly run: string;
  readonly fields: readonly SettingField[];
  readonly values: Flat;
  readonly onClose: () => void;
};

/** The change that a person makes, which is checked before it is asked for. */
const useChange = ({ run, fields }: Props) => {
  const [changed, setChanged] = useState<Flat>({});
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const [busy, setBusy] = useState(false);
  const [isChecked, setChecked] = useState(false);
  const patch = nested(changed);
  const check = async (): Promise<void> => {
    setBusy(true);
    setProblems([]);
    try {
      await ask('set', { run, patch, dry: true });
      setChecked(true);
    } catch (error) {
      setProblems(problemsOf(error instanceof Error ? error.message : String(error), fields));
    } finally {
      setBusy(false);
    }
  };
  return { changed, setChanged, patch, problems, busy, check, isChecked, setChecked };
};

export const Change = (props: Props) => {
  const { run, fields, values, onClose } = props;
  const { changed, setChanged, patch, problems, busy, check, isChecked, setChecked } = useChange(props);
  const count = Object.keys(changed).length;
  return (
    <section class="card" aria-label="Change settings">
      <h2>Change settings</h2>
      <p class="soft">
        What is changed here holds from the next step on; limits and models at once. Settings that hold for the life of
        a run cannot be changed: start or fork another run with them.
      </p>
      <AllSettings
        {...{ fields, problems }}
        base={values}
        values={changed}
        baseWord="now"
        isFixed={({ change }) => change === 'no'}
        set={(key, value) => setChanged(withValue(changed, key, value))}
      />
      <Problems problems={problems} />
      <div class="buttons" role="group" aria-label="What is done with the change">
        <span class="soft" role="status">
          {busy ? 'The change is being checked …' : `${count} ${count === 1 ? 'setting is' : 'settings are'} changed`}
        </span>
        <button onClick={onClose}>Back to the values</button>
        <button class="main" disabled={count === 0 || busy} onClick={() => void check()}>
          Change them …
        </button>
      </div>
      {isChecked ? (
        <Confirm
          verb="set"
          body={{ run, patch }}
          words={set.words({ run })}
          more={<Differences before={values} after={changed} />}
          onClose={() => setChecked(false)}
          onDone={() => setChanged({})}
        />
      ) : null}
    </section>
  );
};

const Problems = ({ problems }: { readonly problems: readonly Problem[] }) => {
  const elsewhere = problems.filter(({ key }) => key === null);
  const here = problems.length - elsewhere.length;
  return (
    <>
      {elsewhere.map(({ message }) => (
        <Alert>{shown(message)}</Alert>
      ))}
      {here === 0 ? null : (
        <Alert>Nothing was changed: {here} of these settings cannot be so. What is wrong stands beside each.</Alert>
      )}
    </>
  );
};

const Differences = ({ before, after }: { readonly before: Flat; readonly after: Flat }) => (
  <ul>
    {Object.entries(after).map(([key, value]) => (
      <li>
        <code>{key}</code>: <del>{shown(written(before[key]) || 'none')}</del> →{' '}
        <ins>{shown(written(value) || 'none')}</ins>
      </li>
    ))}
  </ul>
);
