// The work of a dialog or a form, and the requests for actions, each with a name by which the server knows a second
// click.
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Body, type Done, titleOf, type VerbName } from '../../api/actions/actions.ts';
import { later, tell, theSource } from '../base/state.ts';
import { messageOf } from '../base/text.ts';

type Result = { readonly text: string; readonly run: string | null };
export type Progress<T> =
  | { readonly kind: 'open' }
  | { readonly kind: 'busy' }
  | { readonly kind: 'done'; readonly done: T }
  | { readonly kind: 'failed'; readonly message: string };

const OPEN = { kind: 'open' } as const;

/** Work with its progress. With a title its result is shown above the page where the dialog was closed meanwhile. */
export const useWork = <T extends Result>(title: string | null) => {
  const [progress, set] = useState<Progress<T>>(OPEN);
  const closed = useRef(false);
  useEffect(() => () => void (closed.current = true), []);
  const end = (next: Progress<T>, result: Result, failed: boolean): void => {
    if (!closed.current) set(next);
    else if (title !== null) later.value = [...later.value, { ...result, failed }];
  };
  /** The result; null where the work failed. */
  const carryOut = async (work: () => Promise<T>): Promise<T | null> => {
    set({ kind: 'busy' });
    try {
      const done = await work();
      end({ kind: 'done', done }, { text: done.text, run: done.run }, false);
      return done;
    } catch (error) {
      const message = messageOf(error);
      end({ kind: 'failed', message }, { text: `${title}: ${message}`, run: null }, true);
      return null;
    }
  };
  return { progress, carryOut, reset: () => set(OPEN) };
};

/** `crypto.randomUUID` is not there where the page comes by plain http from another machine. */
export const newName = (): string =>
  [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

export const ask = async <V extends VerbName>(verb: V, body: Body<V>, request = newName()): Promise<Done> => {
  const done = await theSource().act<Done>(verb, { ...body, request });
  // Its state is about to change, which nobody should have to wait for.
  for (const topic of ['runs', done.run]) if (topic !== null) tell(topic);
  return done;
};

/** The same on each run, one after the other: one that refuses holds up no other. Throws where all refuse. */
export const askEach = async <V extends VerbName>(
  verb: V,
  body: Body<V>,
  runs: readonly string[],
  request = newName(),
): Promise<Done> => {
  const texts: string[] = [];
  const warnings: string[] = [];
  for (const [index, run] of runs.entries())
    try {
      const done = await ask(verb, { ...body, run }, `${request}-${index}`);
      texts.push(done.text);
      warnings.push(...done.warnings);
    } catch (error) {
      warnings.push(`${run}: ${messageOf(error)}`);
    }
  if (texts.length === 0) throw new Error(warnings.join('\n'));
  return { text: texts.join('; '), run: null, warnings, problems: [], plan: null };
};

/** A second request with the same body has the name of the first. `runs` are several that it is about. */
export const useAsking = <V extends VerbName>(verb: V, runs?: readonly string[]) => {
  const { progress, carryOut } = useWork<Done>(titleOf(verb));
  const last = useRef({ text: '', request: '' });
  const send = (body: Body<V>): Promise<Done | null> => {
    const text = JSON.stringify(body);
    if (last.current.text !== text) last.current = { text, request: newName() };
    const { request } = last.current;
    return carryOut(() => (runs === undefined ? ask(verb, body, request) : askEach(verb, body, runs, request)));
  };
  return { progress, send };
};
