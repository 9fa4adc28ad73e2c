// The actions that make sense for a run or a sweep in its state: of a run, the most likely ones as buttons, the others
// in a menu.
import { useState } from 'preact/hooks';
import type { RunStatus } from '../../../evolution/run-states.ts';
import { actionsFor, type RunAction, type SweepAction, sweepActionsFor, titleOf } from '../../api/actions/actions.ts';
import type { RunReport } from '../../api/run/runs.ts';
import { useMenu } from '../base/save-menu.tsx';
import { away, linkTo, theSource, useReport } from '../base/state.ts';
import { shown } from '../base/text.ts';
import { ActionDialog, SweepDialog } from './dialogs.tsx';
import { givenMark } from './mark.tsx';
import { SAVE_PAGE, SavePage } from './save-page.tsx';

type Opened = Exclude<RunAction, 'set'> | 'page';

export const ActionBar = ({ report }: { readonly report: RunReport }) => {
  const [verb, open] = useState<Opened | null>(null);
  const { readOnly, exported } = theSource().site;
  if (exported !== null) return null;
  const onClose = (): void => open(null);
  return (
    <div class="acts" role="group" aria-label={`Actions on run ${report.run}`}>
      {readOnly === null ? (
        <Verbs report={report} open={open} />
      ) : (
        <>
          <p class="soft">{shown(readOnly)}</p>
          <button onClick={() => open('page')}>{SAVE_PAGE}</button>
        </>
      )}
      {verb === null ? null : verb === 'page' ? (
        <SavePage run={report.run} onClose={onClose} />
      ) : (
        <ActionDialog {...{ verb, report, onClose }} {...(verb === 'mark' ? { given: givenMark(report.mark) } : {})} />
      )}
    </div>
  );
};

type VerbsProps = { readonly report: RunReport; readonly open: (verb: Opened) => void };

const Verbs = ({ report, open }: VerbsProps) => {
  const { menu, close, leave } = useMenu();
  const { first, more } = actionsFor(report);
  const openFrom = (name: Opened, isFirst: boolean): void => {
    (isFirst ? close : leave)();
    open(name);
  };
  const button = (name: RunAction) =>
    name === 'set' ? (
      <a key={name} class="button" href={linkTo(['run', report.run, 'settings'], { change: 1 })} onClick={close}>
        {titleOf('set')}
      </a>
    ) : (
      // By its key a button stays itself when the state changes: a click that is under way opens what it was meant for.
      <button key={name} disabled={away.value !== null} onClick={() => openFrom(name, first.includes(name))}>
        {titleOf(name)}
      </button>
    );
  return (
    <>
      {first.map(button)}
      <details class="menu" ref={menu} onKeyDown={({ key }) => key === 'Escape' && leave()}>
        <summary class="button">More actions</summary>
        <ul>
          {more.map((name) => (
            <li key={name}>{button(name)}</li>
          ))}
          <li>
            <button onClick={() => openFrom('page', false)}>{SAVE_PAGE}</button>
          </li>
        </ul>
      </details>
    </>
  );
};

/** Actions on one step, for its views and those of its programs: a fork keeps the step, a rewind does it again. */
export const StepActions = ({ run, step }: { readonly run: string; readonly step: number }) => {
  const report = useReport(run).value;
  const [verb, ask] = useState<'rewind' | 'fork' | null>(null);
  const { readOnly, exported } = theSource().site;
  if (readOnly !== null || exported !== null || report === null || step > report.steps) return null;
  return (
    <div class="acts" role="group" aria-label={`Actions on step ${step}`}>
      {(['fork', 'rewind'] as const).map((name) =>
        name === 'rewind' && step < 1 ? null : (
          <button disabled={away.value !== null} onClick={() => ask(name)}>
            {titleOf(name)} {name === 'fork' ? 'after' : 'to'} step {step}
          </button>
        ),
      )}
      {verb === null ? null : <ActionDialog verb={verb} report={report} step={step} onClose={() => ask(null)} />}
    </div>
  );
};

export const SweepBar = ({ sweep, state }: { readonly sweep: string; readonly state: RunStatus }) => {
  const [verb, open] = useState<SweepAction | null>(null);
  const { readOnly, exported } = theSource().site;
  if (exported !== null) return null;
  if (readOnly !== null) return <p class="soft">{shown(readOnly)}</p>;
  const standing = { run: sweep, state };
  const verbs = sweepActionsFor(standing);
  if (verbs.length === 0 && verb === null) return null;
  return (
    <div class="acts" role="group" aria-label={`Actions on sweep ${sweep}`}>
      {verbs.map((name) => (
        <button key={name} disabled={away.value !== null} onClick={() => open(name)}>
          {titleOf(name)}
        </button>
      ))}
      {verb === null ? null : <SweepDialog sweep={standing} verb={verb} onClose={() => open(null)} />}
    </div>
  );
};
