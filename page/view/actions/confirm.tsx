// What every dialog of an action ends with: the words about what will happen, the command that does the same, the
// buttons, and what came of it.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Words } from '../../../evolution/steering/base/verb.ts';
import { type Body, commandLine, isGrave, titleOf, type VerbName } from '../../data/actions.ts';
import { linkTo } from '../base/state.ts';
import { shown } from '../base/text.ts';
import { useAsking } from './asking.ts';
import { Dialog } from './dialog.tsx';

type Props<V extends VerbName> = {
  readonly verb: V;
  /** Null while what was typed is not complete. */
  readonly body: Body<V> | null;
  readonly words: Words;
  /** What is to be known beside the words, such as what a rewind sets aside. */
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
  const { asked, send } = useAsking(verb);
  const title = titleOf(verb);
  const close = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (asked.kind === 'done') close.current?.focus();
  }, [asked.kind]);
  const carryOut = async (asking: Body<V>): Promise<void> => {
    const done = await send(asking);
    if (done !== null) onDone?.();
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    if (body !== null && asked.kind !== 'busy') void carryOut(body);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {asked.kind === 'done' ? null : (
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
              {asked.kind === 'busy' ? 'Close' : 'Cancel'}
            </button>
            <button class={isGrave(verb) ? 'danger' : 'main'} disabled={body === null || asked.kind === 'busy'}>
              {props.button ?? title}
            </button>
          </div>
        </form>
      )}
      <div role="status" aria-live="polite">
        {asked.kind === 'busy' ? <p class="busy">Under way …</p> : null}
        {asked.kind === 'done' ? (
          <>
            <p class="did">{shown(asked.done.text)}.</p>
            {asked.done.warnings.map((warning) => (
              <p class="warned">{shown(warning)}</p>
            ))}
          </>
        ) : null}
      </div>
      {asked.kind === 'failed' ? (
        <p class="error many" role="alert">
          {shown(asked.message)}
        </p>
      ) : null}
      {asked.kind === 'done' ? (
        <div class="buttons">
          {asked.done.run !== null && (verb === 'fork' || verb === 'start') ? (
            <a class="button" href={linkTo(['run', asked.done.run])} onClick={onClose}>
              Open run {asked.done.run}
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
