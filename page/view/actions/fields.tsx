// The fields of dialogs and forms: a text, a number, a choice, a flag, a file, each with its label and what it means.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

type Named = { readonly label: string; readonly help?: string | undefined };

const Field = ({
  label,
  help,
  children,
}: Named & { readonly children: (id: string, about: string | undefined) => ComponentChildren }) => {
  const id = useId();
  const about = help === undefined ? undefined : `${id}-about`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id, about)}
      {help === undefined ? null : <small id={about}>{help}</small>}
    </div>
  );
};

type Typed = Named & { readonly value: string; readonly set: (value: string) => void };

export const TextField = ({
  value,
  set,
  placeholder,
  rows,
  numeric,
  max,
  list,
  ...named
}: Typed & {
  readonly placeholder?: string;
  readonly rows?: number;
  readonly numeric?: boolean;
  readonly max?: number;
  readonly list?: readonly string[];
}) => (
  <Field {...named}>
    {(id, about) =>
      rows !== undefined ? (
        <textarea
          id={id}
          class="code"
          aria-describedby={about}
          rows={rows}
          maxLength={max}
          spellcheck={false}
          placeholder={placeholder}
          value={value}
          onInput={({ currentTarget }) => set(currentTarget.value)}
        />
      ) : (
        <>
          <input
            id={id}
            aria-describedby={about}
            maxLength={max}
            inputMode={numeric ? 'decimal' : undefined}
            autocomplete="off"
            spellcheck={false}
            placeholder={placeholder}
            list={list === undefined ? undefined : `${id}-list`}
            value={value}
            onInput={({ currentTarget }) => set(currentTarget.value)}
          />
          {list === undefined ? null : (
            <datalist id={`${id}-list`}>
              {list.map((one) => (
                <option value={one} />
              ))}
            </datalist>
          )}
        </>
      )
    }
  </Field>
);

export const ChoiceField = ({
  value,
  set,
  options,
  ...named
}: Typed & { readonly options: readonly (readonly [value: string, title: string])[] }) => (
  <Field {...named}>
    {(id, about) => (
      <select id={id} aria-describedby={about} value={value} onChange={({ currentTarget }) => set(currentTarget.value)}>
        {options.map(([one, title]) => (
          <option value={one}>{title}</option>
        ))}
      </select>
    )}
  </Field>
);

export const FlagField = ({
  label,
  value,
  set,
}: {
  readonly label: string;
  readonly value: boolean;
  readonly set: (value: boolean) => void;
}) => (
  <label class="flag">
    <input type="checkbox" checked={value} onChange={({ currentTarget }) => set(currentTarget.checked)} />
    <span>{label}</span>
  </label>
);

/** The text of a file of the person's own machine. */
export const FileField = ({
  set,
  accept,
  ...named
}: Named & { readonly set: (text: string) => void; readonly accept: string }) => (
  <Field {...named}>
    {(id, about) => (
      <input
        id={id}
        aria-describedby={about}
        type="file"
        accept={accept}
        onChange={({ currentTarget }) => {
          void currentTarget.files?.[0]?.text().then(set);
        }}
      />
    )}
  </Field>
);
