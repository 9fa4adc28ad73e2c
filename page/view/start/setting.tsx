// One setting as a field: its name, its value as it is or as a person changes it, what it means, and what is wrong with
// it.
import { useId } from 'preact/hooks';
import type { Problem } from '../../data/actions.ts';
import type { SettingField } from '../../data/forms.ts';
import { read, same, written } from '../../data/settings-values.ts';
import type { Json } from '../../../evolution/types.ts';
import { shown } from '../base/text.ts';
import { useTyped } from '../base/typed.ts';
import { Words } from '../base/parts.tsx';

export type SettingProps = {
  readonly field: SettingField;
  /** What it is where nobody changes it: the default, or what the run has. */
  readonly base: Json | undefined;
  /** Undefined where it is not changed. */
  readonly value: Json | undefined;
  readonly set: (key: string, value: Json | undefined) => void;
  readonly problems: readonly Problem[];
  /** A name for people beside the key. */
  readonly label?: string;
  /** Its meaning in fewer words than the docs have. */
  readonly help?: string;
  /** Suggestions, each with what it is. */
  readonly list?: readonly (readonly [value: string, title: string])[];
  /** What a choice is, where its name does not say it. */
  readonly titles?: { readonly [value: string]: string };
  /** What `base` is: the default, or what the run has now. */
  readonly baseWord?: 'default' | 'now';
  readonly fixed?: boolean;
};

export const problemsAt = (problems: readonly Problem[], key: string): readonly Problem[] =>
  problems.filter((problem) => problem.key === key || (problem.key?.startsWith(`${key}.`) ?? false));

export const Setting = ({
  field,
  base,
  value,
  set,
  problems,
  label,
  help,
  list,
  titles = {},
  baseWord = 'default',
  fixed,
}: SettingProps) => {
  const id = useId();
  const { key, type, options, orNull, meaning, words } = field;
  const wrong = problemsAt(problems, key);
  const changed = value !== undefined && !same(value, base);
  const choices = type === 'flag' ? ['true', 'false'] : options;
  const nullText = orNull ? 'none' : '';
  const shownBase = base === null ? 'none' : written(base);
  const titled = (one: string): string => (titles[one] === undefined ? one : `${one}: ${titles[one]}`);
  const put = (text: string): void => {
    const given = text.trim() === '' ? undefined : text === nullText ? null : read(field, text);
    set(key, same(given, base) ? undefined : given);
  };
  const typed = useTyped(value === undefined ? '' : value === null ? nullText : written(value), put);
  return (
    <div class={`setting${changed ? ' changed' : ''}`}>
      <label for={id}>
        {label === undefined ? null : <span>{label} </span>}
        <code>{key}</code>
        {changed ? <span class="badge wait">changed</span> : null}
      </label>
      <div class="entry">
        {choices === undefined ? (
          <input
            id={id}
            disabled={fixed}
            aria-describedby={`${id}-about`}
            aria-invalid={wrong.length > 0}
            autocomplete="off"
            spellcheck={false}
            list={list === undefined ? undefined : `${id}-list`}
            inputMode={type === 'whole' || type === 'number' ? 'decimal' : undefined}
            placeholder={shownBase}
            {...typed}
          />
        ) : (
          <select
            id={id}
            disabled={fixed}
            aria-describedby={`${id}-about`}
            aria-invalid={wrong.length > 0}
            value={value === undefined || same(value, base) ? '' : value === null ? nullText : String(value)}
            onChange={({ currentTarget }) => put(currentTarget.value)}
          >
            <option value="">{shownBase === '' ? 'not set' : titled(shownBase)}</option>
            {[...choices, ...(orNull ? [nullText] : [])]
              .filter((one) => one !== shownBase)
              .map((one) => (
                <option value={one}>{titled(one)}</option>
              ))}
          </select>
        )}
        {list === undefined ? null : (
          <datalist id={`${id}-list`}>
            {list.map(([one, title]) => (
              <option value={one}>{title}</option>
            ))}
          </datalist>
        )}
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
            {choices === undefined ? `${words}; ` : ''}
            {baseWord}: {shownBase === '' ? 'not set' : shown(shownBase)}
          </span>
        ) : null}
      </p>
      {wrong.map(({ message }) => (
        <p class="error" role="alert">
          {shown(message)}
        </p>
      ))}
    </div>
  );
};
