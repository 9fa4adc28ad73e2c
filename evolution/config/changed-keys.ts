// In what two versions of settings differ. Apart from what checks settings, so that who only shows them loads no schema.
import { canonicalJson } from '../canonical-json.ts';
import { isPlain } from './layers.ts';

/** The dotted keys in which two versions differ; a list counts as one key. */
export const changedKeys = (before: unknown, after: unknown, path: readonly string[] = []): readonly string[] => {
  if (!isPlain(before) || !isPlain(after))
    return canonicalJson(before) === canonicalJson(after) ? [] : [path.join('.')];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) =>
    changedKeys(before[key], after[key], [...path, key]),
  );
};
