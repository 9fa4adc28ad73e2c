// The page begins here: it finds its source, and draws the shell with the view that the address names.
import { render } from 'preact';
import { Shell } from './shell.tsx';
import { exportedSource } from './base/exported.ts';
import { serverSource } from './base/source.ts';
import { setSource, startRouting, startTheme } from './base/state.ts';

startTheme();
const root = document.getElementById('page')!;
try {
  setSource(await (exportedSource() ?? serverSource()));
  startRouting();
  root.replaceChildren();
  render(<Shell />, root);
} catch (error) {
  root.textContent = error instanceof Error ? error.message : String(error);
}
