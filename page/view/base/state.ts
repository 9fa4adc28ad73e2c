// The state that all views share: the source, the address in the location bar, the theme, the news. Everything is a
// signal, so that a component that read it is drawn again after a change.
import { effect, signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { RunReport } from '../../api/run/runs.ts';
import type { Traits } from '../../api/run/traits.ts';
import { type Answer, Asker } from './asker.ts';
import { remember, remembered } from './save.ts';
import type { Source } from './source.ts';

/** It is set before anything is drawn. */
let source: Source | null = null;
export const theSource = (): Source => source!;
export const setSource = (one: Source): void => {
  source = one;
};

/** The address is behind `#`, so that a page that was opened from disk has addresses too. */
export type Route = { readonly path: readonly string[]; readonly query: URLSearchParams };
export const routeOf = (hash: string): Route => {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
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
    route.value = routeOf(location.hash);
  };
  addEventListener('hashchange', read);
  read();
};

/** `href` of a view: `linkTo(['runs', 'demo', 'programs'], { sort: 'score' })`. */
export const linkTo = (
  path: readonly string[],
  query: { readonly [key: string]: string | number | null } = {},
): string => {
  const present = Object.entries(query).filter(([, value]) => value !== null && value !== '');
  const text = new URLSearchParams(present.map(([key, value]) => [key, String(value)])).toString();
  return `#/${path.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`;
};

/** `href` of a program; `show` names the part of it that opens. */
export const programLink = (run: string, id: string, show: string | null = null): string =>
  linkTo(['run', run, 'program', id], { show });

/** `href` of the programs of a step. */
export const stepLink = (run: string, step: number): string =>
  linkTo(['run', run, 'programs'], { step: `${step}..${step}` });

/** Changes the query of the present view without a new entry in the history, so that a reload shows the same. */
export const setQuery = (changes: { readonly [key: string]: string | number | null }): void => {
  const { path, query } = routeOf(location.hash);
  const now: { [key: string]: string | number | null } = { ...Object.fromEntries(query), ...changes };
  history.replaceState(null, '', linkTo(path, now));
  route.value = routeOf(location.hash);
};

export type Theme = 'system' | 'light' | 'dark';
const THEME_KEY = 'evolve-theme';
export const theme = signal<Theme>('system');
export const startTheme = (): void => {
  const stored = remembered(THEME_KEY);
  theme.value = stored === 'light' || stored === 'dark' ? stored : 'system';
  effect(() => {
    document.documentElement.dataset['theme'] = theme.value;
    remember(THEME_KEY, theme.value);
  });
};

/** The reason why nothing is new at the moment; null while everything answers. */
export const away = signal<string | null>(null);
/** Counts how often everything answered again. */
const backs = signal(0);
/** The results of actions whose dialog was closed before they were done. */
export const later = signal<
  readonly { readonly text: string; readonly run: string | null; readonly failed: boolean }[]
>([]);
/** The topic of rewinds of a run, for what no commit changes. */
export const setAside = (run: string): string => `${run} set aside`;
/**
 * The number of news by topic: `runs`, the id of a run, or another that views agree on. Answers that depend on a topic are
 * asked for again.
 */
export const news = signal<{ readonly [topic: string]: number }>({});
export const tell = (topic: string): void => {
  news.value = { ...news.value, [topic]: (news.value[topic] ?? 0) + 1 };
};

/**
 * The answer at a path, asked for again when there is news of `topic`; meanwhile, and where that fails, the last value
 * stays. A null path asks nothing.
 */
export const useAnswer = <T>(path: string | null, topic: string | null = null): Answer<T> => {
  const busy = { value: null, error: null, busy: path !== null };
  const [answer, set] = useState<Answer<T> & { readonly path: string | null }>({ path, ...busy });
  const asker = useRef<Asker<T> | null>(null);
  const latest = topic === null ? undefined : news.value[topic];
  const seen = useRef(latest);
  useEffect(() => {
    if (path === null) return undefined;
    const one = new Asker<T>(
      (signal) => theSource().json<T>(path, signal),
      (now) => set({ path, ...now }),
    );
    asker.current = one;
    seen.current = latest;
    void one.ask();
    return () => {
      one.end();
      asker.current = null;
    };
  }, [path]);
  useEffect(() => {
    if (seen.current === latest) return;
    seen.current = latest;
    asker.current?.news();
  }, [latest]);
  const back = backs.value;
  useEffect(() => asker.current?.back(), [back]);
  return answer.path === path ? answer : busy;
};

/** The path of an answer about a run. */
export const runPath = (run: string, name: string): string => `runs/${encodeURIComponent(run)}/${name}`;

/** An answer about a run, asked for again when there is news of the run. */
export const useRunAnswer = <T>(run: string, name: string): Answer<T> => useAnswer<T>(runPath(run, name), run);

/** The run itself, as programs read it. */
export const useReport = (run: string): Answer<RunReport> =>
  useAnswer<RunReport>(`runs/${encodeURIComponent(run)}`, run);

/** The kind of a run, which stays. */
export const useTraits = (run: string): Answer<Traits> => useAnswer<Traits>(runPath(run, 'traits'));

/**
 * The answer of a part of a view. It is asked for again whenever `key` of the rest is another, such as its time, so that it
 * is of no older commit.
 */
export const useBehind = <T>(run: string, name: string, key: number | string): Answer<T> => {
  const path = runPath(run, name);
  const topic = `behind ${path}`;
  const last = useRef(key);
  useEffect(() => {
    if (key !== last.current) tell(topic);
    last.current = key;
  }, [key]);
  return useAnswer<T>(path, topic);
};

/** Follows a run, or the list of runs, while the component is there. */
export const useNews = (run: string | null, on: (event: { readonly kind: string }) => void = () => undefined): void => {
  useEffect(
    () =>
      theSource().follow(run, (event) => {
        if (event.kind === 'away') away.value = event.why;
        else {
          if (away.value !== null) backs.value += 1;
          away.value = null;
          if (event.kind === 'back') tell(run ?? 'runs');
          // Rows are followed by those who hold them.
          else if (event.kind !== 'rows') tell(event.kind === 'runs' ? 'runs' : event.run);
        }
        on(event);
      }),
    [run],
  );
};
