// The parts of forms: every setting with its meaning, range and default, and the tasks and models of this installation.
import type { MethodName } from '../../../evolution/config/names.ts';
import type { Json } from '../../../evolution/types.ts';
import type { Flat } from './settings-values.ts';

/** One setting, from the schema. */
export type SettingField = {
  readonly key: string;
  readonly section: string;
  readonly type: 'text' | 'whole' | 'number' | 'flag' | 'choice' | 'list' | 'mapping';
  /** Type and range in words: `whole number (≥ 1)`. */
  readonly words: string;
  readonly options?: readonly string[];
  readonly orNull: boolean;
  readonly meaning: string;
  /** Its change in a run: possible, possible at once, or not. */
  readonly change: 'yes' | 'at once' | 'no';
};

type Kind = 'offline' | 'openai';

/** GET forms/settings. */
export type SettingsForm = {
  readonly fields: readonly SettingField[];
  readonly methods: readonly string[];
  /** The defaults of theta with a language model; every other preset holds its differences. */
  readonly defaults: Flat;
  readonly presets: { readonly [method: string]: { readonly [kind in Kind]: Flat } };
};

/** Names of methods for people. */
export const METHOD_TITLES: { readonly [method in MethodName]: string } = {
  theta: 'ThetaEvolve',
  delta: 'DeltaEvolve',
  research: 'AlphaResearch',
  code: 'CodeEvolve',
  openevolve: 'OpenEvolve (control)',
  shinkaevolve: 'ShinkaEvolve (control)',
  static: 'always the initial program (control)',
  'parallel-sampling': 'no evolution (control)',
  'greedy-refine': 'only the best is refined (control)',
  naive: 'CodeEvolve without its operators (control)',
};

/** The default of each setting. Limits may change some (numbers of islands, of steps). */
export const defaultsOf = ({ defaults, presets }: SettingsForm, method: string, kind: Kind): Flat => ({
  ...defaults,
  ...presets[method]?.[kind],
});

/** GET forms/place. No key is ever among it, only where one is known. */
export type PlaceForm = {
  readonly tasks: readonly { readonly id: string; readonly title: string; readonly direction: string }[];
  /** The model of a run that names none. */
  readonly model: { readonly kind: Kind; readonly name: string | null; readonly baseUrl: string | null };
  /** Endpoints to which a key is known here. */
  readonly keysFor: readonly string[];
  /** OPENAI_API_KEY is set where the server runs. */
  readonly keyInEnvironment: boolean;
};

/** GET runs/<run>/settings. */
export type RunSettingsAnswer = {
  readonly run: string;
  readonly version: number;
  readonly values: Flat;
  /** The settings of the same run if only its limits, method and model were set. */
  readonly defaults: Flat;
  /** Oldest first. */
  readonly versions: readonly {
    readonly version: number;
    readonly changes: readonly { readonly key: string; readonly from: Json; readonly to: Json }[];
    /** The first step that was committed under it, and when; null where none was. */
    readonly step: number | null;
    readonly at: string | null;
  }[];
};

/** GET runs/<run>/after/<step>: the work behind a step, which a rewind to the step after it sets aside. */
export type AfterStep = {
  readonly step: number;
  readonly committed: number;
  readonly steps: number;
  readonly programs: number;
  readonly tokens: number;
  readonly costUsd: number;
};
