// Method names that `--method` takes today. A new preset adds its name here and a file beside this one.
export const METHOD_NAMES = [
  'theta',
  'delta',
  'research',
  'openevolve',
  'parallel-sampling',
  'greedy-refine',
  'static',
  'code',
  'naive',
] as const;
export type MethodName = (typeof METHOD_NAMES)[number];
