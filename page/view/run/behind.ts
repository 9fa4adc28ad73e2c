// What a part of a view shows by itself, beside an answer that the rest of the view is drawn from.
import { useEffect, useRef } from 'preact/hooks';
import type { ToldAnswer } from '../../data/live.ts';
import type { Answer } from '../base/asker.ts';
import { news, tell, useAnswer } from '../base/state.ts';

/**
 * It came with the same news as the rest, or is asked for again behind each answer of the rest, whose time is `atMs`, so
 * that it is never of an older commit.
 */
export const useBehind = <T>(run: string, name: ToldAnswer, atMs: number): Answer<T> => {
  const path = `runs/${encodeURIComponent(run)}/${name}`;
  const topic = `behind ${path}`;
  const first = useRef(atMs);
  useEffect(() => {
    if (atMs !== first.current) tell(topic, news.value[run]?.answers);
  }, [atMs]);
  return useAnswer<T>(path, topic);
};
