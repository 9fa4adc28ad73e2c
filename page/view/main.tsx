// The page begins here: it finds its source, and draws the shell with the view that the address names.
import { render } from 'preact';
import { useState } from 'preact/hooks';
import { Shell } from './shell.tsx';
import { exportedSource } from './base/exported.ts';
import { serverSource } from './base/server.ts';
import { SourceError, TokenWanted } from './base/source.ts';
import { setSource, startRouting, startTheme } from './base/state.ts';
import { messageOf } from './base/text.ts';
import { Alert } from './base/parts.tsx';

const AGAIN_MS = 2_000;
const root = document.getElementById('page')!;

/** The form for the token, where the server wants one first. */
const AskToken = ({ wrong }: { readonly wrong: string | null }) => {
  const [token, setToken] = useState('');
  return (
    <main id="main">
      <h1>This page asks for its token</h1>
      <p>
        It is what the file holds that was named by <code>--token-file</code> where the page was started. This browser
        is known for a week.
      </p>
      <form
        class="controls"
        onSubmit={(event) => {
          event.preventDefault();
          // The same as an address with the token behind it: it is sent once, and leaves the address bar.
          location.hash = `#token=${encodeURIComponent(token.trim())}`;
        }}
      >
        <label>
          Token
          <input
            type="password"
            autocomplete="off"
            value={token}
            onInput={({ currentTarget }) => setToken(currentTarget.value)}
          />
        </label>
        <button class="main" disabled={token.trim() === ''}>
          Look
        </button>
      </form>
      {wrong === null ? null : <Alert>{wrong}</Alert>}
    </main>
  );
};

const begin = async (): Promise<void> => {
  try {
    setSource(await (exportedSource() ?? serverSource()));
    startRouting();
    root.replaceChildren();
    render(<Shell />, root);
  } catch (error) {
    root.replaceChildren();
    if (error instanceof TokenWanted) return render(<AskToken wrong={error.why} />, root);
    root.textContent = messageOf(error);
    // A server that went away just now is asked again until it is back.
    if (error instanceof SourceError && error.kind === 'away') setTimeout(() => void begin(), AGAIN_MS);
  }
};

startTheme();
await begin();
