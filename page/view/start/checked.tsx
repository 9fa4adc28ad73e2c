// What the check of a form found: what would be started, with a button that asks for a last word, or what is wrong.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Body, Done } from '../../data/actions.ts';
import { Confirm } from '../actions/confirm.tsx';
import { shown } from '../base/text.ts';

export const Checked = ({
  verb,
  body,
  checked,
  failed,
  busy,
  readOnly,
}: {
  readonly verb: 'start' | 'sweep';
  readonly body: Body<'start'> | Body<'sweep'>;
  readonly checked: Done | null;
  readonly failed: string | null;
  readonly busy: boolean;
  readonly readOnly: boolean;
}) => {
  const [asking, ask] = useState(false);
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (checked !== null || failed !== null) place.current?.scrollIntoView({ block: 'nearest' });
  }, [checked, failed]);
  const good = checked !== null && checked.problems.length === 0;
  const what = verb === 'start' ? 'run' : 'sweep';
  const { lines = [] } = checked?.plan ?? {};
  return (
    <section class="card" aria-label="Check and start" ref={place}>
      <div class="buttons">
        <button class={good ? '' : 'main'} disabled={busy || readOnly}>
          Check
        </button>
        <button type="button" class="main" disabled={!good || busy || readOnly} onClick={() => ask(true)}>
          Start the {what} …
        </button>
      </div>
      <div role="status" aria-live="polite">
        {busy ? <p class="busy">Settings, task, model and endpoint are being checked …</p> : null}
        {good ? (
          <>
            <p class="did">This can be started:</p>
            <ul>
              {[...lines, checked.plan?.cost ?? ''].map((line) => (
                <li>{shown(line)}</li>
              ))}
            </ul>
            {checked.warnings.map((warning) => (
              <p class="warned">{shown(warning)}</p>
            ))}
          </>
        ) : null}
      </div>
      {failed === null ? null : (
        <p class="error many" role="alert">
          {shown(failed)}
        </p>
      )}
      {checked === null || good ? null : (
        <div role="alert">
          <p class="error">Nothing can be started so:</p>
          <ul>
            {checked.problems.map(({ key, message }) => (
              <li class="many">
                {key === null ? null : <code>{key}</code>} {shown(message)}
              </li>
            ))}
          </ul>
        </div>
      )}
      {checked === null && failed === null && !busy ? (
        <p class="soft">
          It can be started when it has been checked. The check starts nothing: it says how large the {what} is and what
          it may cost.
        </p>
      ) : null}
      {asking && good ? (
        <Confirm
          verb={verb}
          body={body}
          words={{
            what: `A new ${what} begins. ${verb === 'start' ? lines.join(' ') : `${lines[0]} ${lines.at(-1)}`}`,
            undo: `It can be paused and stopped at any time; what was spent by then is spent.`,
            cost: checked.plan?.cost ?? '',
          }}
          onClose={() => ask(false)}
          {...(verb === 'sweep' ? { note: 'There, the sweep is a file: what is shown as YAML above.' } : {})}
        />
      ) : null}
    </section>
  );
};
