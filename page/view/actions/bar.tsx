// The actions that make sense for a run in its state: the most likely ones as buttons, the others in a menu.
import { useEffect, useRef, useState } from 'preact/hooks';
import { actionsFor, type RunAction, titleOf } from '../../data/actions.ts';
import type { RunReport } from '../../data/runs.ts';
import { linkTo, theSource, useAnswer } from '../base/state.ts';
import { shown } from '../base/text.ts';
import { ActionDialog } from './dialogs.tsx';
import { SAVE_PAGE, SavePage } from './save-page.tsx';

export const ActionBar = ({ report }: { readonly report: RunReport }) => {
  const [verb, open] = useState<Exclude<RunAction, 'set'> | 'page' | null>(null);
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const shut = (event: Event): void => {
      if (menu.current?.open && !menu.current.contains(event.target as Node)) menu.current.open = false;
    };
    addEventListener('click', shut);
    return () => removeEventListener('click', shut);
  }, []);
  const { readOnly, exported } = theSource().site;
  if (exported !== null) return null;
  const close = (): void => open(null);
  const dialog =
    verb === null ? null : verb === 'page' ? (
      <SavePage run={report.run} onClose={close} />
    ) : (
      <ActionDialog verb={verb} report={report} onClose={close} />
    );
  if (readOnly !== null)
    return (
      <div class="acts" role="group" aria-label={`Actions on run ${report.run}`}>
        <p class="soft">{shown(readOnly)}</p>
        <button onClick={() => open('page')}>{SAVE_PAGE}</button>
        {dialog}
      </div>
    );
  const { first, more } = actionsFor(report);
  /** The focus comes back to the menu's own button, for the items are hidden by then. */
  const leaveMenu = (): void => {
    if (menu.current?.open) menu.current.querySelector('summary')?.focus();
    menu.current?.removeAttribute('open');
  };
  const one = (name: RunAction) =>
    name === 'set' ? (
      <a
        class="button"
        href={linkTo(['run', report.run, 'settings'], { change: 1 })}
        onClick={() => menu.current?.removeAttribute('open')}
      >
        {titleOf('set')}
      </a>
    ) : (
      <button
        onClick={() => {
          if (first.includes(name)) menu.current?.removeAttribute('open');
          else leaveMenu();
          open(name);
        }}
      >
        {titleOf(name)}
      </button>
    );
  return (
    <div class="acts" role="group" aria-label={`Actions on run ${report.run}`}>
      {first.map(one)}
      <details
        class="menu"
        ref={menu}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || menu.current?.open !== true) return;
          menu.current.open = false;
          menu.current.querySelector('summary')?.focus();
        }}
      >
        <summary class="button">More actions</summary>
        <ul>
          {more.map((name) => (
            <li>{one(name)}</li>
          ))}
          <li>
            <button
              onClick={() => {
                leaveMenu();
                open('page');
              }}
            >
              {SAVE_PAGE}
            </button>
          </li>
        </ul>
      </details>
      {dialog}
    </div>
  );
};

/** For views of one step or of what was made in it: a fork keeps the step, a rewind does it again. */
export const StepActions = ({ run, step }: { readonly run: string; readonly step: number }) => {
  const report = useAnswer<RunReport>(`runs/${encodeURIComponent(run)}/report`, run).value;
  const [verb, ask] = useState<'rewind' | 'fork' | null>(null);
  const { readOnly, exported } = theSource().site;
  if (readOnly !== null || exported !== null || report === null || step > report.steps) return null;
  return (
    <div class="acts" role="group" aria-label={`Actions on step ${step}`}>
      <button onClick={() => ask('fork')}>Fork after step {step}</button>
      {step < 1 ? null : <button onClick={() => ask('rewind')}>Rewind to step {step}</button>}
      {verb === null ? null : <ActionDialog verb={verb} report={report} step={step} onClose={() => ask(null)} />}
    </div>
  );
};
