// The end of every dialog of an action: the words about what will happen, the command that does the same, the
// buttons, and what came of it.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Words } from '../../../evolution/steering/base/verb.ts';
import { type Body, commandLine, isGrave, titleOf, type VerbName } from '../../api/actions/actions.ts';
import { Alert } from '../base/parts.tsx';
import { linkTo } from '../base/state.ts';
import { shown } from '../base/text.ts';
import { useAsking } from './asking.ts';
import { Dialog } from './dialog.tsx';

type Props<V extends VerbName> = {
  readonly verb: V;
  /** Null while what was typed is not complete. */
  readonly body: Body<V> | null;
  readonly words: Words;
  /** More than the words, such as the programs that a rewind sets aside. */
  readonly more?: ComponentChildren;
  /** The fields. */
  readonly children?: ComponentChildren;
  readonly onClose: () => void;
  readonly onDone?: () => void;
  readonly button?: string;
  /** A program or a file that the command reads. */
  readonly note?: string;
};

export const Confirm = <V extends VerbName>(props: Props<V>) => {
  const { verb, body, words, more, children, onClose, onDone, note } = props;
  const { progress, send } = useAsking(verb);
  const title = titleOf(verb);
  const close = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (progress.kind === 'done') close.current?.focus();
  }, [progress.kind]);
  const carryOut = async (asking: Body<V>): Promise<void> => {
    const done = await send(asking);
    if (done !== null) onDone?.();
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    if (body !== null && progress.kind !== 'busy') void carryOut(body);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {progress.kind === 'done' ? null : (
        <form class="asking" onSubmit={submit}>
          <p>{words.what}</p>
          {children}
          {more}
          <dl class="terms">
            <dt>Undo</dt>
            <dd>{words.undo}</dd>
            <dt>Cost</dt>
            <dd>{words.cost}</dd>
          </dl>
          {body === null ? null : (
            <details>
              <summary>The same on the command line</summary>
              <pre>{shown(commandLine(verb, body))}</pre>
              {note === undefined ? null : <p class="soft">{note}</p>}
            </details>
          )}
          <div class="buttons">
            <button type="button" onClick={onClose}>
              {progress.kind === 'busy' ? 'Close' : 'Cancel'}
            </button>
            <button class={isGrave(verb) ? 'danger' : 'main'} disabled={body === null || progress.kind === 'busy'}>
              {props.button ?? title}
            </button>
          </div>
        </form>
      )}
      <div role="status" aria-live="polite">
        {progress.kind === 'busy' ? <p class="busy">Under way …</p> : null}
        {progress.kind === 'done' ? (
          <>
            <p class="did">{shown(progress.done.text)}.</p>
            {progress.done.warnings.map((warning) => (
              <p class="warned">{shown(warning)}</p>
            ))}
          </>
        ) : null}
      </div>
      {progress.kind === 'failed' ? <Alert lines>{shown(progress.message)}</Alert> : null}
      {progress.kind === 'done' ? (
        <div class="buttons">
          {progress.done.run !== null && (verb === 'fork' || verb === 'start') ? (
            <a class="button" href={linkTo(['run', progress.done.run])} onClick={onClose}>
              Open run {progress.done.run}
            </a>
          ) : null}
          <button class="main" ref={close} onClick={onClose}>
            Close
          </button>
        </div>
      ) : null}
    </Dialog>
  );
};
