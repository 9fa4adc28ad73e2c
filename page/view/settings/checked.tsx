// The check of a form: its plan, with a button that asks once more, or its problems.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Body, Done, Problem } from '../../api/actions/actions.ts';
import type { Progress } from '../actions/asking.ts';
import { Confirm } from '../actions/confirm.tsx';
import { Alert } from '../base/parts.tsx';
import { shown } from '../base/text.ts';

type Props = {
  readonly verb: 'start' | 'sweep';
  readonly body: Body<'start'> | Body<'sweep'>;
  readonly progress: Progress<Done>;
  readonly readOnly: boolean;
};

export const Checked = ({ verb, body, progress, readOnly }: Props) => {
  const [asking, ask] = useState(false);
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (progress.kind === 'done' || progress.kind === 'failed') place.current?.scrollIntoView({ block: 'nearest' });
  }, [progress]);
  const checked = progress.kind === 'done' ? progress.done : null;
  const busy = progress.kind === 'busy';
  const good = checked?.problems.length === 0;
  const what = verb === 'start' ? 'run' : 'sweep';
  const { lines = [], cost = '' } = checked?.plan ?? {};
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
        {good ? <Plan lines={[...lines, cost]} warnings={checked.warnings} /> : null}
      </div>
      {progress.kind === 'failed' ? <Alert lines>{shown(progress.message)}</Alert> : null}
      {checked === null || good ? null : <Problems problems={checked.problems} />}
      {progress.kind === 'open' ? (
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
            cost,
          }}
          onClose={() => ask(false)}
          {...(verb === 'sweep' ? { note: 'There, the sweep is a file: what is shown as YAML above.' } : {})}
        />
      ) : null}
    </section>
  );
};

const Plan = ({ lines, warnings }: { readonly lines: readonly string[]; readonly warnings: readonly string[] }) => (
  <>
    <p class="did">This can be started:</p>
    <ul>
      {lines.map((line) => (
        <li>{shown(line)}</li>
      ))}
    </ul>
    {warnings.map((warning) => (
      <p class="warned">{shown(warning)}</p>
    ))}
  </>
);

const Problems = ({ problems }: { readonly problems: readonly Problem[] }) => (
  <div role="alert">
    <p class="error">Nothing can be started so:</p>
    <ul>
      {problems.map(({ key, message }) => (
        <li class="many">
          {key === null ? null : <code>{key}</code>} {shown(message)}
        </li>
      ))}
    </ul>
  </div>
);
