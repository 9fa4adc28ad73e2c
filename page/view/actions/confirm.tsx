// Dialogs: a dialog of the browser's own, and the end of the dialog of every action with the words about what will
// happen, the command that does the same, the buttons and the result.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { Words } from '../../../evolution/steering/base/verb.ts';
import { type Body, commandLine, type Done, isGrave, titleOf, type VerbName } from '../../api/actions/actions.ts';
import { Waiting } from '../base/clock.tsx';
import { Alert } from '../base/parts.tsx';
import { away, linkTo, useAnswer } from '../base/state.ts';
import { shown } from '../base/text.ts';
import { useAsking } from './asking.ts';

type DialogProps = {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
};

/** It keeps the focus, Escape closes it, and the focus goes back to where it was. */
export const Dialog = ({ title, onClose, children }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const name = useId();
  // Before the browser does anything else, so that the focus is still where it was.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const element = dialog.current!;
    element.showModal();
    return () => {
      element.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      class="ask"
      ref={dialog}
      aria-labelledby={name}
      onCancel={(event) => {
        // The component goes, and the dialog with it.
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={name}>{title}</h2>
      {children}
    </dialog>
  );
};

type Props<V extends VerbName> = {
  readonly verb: V;
  /** Null while the fields are not complete. */
  readonly body: Body<V> | null;
  /** All runs on which it is done, where these are several. */
  readonly runs?: readonly string[];
  readonly words: Words;
  /** More than the words, such as the programs that a rewind sets aside. */
  readonly more?: ComponentChildren;
  /** The fields. */
  readonly children?: ComponentChildren;
  readonly onClose: () => void;
  readonly onDone?: () => void;
  readonly button?: string;
  /** Where it is not that of the verb. */
  readonly title?: string;
  /** A program or a file that the command reads. */
  readonly note?: string;
};

export const Confirm = <V extends VerbName>(props: Props<V>) => {
  const { verb, body, runs, words, more, children, onClose, onDone, note, title = titleOf(verb) } = props;
  const { progress, send } = useAsking(verb, runs);
  // What an action needs is there by the time somebody has read the dialog.
  useAnswer('ready');
  const submit = (event: Event): void => {
    event.preventDefault();
    if (body !== null && progress.kind !== 'busy') void send(body).then((done) => done !== null && onDone?.());
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
              <pre>{shown(commandLine(verb, body, runs))}</pre>
              {note === undefined ? null : <p class="soft">{note}</p>}
            </details>
          )}
          <div class="buttons">
            <button type="button" onClick={onClose}>
              {progress.kind === 'busy' ? 'Close' : 'Cancel'}
            </button>
            <button
              class={isGrave(verb) ? 'danger' : 'main'}
              disabled={body === null || progress.kind === 'busy' || away.value !== null}
            >
              {props.button ?? title}
            </button>
          </div>
        </form>
      )}
      <div role="status" aria-live="polite">
        {progress.kind === 'busy' ? <Waiting>Sent, waiting for the run</Waiting> : null}
        {progress.kind === 'done' ? <Result done={progress.done} /> : null}
      </div>
      {progress.kind === 'failed' ? <Alert lines>{shown(progress.message)}</Alert> : null}
      {progress.kind === 'done' ? (
        <Leave run={verb === 'fork' || verb === 'start' ? progress.done.run : null} onClose={onClose} />
      ) : null}
    </Dialog>
  );
};

const Result = ({ done: { text, warnings } }: { readonly done: Done }) => (
  <>
    <p class="did">{shown(text)}.</p>
    {warnings.map((warning) => (
      <p class="warned">{shown(warning)}</p>
    ))}
  </>
);

type LeaveProps = {
  /** The run that was made; null for none. */
  readonly run: string | null;
  readonly onClose: () => void;
};

/** The last buttons of a dialog, of which the one that closes it has the focus. */
const Leave = ({ run, onClose }: LeaveProps) => {
  const close = useRef<HTMLButtonElement>(null);
  useEffect(() => close.current?.focus(), []);
  return (
    <div class="buttons">
      {run === null ? null : (
        <a class="button" href={linkTo(['run', run])} onClick={onClose}>
          Open run {run}
        </a>
      )}
      <button class="main" ref={close} onClick={onClose}>
        Close
      </button>
    </div>
  );
};
