// The folders of other systems, known by their files: where each has its evaluator, its program and its words.
import type { MethodName } from '../../../evolution/config/names.ts';

export type PeerFiles = { readonly names: readonly string[]; readonly text: (name: string) => string };

export type PeerTask = {
  readonly format: string;
  /** The method of ours that is closest. */
  readonly method: MethodName;
  readonly evaluator: string;
  readonly program: string;
  readonly function?: string;
  readonly shape?: 'text';
  /** The settings file. */
  readonly config: string | null;
  /** What models are told, and the evaluator's time-out, where they are not in the settings file. */
  readonly message?: string | null;
  readonly seconds?: number;
  /** The initial program, where it is a text in another file. */
  readonly initial?: string;
};

const PROGRAM = /^(?:initial_program|init_program|initial)\.\w+$/;
const BY_FILES: readonly (readonly [format: string, method: MethodName, evaluator: RegExp, program: RegExp])[] = [
  ['codeevolve', 'code', /^input\/evaluate\.py$/, /^input\/src\/\w+\.\w+$/],
  ['shinkaevolve', 'shinkaevolve', /^evaluate\.py$/, PROGRAM],
  ['openevolve', 'openevolve', /^evaluator\.py$/, PROGRAM],
  // The older form of its examples, which some have too, is that of OpenEvolve.
  ['skydiscover', 'openevolve', /^evaluator\/(?:evaluator|evaluate)\.py$/, PROGRAM],
];

/** The text of a string that a Python source gives to a name. */
const textOf = (source: string, name: string): string | null =>
  new RegExp(`\\b${name}\\s*[=:]\\s*\\(?\\s*[rRuUfF]?("""|'''|"|')\\\\?\\n?([\\s\\S]*?)\\1`).exec(source)?.[2] ?? null;

/** Null where no format has such files. */
export const peerTask = (files: PeerFiles): PeerTask | null => {
  const first = (pattern: RegExp): string | null => files.names.find((name) => pattern.test(name)) ?? null;
  for (const [format, method, evaluators, programs] of BY_FILES) {
    const [evaluator, program] = [first(evaluators), first(programs)];
    if (evaluator === null || program === null) continue;
    const config = first(/^config\.ya?ml$/) ?? first(/^(?:configs\/)?[^/]+\.ya?ml$/);
    const run = first(/^run_evo\.py$/);
    return run === null
      ? { format, method, evaluator, program, config }
      : { format, method, evaluator, program, config: null, message: textOf(files.text(run), '\\w*sys_msg') };
  }
  return textTask(files);
};

/** The initial program is a text in LLM4AD's template.py, or beside GEPA's call of `optimize_anything`. */
const textTask = ({ names, text }: PeerFiles): PeerTask | null => {
  const common = { method: 'openevolve', program: 'initial.py', shape: 'text', config: null } as const;
  const evaluator = names.find(
    (name) => /^\w+\.py$/.test(name) && /\boptimize_anything\(|\(Evaluation\):/.test(text(name)),
  );
  if (evaluator === undefined) return null;
  const source = text(evaluator);
  const seed = /seed_candidate\s*=\s*(\w+)/.exec(source)?.[1];
  const template = names.includes('template.py') ? text('template.py') : source;
  const initial = textOf(seed === undefined ? template : source, seed ?? 'template_program');
  if (initial === null) return null;
  if (seed !== undefined) {
    const called = /evaluator\s*=\s*(\w+)/.exec(source)?.[1] ?? 'evaluate';
    return { ...common, format: 'gepa', evaluator, function: called, message: textOf(source, 'objective'), initial };
  }
  const seconds = Number(/timeout_seconds\s*(?::[^=,]*)?=\s*(\d+)/.exec(source)?.[1] ?? 20);
  const message = textOf(template, 'task_description');
  return { ...common, format: 'llm4ad', evaluator, function: 'evaluate_program_text', message, seconds, initial };
};
