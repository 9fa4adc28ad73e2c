// Whether two documents say the same, as a database would hold them: no undefined, strings well-formed, keys in any order.

export const sameContent = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b);

const canonical = (value: unknown): string => JSON.stringify(value, (_key, inner: unknown) => {
  if (typeof inner === 'string') return inner.toWellFormed();
  if (typeof inner === 'number' && !Number.isFinite(inner)) return { number: String(inner) };
  if (inner === null || typeof inner !== 'object' || Array.isArray(inner)) return inner;
  return Object.fromEntries(Object.entries(inner).sort(([x], [y]) => (x < y ? -1 : 1)));
}) ?? 'undefined';
