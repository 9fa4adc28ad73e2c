// The page begins here: it finds its source, and draws the shell with the view that the address names.
import { render } from 'preact';
import { Shell } from './shell.tsx';
import { exportedSource } from './base/exported.ts';
import { serverSource, SourceError, TokenWanted } from './base/source.ts';
import { setSource, startRouting, startTheme } from './base/state.ts';
import { AskToken } from './token.tsx';

const AGAIN_MS = 2_000;
const root = document.getElementById('page')!;

const begin = async (): Promise<void> => {
  try {
    setSource(await (exportedSource() ?? serverSource()));
    startRouting();
    root.replaceChildren();
    render(<Shell />, root);
  } catch (error) {
    root.replaceChildren();
    if (error instanceof TokenWanted) return render(<AskToken wrong={error.why} />, root);
    root.textContent = error instanceof Error ? error.message : String(error);
    // A server that went away just now is asked again until it is back.
    if (error instanceof SourceError && error.kind === 'away') setTimeout(() => void begin(), AGAIN_MS);
  }
};

startTheme();
await begin();
