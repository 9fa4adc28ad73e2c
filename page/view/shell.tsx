// The frame of every view: the way back to the list of runs, the theme, and a line that says when nothing is new.
import { useEffect, useRef } from 'preact/hooks';
import { RunPage } from './run-page.tsx';
import { tabTitle } from '../api/site/tab-title.ts';
import { away, later, linkTo, route, theme, type Theme, theSource } from './base/state.ts';
import { Words } from './base/parts.tsx';
import { copyWords, shown, zone } from './base/text.ts';
import { useNotices } from './runs/notify.tsx';
import { RUN_VIEWS, VIEWS } from './views.ts';

const THEMES: readonly (readonly [Theme, string])[] = [
  ['system', 'System colours'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

export const Shell = () => {
  const { path } = route.value;
  const { site } = theSource();
  const place = path[0] ?? (site.exported === null ? 'runs' : site.exported.run === null ? 'papers' : 'run');
  const arrived = useRef(false);
  useNotices();
  useEffect(() => {
    // A page that has just been opened is read from its top. From then on a reader of the screen is told of the new
    // view, and the keyboard goes on from its beginning.
    if (arrived.current) document.getElementById('main')?.focus({ preventScroll: true });
    arrived.current = true;
    scrollTo(0, 0);
    const run = site.exported?.run ?? path[1] ?? null;
    document.title = shown(tabTitle({ place, path: path.slice(2), run, views: VIEWS, runViews: RUN_VIEWS }));
  }, [path.join('/')]);
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => (event.preventDefault(), document.getElementById('main')?.focus())}
      >
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href={linkTo([])}>
          DurableEvolve
          {site.home === undefined ? null : <span class="soft"> {shown(site.home.name)}</span>}
        </a>
        <nav aria-label="Views">
          {VIEWS.filter(isThere).map(({ name, title }) => (
            <a href={linkTo([name])} aria-current={place === name ? 'page' : undefined}>
              {title}
            </a>
          ))}
          {site.docs && location.pathname === '/' ? <a href="docs/">Docs</a> : null}
        </nav>
        <label class="theme">
          <span class="unseen">Colours</span>
          <select value={theme.value} onChange={({ currentTarget }) => (theme.value = currentTarget.value as Theme)}>
            {THEMES.map(([value, title]) => (
              <option value={value}>{title}</option>
            ))}
          </select>
        </label>
      </header>
      {site.exported === null ? null : <p class="away">{copyWords(site.exported.run, site.exported.at)}</p>}
      <div role="status" aria-live="polite">
        {away.value === null ? null : (
          <p class="away">
            <Words text={away.value} /> What you see is as it was last known.
          </p>
        )}
        {later.value.map((one) => (
          <p class={one.failed ? 'error many' : 'did'}>
            {shown(one.text)}
            {one.failed ? ' ' : '. '}
            {one.run === null ? null : <a href={linkTo(['run', one.run])}>Open run {one.run}</a>}{' '}
            <button type="button" onClick={() => (later.value = later.value.filter((other) => other !== one))}>
              Dismiss
            </button>
          </p>
        ))}
      </div>
      <main id="main" tabIndex={-1}>
        <View place={place} path={path.slice(1)} />
      </main>
      <footer class="zone">Time zone: {zone().replaceAll('_', ' ')}</footer>
    </>
  );
};

/** A file has no other views than those whose answers are in it. */
const isThere = ({ inFile }: Pick<(typeof VIEWS)[number], 'inFile'>): boolean => {
  const { exported } = theSource().site;
  return exported === null || (exported.run === null && inFile === true);
};

const View = ({ place, path }: { readonly place: string; readonly path: readonly string[] }) => {
  const { exported } = theSource().site;
  if (place === 'run') {
    const run = exported?.run ?? path[0];
    if (run !== undefined) return <RunPage key={run} run={run} path={path.slice(1)} />;
  }
  const view = VIEWS.find(({ name }) => name === place);
  if (view !== undefined && isThere(view)) return <view.View path={path} />;
  return (
    <>
      <h1>There is no such view</h1>
      <p>
        <a href={linkTo([])}>Go to the beginning</a>
      </p>
    </>
  );
};
