// The settings of a run: all values with what differs from the defaults, what each version changed, and the change of
// some of them.
import { useState } from 'preact/hooks';
import type { RunSettingsAnswer, SettingField, SettingsForm } from '../../data/forms.ts';
import { asYaml, nested, same, written } from '../../data/settings-values.ts';
import { Head, Nothing, When, Words } from '../base/parts.tsx';
import { linkTo, route, setQuery, theSource, useAnswer } from '../base/state.ts';
import { moment, shown } from '../base/text.ts';
import type { RunViewProps } from '../base/view.ts';
import { Change } from './change.tsx';

export const Settings = ({ run }: RunViewProps) => {
  const settings = useAnswer<RunSettingsAnswer>(`runs/${encodeURIComponent(run)}/settings`, run);
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

const text = (value: Parameters<typeof written>[0]): string => (value === null ? 'none' : written(value));

const Values = ({
  answer: { run, version, values, defaults },
  fields,
  canChange,
}: {
  readonly answer: RunSettingsAnswer;
  readonly fields: readonly SettingField[];
  readonly canChange: boolean;
}) => {
  const [search, setSearch] = useState('');
  const [only, setOnly] = useState(true);
  const [copied, setCopied] = useState('');
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const set = ({ key }: SettingField): boolean => !same(values[key], defaults[key]);
  const rows = fields.filter((field) => {
    const all = `${field.key} ${field.meaning} ${text(values[field.key])}`.toLowerCase();
    return words.every((word) => all.includes(word)) && (!only || words.length > 0 || set(field));
  });
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(asYaml(nested(values)));
      setCopied('All settings are copied as YAML.');
    } catch {
      setCopied('The browser does not let this page copy: the text is below, to be selected.');
    }
  };
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
        <label class="flag">
          <input type="checkbox" checked={!only} onChange={({ currentTarget }) => setOnly(!currentTarget.checked)} />
          <span>defaults too</span>
        </label>
        <button onClick={() => void copy()}>Copy all as YAML</button>
        {canChange ? (
          <a class="button" href={linkTo(['run', run, 'settings'], { change: 1 })}>
            Change settings
          </a>
        ) : null}
        {canChange ? (
          <a class="button" href={linkTo(['start'], { from: run })}>
            A new run with these
          </a>
        ) : null}
      </div>
      <p class="soft" role="status">
        {copied === ''
          ? `${fields.filter(set).length} of ${fields.length} settings differ from their defaults; ${rows.length} are shown.`
          : copied}
      </p>
      {rows.length === 0 ? (
        <Nothing>{words.length > 0 ? 'No setting has these words.' : 'Every setting is as by default.'}</Nothing>
      ) : null}
      {rows.length === 0 ? null : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Settings">
          <table class="values">
            <Head columns={['setting', 'value', 'by default', 'meaning']} />
            <tbody>
              {rows.map((field) => (
                <tr class={set(field) ? 'changed' : ''}>
                  <th scope="row">
                    <code>{field.key}</code>
                  </th>
                  <td>
                    <code>{shown(text(values[field.key]))}</code>
                  </td>
                  <td>
                    {set(field) ? <code>{shown(text(defaults[field.key]))}</code> : <span class="soft">the same</span>}
                  </td>
                  <td class="soft">
                    <Words text={field.meaning} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <details>
        <summary>As a file (YAML)</summary>
        <pre tabIndex={0}>{shown(asYaml(nested(values)))}</pre>
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
                ? `from the beginning, ${moment(at)}`
                : `from step ${step} on, committed at ${moment(at)}`}
          </p>
          {changes.length === 0 ? (
            <p class="soft">{version === 1 ? 'as it began' : 'nothing changed'}</p>
          ) : (
            <ul>
              {changes.map(({ key, from, to }) => (
                <li>
                  <code>{key}</code>: <del>{shown(text(from))}</del> → <ins>{shown(text(to))}</ins>
                </li>
              ))}
            </ul>
          )}
        </li>
      ))}
    </ol>
  </section>
);
