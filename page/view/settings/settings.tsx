// The settings of a run: all values beside the defaults, the changes of each version, and a form that changes some.
import { useState } from 'preact/hooks';
import type { RunSettingsAnswer, SettingField, SettingsForm } from '../../api/actions/forms.ts';
import { valueText as text } from '../../../evolution/reports/value-text.ts';
import { asYaml, nested, same } from '../../api/actions/settings-values.ts';
import { Tick } from '../base/controls.tsx';
import { Moment, Nothing, When, Words } from '../base/parts.tsx';
import { linkTo, route, setQuery, theSource, useAnswer, useRunAnswer } from '../base/state.ts';
import { Table } from '../base/tables.tsx';
import { shown } from '../base/text.ts';
import type { RunViewProps } from '../base/view.ts';
import { Copy } from '../program/code.tsx';
import { hasWords, wordsIn } from './form.ts';
import { Change, Differences } from './change.tsx';

export const Settings = ({ run }: RunViewProps) => {
  const settings = useRunAnswer<RunSettingsAnswer>(run, 'settings');
  const form = useAnswer<SettingsForm>('forms/settings');
  const { readOnly, exported } = theSource().site;
  const changing = route.value.query.get('change') === '1' && readOnly === null && exported === null;
  return (
    <When answer={settings} what="the settings of the run">
      {(answer) => (
        <When answer={form} what="what the settings mean">
          {({ fields }) =>
            changing ? (
              <Change run={run} fields={fields} values={answer.values} onClose={() => setQuery({ change: null })} />
            ) : (
              <>
                <Values answer={answer} fields={fields} canChange={readOnly === null && exported === null} />
                <Versions answer={answer} />
              </>
            )
          }
        </When>
      )}
    </When>
  );
};

type ValuesProps = {
  readonly answer: RunSettingsAnswer;
  readonly fields: readonly SettingField[];
  readonly canChange: boolean;
};

const Values = ({ answer, fields, canChange }: ValuesProps) => {
  const { run, version, values, defaults } = answer;
  const [search, setSearch] = useState('');
  const [withDefaults, setWithDefaults] = useState(false);
  const words = wordsIn(search);
  const isSet = ({ key }: SettingField): boolean => !same(values[key], defaults[key]);
  const rows = fields.filter(
    (field) =>
      hasWords(`${field.key} ${field.meaning} ${text(values[field.key])}`, words) &&
      (withDefaults || words.length > 0 || isSet(field)),
  );
  const yaml = asYaml(nested(values));
  return (
    <section class="card" aria-label="Values">
      <h2>
        Settings <span class="soft">version {version}</span>
      </h2>
      <div class="controls">
        <label>
          search
          <input type="search" value={search} onInput={({ currentTarget }) => setSearch(currentTarget.value)} />
        </label>
        <Tick class="flag" checked={withDefaults} onValue={setWithDefaults}>
          defaults too
        </Tick>
        <Copy text={yaml} what="all as YAML" />
        {canChange ? (
          <>
            <a class="button" href={linkTo(['run', run, 'settings'], { change: 1 })}>
              Change settings
            </a>
            <a class="button" href={linkTo(['start'], { from: run })}>
              A new run with these
            </a>
          </>
        ) : null}
      </div>
      <p class="soft" role="status">
        {fields.filter(isSet).length} of {fields.length} settings differ from their defaults; {rows.length} are shown.
      </p>
      {rows.length === 0 ? (
        <Nothing>{words.length > 0 ? 'No setting has these words.' : 'Every setting is as by default.'}</Nothing>
      ) : (
        <Table
          label="Settings"
          class="values"
          stacked
          of={rows}
          rowClass={(field) => (isSet(field) ? 'differs' : '')}
          columns={[
            ['setting', ({ key }) => <code>{key}</code>],
            ['value', ({ key }) => <code>{shown(text(values[key]))}</code>],
            [
              'by default',
              (field) =>
                isSet(field) ? <code>{shown(text(defaults[field.key]))}</code> : <span class="soft">the same</span>,
            ],
            ['meaning', ({ meaning }) => <Words text={meaning} />, 'soft'],
          ]}
        />
      )}
      <details>
        <summary>As a file (YAML)</summary>
        <pre tabIndex={0}>{shown(yaml)}</pre>
      </details>
    </section>
  );
};
const Versions = ({ answer: { versions } }: { readonly answer: RunSettingsAnswer }) => (
  <section class="card" aria-label="Versions">
    <h2>Versions</h2>
    <p class="soft">
      Each change of settings makes a version, and each step goes by one. Who sent a change is not stored.
    </p>
    <ol class="versions" reversed>
      {[...versions].reverse().map(({ version, changes, step, at }) => (
        <li value={version}>
          <p>
            <strong>Version {version}</strong>{' '}
            {step === null || at === null
              ? 'no step has been committed under it yet'
              : step === 0
                ? 'from the beginning, '
                : `from step ${step} on, committed at `}
            {step === null || at === null ? null : <Moment at={at} />}
          </p>
          {changes.length === 0 ? (
            <p class="soft">{version === 1 ? 'as it began' : 'nothing changed'}</p>
          ) : (
            <Differences of={changes} />
          )}
        </li>
      ))}
    </ol>
  </section>
);
