// JSON in which equal values have equal texts: keys sorted, nothing between.

/** `leaf`: the text of what is neither an array nor an object; undefined and functions stand as null in arrays. */
export const canonicalJson = (value: unknown, leaf = plain): string => {
  if (Array.isArray(value)) return `[${value.map((entry) => canonicalJson(entry, leaf)).join(',')}]`;
  if (value === null || typeof value !== 'object') return leaf(value);
  if ('toJSON' in value && typeof value.toJSON === 'function') return canonicalJson(value.toJSON(), leaf);
  const entries = Object.entries(value)
    .filter(([, entry]) => entry !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, entry]) => `${JSON.stringify(key)}:${canonicalJson(entry, leaf)}`).join(',')}}`;
};

const plain = (value: unknown): string => JSON.stringify(value) ?? 'null';
