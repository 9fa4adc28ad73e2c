// A change of the settings of a run, which is checked before it is asked for: the fields of the form of a new one, over
// the values of the run.
import { useState } from 'preact/hooks';
import { set } from '../../../evolution/steering/set.ts';
import type { Done, Problem } from '../../api/actions/actions.ts';
import type { SettingField } from '../../api/actions/forms.ts';
import { valueText } from '../../../evolution/reports/value-text.ts';
import type { Json } from '../../../evolution/types.ts';
import { type Flat, nested } from '../../api/actions/settings-values.ts';
import { ask, useWork } from '../actions/asking.ts';
import { Confirm } from '../actions/confirm.tsx';
import { Alert } from '../base/parts.tsx';
import { shown } from '../base/text.ts';
import { AllSettings } from './all-settings.tsx';
import { problemsOf, withValue } from './form.ts';

type Props = {
  readonly run: string;
  readonly fields: readonly SettingField[];
  readonly values: Flat;
  readonly onClose: () => void;
};

export const Change = ({ run, fields, values, onClose }: Props) => {
  const [changed, setChanged] = useState<Flat>({});
  const { progress, carryOut, reset } = useWork<Done>(null);
  const patch = nested(changed);
  const problems = progress.kind === 'failed' ? problemsOf(progress.message, fields) : [];
  const busy = progress.kind === 'busy';
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
        <button
          class="main"
          disabled={count === 0 || busy}
          onClick={() => void carryOut(() => ask('set', { run, patch, dry: true }))}
        >
          Change them …
        </button>
      </div>
      {progress.kind === 'done' ? (
        <Confirm
          verb="set"
          body={{ run, patch }}
          words={set.words({ run })}
          more={<Differences of={Object.entries(changed).map(([key, to]) => ({ key, from: values[key], to }))} />}
          onClose={reset}
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

type Changed = { readonly key: string; readonly from: Json | undefined; readonly to: Json | undefined };

/** Settings with what they were and what they are. */
export const Differences = ({ of }: { readonly of: readonly Changed[] }) => (
  <ul>
    {of.map(({ key, from, to }) => (
      <li>
        <code>{key}</code>: <del>{shown(valueText(from))}</del> → <ins>{shown(valueText(to))}</ins>
      </li>
    ))}
  </ul>
);
