// One setting as a field: its name, its value as it is or as a person changes it, its meaning, its problems.
import { useId } from 'preact/hooks';
import type { Problem } from '../../api/actions/actions.ts';
import type { SettingField } from '../../api/actions/forms.ts';
import { valueText } from '../../../evolution/reports/value-text.ts';
import { same, written } from '../../api/actions/settings-values.ts';
import type { Json } from '../../../evolution/types.ts';
import { useTyped } from '../base/controls.tsx';
import { shown } from '../base/text.ts';
import { problemsAt, valueIn } from './form.ts';
import { Alert, Words } from '../base/parts.tsx';

export type SettingProps = {
  readonly field: SettingField;
  /** The value that holds where nobody changes it: the default, or that of the run. */
  readonly base: Json | undefined;
  /** Undefined where it is not changed. */
  readonly value: Json | undefined;
  readonly set: (key: string, value: Json | undefined) => void;
  readonly problems: readonly Problem[];
  /** A name for people beside the key. */
  readonly label?: string;
  /** Its meaning in fewer words than the docs have. */
  readonly help?: string;
  /** Suggestions, each with its title. */
  readonly list?: readonly (readonly [value: string, title: string])[];
  /** Titles of choices whose names do not say enough. */
  readonly titles?: { readonly [value: string]: string };
  /** The name of `base`: the default, or the value of the run now. */
  readonly baseWord?: 'default' | 'now';
  readonly fixed?: boolean;
};

export const Setting = (props: SettingProps) => {
  const { field, base, value, set, label, help, baseWord = 'default', fixed } = props;
  const id = useId();
  const { key, meaning, words } = field;
  const wrong = problemsAt(props.problems, key);
  const changed = value !== undefined && !same(value, base);
  const baseText = base === undefined ? 'not set' : valueText(base);
  return (
    <div class={`setting${changed ? ' differs' : ''}`}>
      <label for={id}>
        {label === undefined ? null : <span>{label} </span>}
        <code>{key}</code>
        {changed ? <span class="badge wait">changed</span> : null}
      </label>
      <div class="entry">
        <Entry {...props} id={id} isWrong={wrong.length > 0} />
        {changed && fixed !== true ? (
          <button type="button" aria-label={`Take back the change of ${key}`} onClick={() => set(key, undefined)}>
            Take back
          </button>
        ) : null}
      </div>
      <p class="soft" id={`${id}-about`}>
        <Words text={help ?? meaning} />{' '}
        {help === undefined ? (
          <span class="kind">
            {choicesOf(field) === undefined ? `${words}; ` : ''}
            {baseWord}: {shown(baseText)}
          </span>
        ) : null}
      </p>
      {wrong.map(({ message }) => (
        <Alert>{shown(message)}</Alert>
      ))}
    </div>
  );
};

const choicesOf = ({ type, options }: SettingField): readonly string[] | undefined =>
  type === 'flag' ? ['true', 'false'] : options;

type EntryProps = SettingProps & { readonly id: string; readonly isWrong: boolean };

/** A field for a text, or a choice. Empty stands for the base. */
const Entry = ({ id, isWrong, field, base, value, set, list, titles = {}, fixed }: EntryProps) => {
  const { key, type, orNull } = field;
  const none = orNull ? 'none' : '';
  const put = (text: string): void => set(key, valueIn(field, text, base));
  const typed = useTyped(value === undefined ? '' : value === null ? none : written(value), put);
  const baseText = base === null ? 'none' : written(base);
  const titled = (one: string): string => (titles[one] === undefined ? one : `${one}: ${titles[one]}`);
  const choices = choicesOf(field);
  const about = { id, disabled: fixed, 'aria-describedby': `${id}-about`, 'aria-invalid': isWrong };
  if (choices !== undefined)
    return (
      <select
        {...about}
        value={value === undefined || same(value, base) ? '' : value === null ? none : String(value)}
        onChange={({ currentTarget }) => put(currentTarget.value)}
      >
        <option value="">{baseText === '' ? 'not set' : titled(baseText)}</option>
        {[...choices, ...(orNull ? [none] : [])]
          .filter((one) => one !== baseText)
          .map((one) => (
            <option value={one}>{titled(one)}</option>
          ))}
      </select>
    );
  return (
    <>
      <input
        {...about}
        autocomplete="off"
        spellcheck={false}
        list={list === undefined ? undefined : `${id}-list`}
        inputMode={type === 'whole' || type === 'number' ? 'decimal' : undefined}
        placeholder={baseText}
        {...typed}
      />
      {list === undefined ? null : (
        <datalist id={`${id}-list`}>
          {list.map(([one, title]) => (
            <option value={one}>{title}</option>
          ))}
        </datalist>
      )}
    </>
  );
};
