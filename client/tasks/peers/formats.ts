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

/** A folder whose evaluator is that of a format, and which has no program that it could be imported with. */
export type LonePeer = { readonly format: string; readonly evaluator: string; readonly program: null };

const PROGRAM = /^(?:initial_program|init_program|initial)\.\w+$/;
const BY_FILES: readonly (readonly [format: string, method: MethodName, evaluator: RegExp, program: RegExp])[] = [
  ['thetaevolve', 'theta', /^evaluators\/evaluator_modular\.py$/, /^initial_programs\/initial_program\.\w+$/],
  ['codeevolve', 'code', /^input\/evaluate\.py$/, /^input\/src\/\w+\.\w+$/],
  ['shinkaevolve', 'shinkaevolve', /^evaluate\.py$/, PROGRAM],
  ['openevolve', 'openevolve', /^evaluator\.py$/, PROGRAM],
  // The older form of its examples, which some have too, is that of OpenEvolve.
  ['skydiscover', 'openevolve', /^evaluator\/evaluator\.py$/, PROGRAM],
];

const ESCAPED: { readonly [escape: string]: string } = { n: '\n', t: '\t', r: '\r', '\n': '' };
/** The text of a string that a Python source gives to a name. */
const textOf = (source: string, name: string): string | null => {
  const string = `([rRuUfF]?)("""|'''|"|')\\n?((?:\\\\[\\s\\S]|[^\\\\])*?)\\2`;
  const [, prefix, , text] = new RegExp(`\\b${name}\\s*[=:]\\s*\\(?\\s*${string}`).exec(source) ?? [];
  if (text === undefined || /r/i.test(prefix!)) return text ?? null;
  return text.replaceAll(/\\([ntr\n\\'"])/g, (_, escape: string) => ESCAPED[escape] ?? escape);
};

/** Null where no format has such files. */
export const peerTask = (files: PeerFiles): PeerTask | LonePeer | null => {
  const first = (pattern: RegExp): string | null => files.names.find((name) => pattern.test(name)) ?? null;
  let lone: LonePeer | null = null;
  for (const [format, method, evaluators, programs] of BY_FILES) {
    const [evaluator, program] = [first(evaluators), first(programs)];
    if (evaluator === null) continue;
    if (program === null) lone ??= { format, evaluator, program };
    if (program === null) continue;
    const config = first(/^config\.ya?ml$/) ?? first(/^(?:configs\/)?(?!(?:task|run)\.yaml$)[^/]+\.ya?ml$/);
    const run = first(/^run_evo\.py$/);
    return run === null
      ? { format, method, evaluator, program, config }
      : { format, method, evaluator, program, config: null, message: textOf(files.text(run), '\\w*sys_msg') };
  }
  return textTask(files) ?? lone;
};

/** The initial program is a text in LLM4AD's template.py, or beside GEPA's call of `optimize_anything`. */
const textTask = ({ names, text }: PeerFiles): PeerTask | LonePeer | null => {
  const common = { method: 'openevolve', program: 'initial.py', shape: 'text', config: null } as const;
  const evaluator = names.find(
    (name) =>
      /^\w+\.py$/.test(name) && /\boptimize_anything\(|\(Evaluation\):|^(?:from|import) gepa\b/m.test(text(name)),
  );
  if (evaluator === undefined) return null;
  const source = text(evaluator);
  const seed = /seed_candidate\s*=\s*(?:\{\s*"\w+"\s*:\s*)?(\w+)/.exec(source)?.[1];
  const template = names.includes('template.py') ? text('template.py') : source;
  const initial = textOf(seed === undefined ? template : source, seed ?? 'template_program');
  const format = /\(Evaluation\):/.test(source) ? 'llm4ad' : 'gepa';
  if (initial === null) return { format, evaluator, program: null };
  if (seed !== undefined) {
    const named = /evaluator\s*=\s*(\w+)/.exec(source)?.[1] ?? 'evaluate';
    // One that is defined in a function is taken from its call of `optimize_anything`, by the module that stands for it.
    const called = new RegExp(`^def ${named}\\b`, 'm').test(source) ? named : 'evaluate_candidate';
    return { ...common, format, evaluator, function: called, message: textOf(source, 'objective'), initial };
  }
  const seconds = Number(/timeout_seconds\s*(?::[^=,]*)?=\s*(\d+)/.exec(source)?.[1] ?? 20);
  const message = textOf(template, 'task_description');
  return { ...common, format, evaluator, function: 'evaluate_program_text', message, seconds, initial };
};
