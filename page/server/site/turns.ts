// Work of which only some may go on at once: processes, each of which takes memory that the server itself must not
// have.

/** So much at once, and so much that waits for its turn; left out, any number waits. */
export type Lane = { readonly atOnce: number; readonly waiting?: number };
export type Turn = <T>(work: () => Promise<T>) => Promise<T>;

/** The first that waits is the next to go. `refuse` throws where too much waits. */
export const turnsOf = ({ atOnce, waiting: most = Infinity }: Lane, refuse?: () => never): Turn => {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= atOnce) {
      if (waiting.length >= most) refuse?.();
      await new Promise<void>((go) => waiting.push(go));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
};
