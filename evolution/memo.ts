// Values that are worked out once for each key, however often they are asked for.

export const memo = <K = void, V = never>(make: (key: K) => V): ((key: K) => V) => {
  const values = new Map<K, V>();
  return (key) => {
    if (!values.has(key)) values.set(key, make(key));
    return values.get(key)!;
  };
};
