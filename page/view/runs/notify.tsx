// Notifications of the browser about all runs, while the page is open and also while nobody sees it. They are off until
// somebody asks for them.
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { Overview } from '../../api/run/runs.ts';
import { Asker } from '../base/asker.ts';
import { remember, remembered } from '../base/save.ts';
import { linkTo, theSource } from '../base/state.ts';
import { shown } from '../base/text.ts';
import { type Notice, RunNews } from './notices.ts';

const KEY = 'evolve-notify';
/** The whole list is read for it, so it is read seldom. */
const LEAST_MS = 15_000;

/** A browser notifies for pages of this machine and of https alone. */
const isOffered = (): boolean => isSecureContext && 'Notification' in window;
const notifies = signal<boolean | null>(null);
const isOn = (): boolean =>
  (notifies.value ??= isOffered() && remembered(KEY) === 'on' && Notification.permission === 'granted');

const turn = (on: boolean): void => {
  notifies.value = on;
  remember(KEY, on ? 'on' : null);
};

const show = ({ run, title, text }: Notice): void => {
  try {
    const notice = new Notification(shown(title), { body: shown(text), tag: `evolve ${run}` });
    notice.onclick = () => {
      focus();
      location.hash = linkTo(['run', run]);
      notice.close();
    };
  } catch {
    // Browsers of phones refuse this to a page.
    turn(false);
  }
};

/** Notifies until the returned function is called. */
const watch = (): (() => void) => {
  const news = new RunNews();
  const asker = new Asker<Overview>(
    (aborted) => theSource().json<Overview>('overview', aborted),
    ({ value, busy, error }) => {
      if (value !== null && !busy && error === null) news.since(value.runs, Date.now()).forEach(show);
    },
    LEAST_MS,
  );
  void asker.ask();
  const leave = theSource().follow(null, ({ kind }) => kind !== 'away' && asker.news(), [], true);
  return () => {
    leave();
    asker.end();
  };
};

/** For the frame of all views. */
export const useNotices = (): void => {
  const on = theSource().site.exported === null && isOn();
  useEffect(() => (on ? watch() : undefined), [on]);
};

export const NotifyMe = () => {
  const [forbidden, forbid] = useState(false);
  if (!isOffered()) return null;
  const change = async (): Promise<void> => {
    const granted = isOn() || (await Notification.requestPermission()) === 'granted';
    forbid(!granted);
    turn(granted && !isOn());
  };
  return (
    <>
      <button
        type="button"
        aria-pressed={isOn()}
        title="This browser tells you, while the page is open, when a run needs a person, has ended or has a new best"
        onClick={() => void change()}
      >
        Notify me
      </button>
      <span role="status" class="soft">
        {forbidden ? 'This browser forbids the page to notify; its settings of this site allow it.' : ''}
      </span>
    </>
  );
};
