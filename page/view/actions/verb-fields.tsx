// The fields of a verb in its dialog.
import { useId, useState } from 'preact/hooks';
import { type Field, type Fields, optionText } from '../../../evolution/steering/base/fields.ts';
import { Select, TextField, Tick } from '../base/controls.tsx';
import { bodyFrom, type Entries } from './entries.ts';

/** `initial` stands in the fields at first. */
export const useEntries = (fields: Fields, initial: Entries = {}) => {
  const [entries, setEntries] = useState(initial);
  const set = (name: string, value: string | boolean): void => setEntries({ ...entries, [name]: value });
  return { entries, set, body: bodyFrom(fields, entries) };
};

type Props = {
  readonly fields: Fields;
  readonly entries: Entries;
  readonly set: (name: string, value: string | boolean) => void;
  readonly stream?: boolean;
  readonly placeholders?: { readonly [name: string]: string };
};

export const VerbFields = ({ fields, ...props }: Props) => (
  <>
    {Object.entries(fields).map(([name, field]) =>
      field.label === undefined ? null : <Entry key={name} name={name} field={field} label={field.label} {...props} />,
    )}
  </>
);

type EntryProps = Omit<Props, 'fields'> & { readonly name: string; readonly field: Field; readonly label: string };

const Entry = ({ name, field, label, entries, set, stream, placeholders }: EntryProps) => {
  const to = (value: string | boolean): void => set(name, value);
  const value = String(entries[name] ?? '');
  switch (field.type) {
    case 'flag':
      return (
        <Tick class="flag" checked={entries[name] === true} onValue={to}>
          {label}
        </Tick>
      );
    case 'choice': {
      const options = Object.entries(field.options!).map(([one, text]) => [one, optionText(text, stream)] as const);
      return <Select class="field" label={label} value={value || options[0]![0]} onValue={to} options={options} />;
    }
    case 'long-text':
      return (
        <>
          {field.file === undefined ? null : <FileField set={to} />}
          <TextField
            label={label}
            help={(field.help ?? field.meaning) || undefined}
            rows={6}
            max={field.max}
            value={value}
            set={to}
          />
        </>
      );
    default:
      return (
        <TextField
          numeric={field.type !== 'text'}
          label={label}
          help={field.type === 'text' ? (field.help ?? field.meaning) || undefined : undefined}
          placeholder={placeholders?.[name] ?? ''}
          value={value}
          set={to}
        />
      );
  }
};

/** The text of a file of the person's own machine. */
const FileField = ({ set }: { readonly set: (text: string) => void }) => {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>A file</label>
      <input
        id={id}
        type="file"
        accept=".py,.yaml,.json,.txt,text/*"
        onChange={({ currentTarget }) => void currentTarget.files?.[0]?.text().then(set)}
      />
    </div>
  );
};
