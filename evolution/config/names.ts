// These are the names that `--method` takes. A new preset adds its name here and its settings to evolution/methods.
export const METHOD_NAMES = [
  'theta',
  'delta',
  'research',
  'openevolve',
  'parallel-sampling',
  'greedy-refine',
  'static',
  'shinkaevolve',
  'code',
  'naive',
] as const;
export type MethodName = (typeof METHOD_NAMES)[number];
