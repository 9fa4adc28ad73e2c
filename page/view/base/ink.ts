// Colours of the stylesheet as a canvas and a file need them: as they come out under the present theme.
import { effect, signal } from '@preact/signals';
import { theme } from './state.ts';

/** Counts changes of the theme; whoever draws reads it, and so draws again. */
const changes = signal(0);
let listening = false;
const listen = (): void => {
  if (listening) return;
  listening = true;
  const changed = (): void => void requestAnimationFrame(() => changes.value++);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed);
  effect(() => {
    void theme.value;
    changed();
  });
};

/** The colours by their names, such as `--s0`. To be called while a component is drawn, which follows the theme then. */
export const inksOf = <N extends string>(names: readonly N[]): { readonly [name in N]: string } => {
  listen();
  void changes.value;
  const probe = document.body.appendChild(document.createElement('span'));
  const found = names.map((name) => {
    probe.style.color = `var(${name})`;
    return [name, getComputedStyle(probe).color];
  });
  probe.remove();
  return Object.fromEntries(found) as { readonly [name in N]: string };
};
