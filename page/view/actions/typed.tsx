// The fields of a verb in its dialog: what is typed into them, and the body that it says.
import { useState } from 'preact/hooks';
import { bodyProblems } from '../../../evolution/steering/base/check.ts';
import { type Field, type Fields, optionText } from '../../../evolution/steering/base/fields.ts';
import { ChoiceField, FileField, FlagField, TextField } from './fields.tsx';

type Typed = { readonly [name: string]: string | boolean };

/** Undefined where nothing was typed; what cannot be read as the field's type is refused by the check. */
const valueOf = (field: Field, typed: string | boolean | undefined): unknown => {
  if (field.type === 'choice') return typed ?? Object.keys(field.options!)[0];
  if (field.type === 'flag') return typed === true ? true : undefined;
  if (typeof typed !== 'string' || typed.trim() === '') return undefined;
  if (field.type === 'long-text') return typed;
  if (field.orNull && typed.trim() === 'none') return null;
  return field.type === 'text' ? typed.trim() : Number(typed);
};

/** `initial` stands in the fields at first. The body is null while it is not complete. */
export const useTyped = (fields: Fields, initial: Typed = {}) => {
  const [typed, setTyped] = useState<Typed>(initial);
  const set = (name: string, value: string | boolean): void => setTyped({ ...typed, [name]: value });
  const said = Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      const value = valueOf(field, typed[name]);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
  return { typed, set, body: bodyProblems(fields, said, {}).length === 0 ? said : null };
};

type Props = {
  readonly fields: Fields;
  readonly typed: Typed;
  readonly set: (name: string, value: string | boolean) => void;
  readonly stream?: boolean;
  readonly placeholders?: { readonly [name: string]: string };
};

export const TypedFields = ({ fields, ...props }: Props) => (
  <>
    {Object.entries(fields).map(([name, field]) =>
      field.label === undefined ? null : <One key={name} name={name} field={field} label={field.label} {...props} />,
    )}
  </>
);

type OneProps = Omit<Props, 'fields'> & { readonly name: string; readonly field: Field; readonly label: string };

const One = ({ name, field, label, typed, set, stream, placeholders }: OneProps) => {
  const to = (value: string | boolean): void => set(name, value);
  const value = String(typed[name] ?? '');
  switch (field.type) {
    case 'flag':
      return <FlagField label={label} value={typed[name] === true} set={to} />;
    case 'choice': {
      const options = Object.entries(field.options!).map(([one, text]) => [one, optionText(text, stream)] as const);
      return <ChoiceField label={label} value={value || options[0]![0]} set={to} options={options} />;
    }
    case 'long-text':
      return (
        <>
          {field.file === undefined ? null : <FileField label="A file" accept=".py,.yaml,.json,.txt,text/*" set={to} />}
          <TextField
            label={label}
            help={field.meaning}
            rows={6}
            {...(field.max === undefined ? {} : { max: field.max })}
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
          help={field.type === 'text' ? field.meaning : undefined}
          placeholder={placeholders?.[name] ?? ''}
          value={value}
          set={to}
        />
      );
  }
};
