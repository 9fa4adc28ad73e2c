// The frame of all views of one run: its name and state, its actions, and the tabs.
import { useEffect, useRef } from 'preact/hooks';
import { ActionBar } from './actions/bar.tsx';
import { MarkBadge, MarkWords } from './actions/mark.tsx';
import { Foreign, State, When } from './base/parts.tsx';
import { linkTo, setAside, tell, theSource, useNews, useReport, useTraits } from './base/state.ts';
import { RUN_VIEWS } from './views.ts';

export const RunPage = ({ run, path }: { readonly run: string; readonly path: readonly string[] }) => {
  useNews(run, ({ kind }) => {
    if (kind === 'again' || kind === 'back') tell(setAside(run));
  });
  const report = useReport(run);
  const traits = useTraits(run);
  const name = path[0] ?? RUN_VIEWS[0]!.name;
  const view = RUN_VIEWS.find((one) => one.name === name);
  const tabs = useRef<HTMLElement>(null);
  // On a phone the tabs scroll sideways; the one that is open is brought into sight.
  useEffect(() => {
    const [strip, tab] = [tabs.current, tabs.current?.querySelector('[aria-current]')];
    if (!strip || !tab) return;
    const [whole, own] = [strip.getBoundingClientRect(), tab.getBoundingClientRect()];
    strip.scrollLeft += own.left + own.width / 2 - whole.left - whole.width / 2;
  }, [name, traits.value]);
  return (
    <>
      <div class="title">
        <h1>
          <Foreign text={run} />
        </h1>
        {report.value === null ? null : <State state={report.value.state} />}
        <MarkBadge mark={report.value?.mark} />
        {report.value === null || theSource().site.exported === null ? null : (
          <span class="soft">when this copy was written</span>
        )}
        {report.value?.temporalUrl == null || theSource().site.exported !== null ? null : (
          <a href={report.value.temporalUrl} rel="noreferrer" target="_blank">
            in Temporal
          </a>
        )}
        {report.value === null ? null : <ActionBar report={report.value} />}
      </div>
      <MarkWords mark={report.value?.mark} />
      <nav class="tabs" ref={tabs} aria-label={`Views of run ${run}`}>
        {RUN_VIEWS.filter(
          ({ hidden, when }) =>
            hidden !== true && (when === undefined || (traits.value !== null && when(traits.value))),
        ).map((one) => (
          <a href={linkTo(['run', run, one.name])} aria-current={one.name === (view?.tab ?? name) ? 'page' : undefined}>
            {one.title}
          </a>
        ))}
      </nav>
      <When answer={report} what="the run">
        {() => (view === undefined ? <p>There is no such view.</p> : <view.View run={run} path={path.slice(1)} />)}
      </When>
    </>
  );
};
