// The steps of a run as they play on the map.
import { useEffect, useState } from 'preact/hooks';

/** `at` is the step up to which the map is drawn; null for the last. */
export type Playing = { readonly at: number | null; readonly playing: boolean };

const FRAME_MS = 80;
/** The steps play in this many frames at most. */
const FRAMES = 120;

export const stepOf = ({ at }: Playing, last: number): number => Math.min(at ?? last, last);

export const nextFrame = (state: Playing, last: number): Playing => {
  const next = Math.min(last, stepOf(state, last) + Math.max(1, Math.round(last / FRAMES)));
  return { at: next, playing: next < last };
};

/**
 * A click on the button plays from the step that is shown, or else from the beginning; without motion it shows the end.
 */
export const toggled = (state: Playing, last: number, hasMotion: boolean): Playing => {
  if (state.playing) return { ...state, playing: false };
  if (!hasMotion) return { at: last, playing: false };
  return { at: stepOf(state, last) >= last ? 0 : state.at, playing: true };
};

export const usePlayer = (last: number) => {
  const [state, setState] = useState<Playing>({ at: null, playing: false });
  const step = stepOf(state, last);
  useEffect(() => {
    if (!state.playing) return undefined;
    const timer = setTimeout(() => setState((now) => nextFrame(now, last)), FRAME_MS);
    return () => clearTimeout(timer);
  }, [state, last]);
  return {
    step,
    playing: state.playing,
    play: (): void => setState(toggled(state, last, !matchMedia('(prefers-reduced-motion: reduce)').matches)),
    goTo: (at: number): void => setState({ at, playing: false }),
  };
};
