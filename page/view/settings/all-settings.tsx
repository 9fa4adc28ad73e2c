// Every setting, in its group, with a field to search in names and meanings.
import { useMemo, useState } from 'preact/hooks';
import type { SettingField } from '../../api/actions/forms.ts';
import type { Flat } from '../../api/actions/settings-values.ts';
import { Nothing } from '../base/parts.tsx';
import { Tick } from '../base/controls.tsx';
import { hasWords, problemsAt, wordsIn } from './form.ts';
import { Setting, type SettingProps } from './setting.tsx';

type Props = Pick<SettingProps, 'set' | 'problems' | 'baseWord'> & {
  readonly fields: readonly SettingField[];
  readonly base: Flat;
  readonly values: Flat;
  readonly isFixed?: (field: SettingField) => boolean;
};

export const AllSettings = ({ fields, ...props }: Props) => {
  const { values, problems } = props;
  const [search, setSearch] = useState('');
  const [only, setOnly] = useState(false);
  const words = wordsIn(search);
  const sections = useMemo(() => [...new Set(fields.map(({ section }) => section))], [fields]);
  const listed = fields.filter(
    ({ key, meaning }) => hasWords(`${key} ${meaning}`, words) && (!only || values[key] !== undefined),
  );
  return (
    <div class="settings">
      <div class="controls">
        <label>
          Search in names and meanings
          <input type="search" value={search} onInput={({ currentTarget }) => setSearch(currentTarget.value)} />
        </label>
        <Tick class="flag" checked={only} onValue={setOnly}>
          only what is changed
        </Tick>
        <span class="soft" role="status">
          {listed.length} of {fields.length} settings
        </span>
      </div>
      {listed.length === 0 ? (
        <Nothing>{only ? 'Nothing is changed so far.' : 'No setting has these words.'}</Nothing>
      ) : null}
      {sections.map((section) => {
        const own = listed.filter((field) => field.section === section);
        const wrong = own.some(({ key }) => problemsAt(problems, key).length > 0);
        const open = words.length > 0 || only || wrong;
        return own.length === 0 ? null : (
          <Section key={`${section}${String(open)}`} {...props} title={section} fields={own} open={open} />
        );
      })}
    </div>
  );
};

const Section = ({ title, fields, open, ...props }: Props & { readonly title: string; readonly open: boolean }) => {
  const { base, values, set, problems, baseWord = 'default', isFixed } = props;
  const changed = fields.filter(({ key }) => values[key] !== undefined).length;
  return (
    <details class="section" open={open}>
      <summary>
        <h3>{title}</h3>
        <span class="soft">
          {fields.length} {fields.length === 1 ? 'setting' : 'settings'}
          {changed === 0 ? '' : `, ${changed} changed`}
        </span>
      </summary>
      {fields.map((field) => (
        <Setting
          key={field.key}
          {...{ field, set, problems, baseWord }}
          base={base[field.key]}
          value={values[field.key]}
          fixed={isFixed?.(field) ?? false}
        />
      ))}
    </details>
  );
};
