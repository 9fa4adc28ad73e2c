// Times that go on by themselves while one looks.
import { useEffect, useState } from 'preact/hooks';
import { ago } from './text.ts';

/** The time of the server, which said `atMs` when its answer was made; it goes on by the second. */
export const useServerTime = (atMs: number): number => {
  const [now, set] = useState(atMs);
  useEffect(() => {
    const began = performance.now();
    set(atMs);
    const timer = setInterval(() => set(atMs + performance.now() - began), 1000);
    return () => clearInterval(timer);
  }, [atMs]);
  return now;
};

/** `12 s ago`, by the clock of the server: at `asOf` it has answered. */
export const Ago = ({ at, asOf }: { readonly at: number; readonly asOf: number }) => (
  <>{ago(at, useServerTime(asOf))}</>
);

/** What is waited for, with the seconds so far. A reader of the screen is told once. */
export const Waiting = ({ children }: { readonly children: string }) => {
  const seconds = Math.round(useServerTime(0) / 1_000);
  return (
    <p class="busy">
      {children}
      <span aria-hidden="true">{seconds === 0 ? ' …' : `, ${seconds} s …`}</span>
    </p>
  );
};
