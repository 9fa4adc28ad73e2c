// An answer of a part of a view, beside the one that the rest of the view is drawn from.
import { useEffect, useRef } from 'preact/hooks';
import type { Answer } from '../base/asker.ts';
import { tell, useAnswer } from '../base/state.ts';

/** It is asked for again behind each answer of the rest, whose time is `atMs`, so that it is of no older commit. */
export const useBehind = <T>(run: string, name: string, atMs: number): Answer<T> => {
  const path = `runs/${encodeURIComponent(run)}/${name}`;
  const topic = `behind ${path}`;
  const first = useRef(atMs);
  useEffect(() => {
    if (atMs !== first.current) tell(topic);
  }, [atMs]);
  return useAnswer<T>(path, topic);
};
