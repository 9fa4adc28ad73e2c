// One asking of an action: its name, by which the server knows a second click, and what came of it.
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Body, type Done, titleOf, type VerbName } from '../../api/actions/actions.ts';
import { later, theSource } from '../base/state.ts';

type Progress =
  | { readonly kind: 'open' }
  | { readonly kind: 'busy' }
  | { readonly kind: 'done'; readonly done: Done }
  | { readonly kind: 'failed'; readonly message: string };

/** `crypto.randomUUID` is not there where the page comes by plain http from another machine. */
const newName = (): string =>
  [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

export const ask = <V extends VerbName>(verb: V, body: Body<V>, request = newName()): Promise<Done> =>
  theSource().act<Done>(verb, { ...body, request });

/** Says whether the dialog was closed: its result is shown above the page then. */
export const useClosed = (): (() => boolean) => {
  const closed = useRef(false);
  useEffect(() => {
    closed.current = false;
    return () => void (closed.current = true);
  }, []);
  return () => closed.current;
};

export const tellLater = (
  text: string,
  { run = null, failed = false }: { readonly run?: string | null; readonly failed?: boolean } = {},
): void => {
  later.value = [...later.value, { text, run, failed }];
};

/** The same body again is the same asking; a changed one is another. */
export const useAsking = <V extends VerbName>(verb: V) => {
  const [progress, set] = useState<Progress>({ kind: 'open' });
  const last = useRef<{ readonly text: string; readonly request: string } | null>(null);
  const closed = useClosed();
  const send = async (body: Body<V>): Promise<Done | null> => {
    const text = JSON.stringify(body);
    if (last.current?.text !== text) last.current = { text, request: newName() };
    set({ kind: 'busy' });
    try {
      const done = await ask(verb, body, last.current!.request);
      if (closed()) tellLater(done.text, { run: done.run });
      else set({ kind: 'done', done });
      return done;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (closed()) tellLater(`${titleOf(verb)}: ${message}`, { failed: true });
      else set({ kind: 'failed', message });
      return null;
    }
  };
  return { progress, send };
};
