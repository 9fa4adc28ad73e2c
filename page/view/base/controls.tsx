// Fields of views, dialogs and forms: a choice, a box to tick, a text.
import type { ComponentChildren, TargetedEvent } from 'preact';
import { useId, useState } from 'preact/hooks';

type SelectProps = {
  readonly class?: string;
  readonly label: string;
  readonly value: string | number;
  /** Values, with their titles where they are not the values themselves. */
  readonly options: readonly (string | number | readonly [value: string | number, title: ComponentChildren])[];
  readonly onValue: (value: string) => void;
};

/** A choice of one of several values, with its name before it. */
export const Select = ({ class: name, label, value, options, onValue }: SelectProps) => (
  <label class={name}>
    {label}{' '}
    <select value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
      {options.map((option) => {
        const [one, title] = typeof option === 'object' ? option : [option, option];
        return <option value={one}>{title}</option>;
      })}
    </select>
  </label>
);

type TickProps = {
  readonly class?: string;
  readonly checked: boolean;
  readonly onValue: (checked: boolean) => void;
  readonly children: ComponentChildren;
};

/** A box that is ticked or not, with its name behind it. */
export const Tick = ({ class: name, checked, onValue, children }: TickProps) => (
  <label class={name}>
    <input type="checkbox" checked={checked} onChange={({ currentTarget }) => onValue(currentTarget.checked)} />{' '}
    {children}
  </label>
);

type Typing = TargetedEvent<HTMLInputElement>;

/**
 * A field whose text counts when it is left. Until then it is kept here: news draw the page again, and the field would
 * get back what it had, in the middle of a word.
 */
export const useTyped = (value: string, put: (text: string) => void) => {
  const [typed, set] = useState<string | null>(null);
  return {
    value: typed ?? value,
    onInput: ({ currentTarget }: Typing): void => set(currentTarget.value),
    onChange: ({ currentTarget }: Typing): void => {
      set(null);
      put(currentTarget.value);
    },
    onBlur: (): void => set(null),
  };
};

type TextProps = {
  readonly label: string;
  readonly help?: string | undefined;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly placeholder?: string;
  /** More than one line is typed in a larger field. */
  readonly rows?: number;
  readonly numeric?: boolean;
  readonly max?: number | undefined;
  /** Suggestions. */
  readonly list?: readonly string[];
};

/** A field for a text, with its label and its meaning. */
export const TextField = ({ label, help, value, set, placeholder, rows, numeric, max, list }: TextProps) => {
  const id = useId();
  const common = {
    ...{ id, value, placeholder, spellcheck: false, maxLength: max },
    'aria-describedby': help === undefined ? undefined : `${id}-about`,
    onInput: ({ currentTarget }: TargetedEvent<HTMLInputElement | HTMLTextAreaElement>): void =>
      set(currentTarget.value),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {rows === undefined ? (
        <input
          {...common}
          inputMode={numeric ? 'decimal' : undefined}
          autocomplete="off"
          list={list === undefined ? undefined : `${id}-list`}
        />
      ) : (
        <textarea {...common} class="code" rows={rows} />
      )}
      {list === undefined ? null : (
        <datalist id={`${id}-list`}>
          {list.map((one) => (
            <option value={one} />
          ))}
        </datalist>
      )}
      {help === undefined ? null : <small id={`${id}-about`}>{help}</small>}
    </div>
  );
};
