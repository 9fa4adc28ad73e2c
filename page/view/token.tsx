// The form for the token, where the server wants one first.
import { useState } from 'preact/hooks';

export const AskToken = ({ wrong }: { readonly wrong: string | null }) => {
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
      {wrong === null ? null : (
        <p class="error" role="alert">
          {wrong}
        </p>
      )}
    </main>
  );
};
