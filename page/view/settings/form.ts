// The form of a new run or sweep: its values, the defaults beneath them, the request that it makes, and its problems.
import type { Body, Done, Problem } from '../../api/actions/actions.ts';
import {
  defaultsOf,
  type PlaceForm,
  type RunSettingsAnswer,
  type SettingField,
  type SettingsForm,
} from '../../api/actions/forms.ts';
import { asYaml, type Flat, flat, nested, read, same } from '../../api/actions/settings-values.ts';
import { EMPTY_SWEEP, formOf, type SweepForm, sweepOf } from '../../api/actions/sweep-form.ts';
import type { Json } from '../../../evolution/types.ts';

/** The values with another one at a key; undefined takes it out. */
export const withValue = (values: Flat, key: string, value: Json | undefined): Flat => {
  const { [key]: _, ...others } = values;
  return value === undefined ? others : { ...others, [key]: value };
};

/**
 * The value of a text in a field; undefined where that is the same as `base`. `none` stands for null where it may be.
 */
export const valueIn = (field: SettingField, text: string, base: Json | undefined): Json | undefined => {
  if (text.trim() === '') return undefined;
  const value = field.orNull && text === 'none' ? null : read(field, text);
  return same(value, base) ? undefined : value;
};

const ALWAYS: readonly string[] = ['task', 'method', 'model.name'];

/** The settings of a run that are not as by default. */
export const setIn = ({ values, defaults }: Pick<RunSettingsAnswer, 'values' | 'defaults'>): Flat =>
  Object.fromEntries(
    Object.entries(values).filter(([key, value]) => ALWAYS.includes(key) || !same(value, defaults[key])),
  );

/** The settings that hold where the form says nothing. They depend on its method and model, and on the installation. */
export const baseOf = (values: Flat, settings: SettingsForm, { model }: PlaceForm): Flat => {
  const named = values['model.name'];
  const isOffline =
    named === 'offline' || (named === undefined && values['model.baseUrl'] === undefined && model.kind === 'offline');
  return {
    ...defaultsOf(settings, String(values['method'] ?? 'theta'), isOffline ? 'offline' : 'openai'),
    ...(named === undefined && model.name !== null ? { 'model.name': model.name, 'model.baseUrl': model.baseUrl } : {}),
  };
};

export type FormState = {
  readonly values: Flat;
  /** The id of the run; empty where one is to be chosen. */
  readonly run: string;
  readonly sweep: SweepForm;
  /** The text of a file that is not in the form; null for none. */
  readonly yaml: string | null;
};

export const firstState = (values: Flat): FormState => ({ values, run: '', sweep: EMPTY_SWEEP, yaml: null });

/** The request that starts what the form says. */
export const bodyOf = ({ values, run, sweep }: FormState, sweeping: boolean): Body<'start'> | Body<'sweep'> =>
  sweeping
    ? { spec: sweepOf(sweep, values) }
    : { settings: nested(values), ...(run.trim() === '' ? {} : { run: run.trim() }) };

/** The text of the form as a file. */
export const fileOf = ({ values, sweep, yaml }: FormState, sweeping: boolean): string =>
  yaml ?? asYaml(sweeping ? sweepOf(sweep, values) : nested(values));

/** The form with what its file says. The file stays beside it while something in it is wrong. */
export const withFile = (state: FormState, { plan, problems }: Done, sweeping: boolean): FormState => {
  if (plan === null) return state;
  const yaml = problems.length === 0 ? null : state.yaml;
  if (!sweeping) return { ...state, yaml, values: flat(plan.given) };
  const { form, base } = formOf(plan.given);
  return { ...state, yaml, values: base, sweep: form };
};

/** Problems of a setting, or of a part of it. */
export const problemsAt = (problems: readonly Problem[], key: string): readonly Problem[] =>
  problems.filter((problem) => problem.key === key || (problem.key?.startsWith(`${key}.`) ?? false));

/** The refusal of a change, by the keys that it names. */
export const problemsOf = (message: string, fields: readonly SettingField[]): readonly Problem[] =>
  message
    .split('\n')
    .map((line) => line.trim().replace(/^set: /, ''))
    .map((line) => {
      const key =
        fields.find((field) => line.startsWith(`${field.key}:`) || line.startsWith(`${field.key}.`))?.key ?? null;
      return { key, message: key !== null && line.startsWith(`${key}: `) ? line.slice(key.length + 2) : line };
    });

export const wordsIn = (search: string): readonly string[] => search.toLowerCase().split(/\s+/).filter(Boolean);

export const hasWords = (text: string, words: readonly string[]): boolean =>
  words.every((word) => text.toLowerCase().includes(word));
