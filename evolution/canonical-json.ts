// Canonical JSON gives equal values equal texts: keys are sorted, and there is no white space between them.

/** `leaf` gives the text of what is neither an array nor an object. In arrays, undefined and functions become null. */
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
