// Every setting, in its group, with a field to search in names and meanings.
import { useMemo, useState } from 'preact/hooks';
import type { SettingField } from '../../data/forms.ts';
import type { Flat } from '../../data/settings-values.ts';
import { Nothing } from '../base/parts.tsx';
import { problemsAt, Setting, type SettingProps } from './setting.tsx';

type Props = Pick<SettingProps, 'set' | 'problems' | 'baseWord'> & {
  readonly fields: readonly SettingField[];
  readonly base: Flat;
  readonly values: Flat;
  readonly isFixed?: (field: SettingField) => boolean;
};

const found = ({ key, meaning }: SettingField, words: readonly string[]): boolean => {
  const text = `${key} ${meaning}`.toLowerCase();
  return words.every((word) => text.includes(word));
};

export const AllSettings = ({
  fields,
  base,
  values,
  set,
  problems,
  baseWord = 'default',
  isFixed = () => false,
}: Props) => {
  const [search, setSearch] = useState('');
  const [only, setOnly] = useState(false);
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const sections = useMemo(() => [...new Set(fields.map(({ section }) => section))], [fields]);
  const shown = fields.filter((field) => found(field, words) && (!only || values[field.key] !== undefined));
  const searching = words.length > 0 || only;
  return (
    <div class="settings">
      <div class="controls">
        <label>
          Search in names and meanings
          <input type="search" value={search} onInput={({ currentTarget }) => setSearch(currentTarget.value)} />
        </label>
        <label class="flag">
          <input type="checkbox" checked={only} onChange={({ currentTarget }) => setOnly(currentTarget.checked)} />
          <span>only what is changed</span>
        </label>
        <span class="soft" role="status">
          {shown.length} of {fields.length} settings
        </span>
      </div>
      {shown.length === 0 ? (
        <Nothing>{only ? 'Nothing is changed so far.' : 'No setting has these words.'}</Nothing>
      ) : null}
      {sections.map((section) => {
        const its = shown.filter((field) => field.section === section);
        if (its.length === 0) return null;
        const changed = its.filter(({ key }) => values[key] !== undefined).length;
        const wrong = its.some(({ key }) => problemsAt(problems, key).length > 0);
        return (
          <details class="section" key={`${section}${String(searching || wrong)}`} open={searching || wrong}>
            <summary>
              <h3>{section}</h3>
              <span class="soft">
                {its.length} {its.length === 1 ? 'setting' : 'settings'}
                {changed === 0 ? '' : `, ${changed} changed`}
              </span>
            </summary>
            {its.map((field) => (
              <Setting
                key={field.key}
                field={field}
                base={base[field.key]}
                value={values[field.key]}
                set={set}
                problems={problems}
                baseWord={baseWord}
                fixed={isFixed(field)}
              />
            ))}
          </details>
        );
      })}
    </div>
  );
};
