// What all views share: the source, the address in the location bar, the theme, what the server says is new. Everything
// is a signal, so that a component is drawn again when what it read has changed.
import { signal, effect } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { type Source, SourceError } from './source.ts';

/** Is set before anything is drawn. */
let source: Source | null = null;
export const theSource = (): Source => source!;
export const setSource = (given: Source): void => {
  source = given;
};

/** The address is behind `#`, so that a page that was opened from disk has addresses too. */
export type Route = { readonly path: readonly string[]; readonly query: URLSearchParams };
const readRoute = (): Route => {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  return {
    path: path
      .split('/')
      .filter((part) => part !== '')
      .map(decoded),
    query: new URLSearchParams(query),
  };
};
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
export const route = signal<Route>({ path: [], query: new URLSearchParams() });
export const startRouting = (): void => {
  const read = (): void => {
    route.value = readRoute();
  };
  addEventListener('hashchange', read);
  read();
};

/** `href` of a view: `linkTo(['runs', 'demo', 'programs'], { sort: 'score' })`. */
export const linkTo = (
  path: readonly string[],
  query: { readonly [key: string]: string | number | null } = {},
): string => {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== '');
  const text = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
  return `#/${path.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`;
};

/** Changes the query of the present view without a new entry in the history, so that a reload shows the same. */
export const setQuery = (changes: { readonly [key: string]: string | number | null }): void => {
  const { path, query } = readRoute();
  const now: { [key: string]: string | number | null } = { ...Object.fromEntries(query), ...changes };
  history.replaceState(null, '', linkTo(path, now));
  route.value = readRoute();
};

export type Theme = 'system' | 'light' | 'dark';
const THEME_KEY = 'evolve-theme';
const storedTheme = (): Theme => {
  try {
    const stored = localStorage.getItem(THEME_KEY);
    return stored === 'light' || stored === 'dark' ? stored : 'system';
  } catch {
    // A page that was opened from disk may have no storage.
    return 'system';
  }
};
export const theme = signal<Theme>('system');
export const startTheme = (): void => {
  theme.value = storedTheme();
  effect(() => {
    document.documentElement.dataset['theme'] = theme.value;
    try {
      localStorage.setItem(THEME_KEY, theme.value);
    } catch {
      /* it is the same at the next visit, no more */
    }
  });
};

/** Why nothing is new at the moment; null while everything answers. */
export const away = signal<string | null>(null);
/** Counts what is new, by topic: `runs`, or the id of a run. Answers that depend on it are asked for again. */
export const news = signal<{ readonly [topic: string]: number }>({});
export const tell = (topic: string): void => {
  news.value = { ...news.value, [topic]: (news.value[topic] ?? 0) + 1 };
};

export type Answer<T> = { readonly value: T | null; readonly error: SourceError | null; readonly busy: boolean };

/** Nothing is asked more often than this, however fast the news come. */
const LEAST_MS = 1_000;

/**
 * The answer at a path. It is asked for again when there is news of `topic`; meanwhile, and where that fails, the last
 * value stays. A null path asks nothing.
 */
export const useAnswer = <T>(path: string | null, topic: string | null = null): Answer<T> => {
  const [answer, set] = useState<Answer<T> & { readonly path: string | null }>({
    path,
    value: null,
    error: null,
    busy: path !== null,
  });
  const count = topic === null ? 0 : (news.value[topic] ?? 0);
  useEffect(() => {
    if (path === null) return undefined;
    const control = new AbortController();
    const ask = (): void => {
      set((before) =>
        before.path === path ? { ...before, busy: true } : { path, value: null, error: null, busy: true },
      );
      theSource()
        .json<T>(path, control.signal)
        .then(
          (value) => set({ path, value, error: null, busy: false }),
          (error: unknown) => {
            if (control.signal.aborted) return;
            const told = error instanceof SourceError ? error : new SourceError('away', String(error));
            set((before) => ({ ...before, path, error: told, busy: false }));
          },
        );
    };
    const timer = setTimeout(ask, count === 0 ? 0 : LEAST_MS);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [path, count]);
  return answer.path === path ? answer : { value: null, error: null, busy: path !== null };
};

/** Follows a run, or the list of runs, while the component is there. */
export const useNews = (run: string | null, on: (event: { readonly kind: string }) => void = () => undefined): void => {
  useEffect(
    () =>
      theSource().follow(run, (event) => {
        if (event.kind === 'away') away.value = event.why;
        else {
          away.value = null;
          if (event.kind === 'back') tell(run ?? 'runs');
          else tell(event.kind === 'runs' ? 'runs' : event.run);
        }
        on(event);
      }),
    [run],
  );
};
