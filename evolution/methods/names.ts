// Method names that `--method` takes today. A new preset adds its name here and a file beside this one.
export const METHOD_NAMES = ['theta'] as const;
export type MethodName = (typeof METHOD_NAMES)[number];
