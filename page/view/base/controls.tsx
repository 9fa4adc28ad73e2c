// Fields that views have above what they show: a choice, a box to tick, a text that counts when it is left.
import type { ComponentChildren, TargetedEvent } from 'preact';
import { useState } from 'preact/hooks';

type SelectProps = {
  readonly label: string;
  readonly value: string | number;
  /** Values, with their titles where they are not the values themselves. */
  readonly options: readonly (string | number | readonly [value: string | number, title: ComponentChildren])[];
  readonly onValue: (value: string) => void;
};

/** A choice of one of several values, with its name before it. */
export const Select = ({ label, value, options, onValue }: SelectProps) => (
  <label>
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
