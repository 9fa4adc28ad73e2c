// The headers that a page sends with each request: the one by which the server tells its own page from others, and, where the
// server wants a token, the session that the token was exchanged for. It is kept where only this origin, port included,
// finds it, and holds for all windows.

const KEY = 'evolve-session';
/** The session, for a browser that keeps nothing. */
let held: string | null = null;

const kept = (): string | null => {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return held;
  }
};

export const keepSession = (session: string | null): void => {
  held = session;
  try {
    if (session === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, session);
  } catch {
    // `held` has it for as long as this window is open.
  }
};

export const ourHeaders = (): Readonly<Record<string, string>> => {
  const session = kept();
  return { 'x-evolve-page': '1', ...(session === null ? {} : { authorization: `Bearer ${session}` }) };
};
