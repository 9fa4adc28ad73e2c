// The page begins here: it finds its source, and draws the shell with the view that the address names.
import { render } from 'preact';
import { Shell } from './shell.tsx';
import { exportedSource } from './exported.ts';
import { serverSource } from './source.ts';
import { setSource, startRouting, startTheme } from './state.ts';

startTheme();
const root = document.getElementById('page')!;
try {
  setSource(await (exportedSource() ?? serverSource()));
  startRouting();
  render(<Shell />, root);
} catch (error) {
  root.textContent = error instanceof Error ? error.message : String(error);
}
