// The page of a run as one file, saved by the browser. It changes nothing, so it is there where nothing else may be done.
import { useState } from 'preact/hooks';
import { Alert } from '../base/parts.tsx';
import { theSource } from '../base/state.ts';
import { shown } from '../base/text.ts';
import { save } from '../base/save.ts';
import { tellLater, useClosed } from './asking.ts';
import { Dialog } from './dialog.tsx';
import { ChoiceField } from './fields.tsx';

const PROGRAMS = [
  ['all', 'all programs'],
  ['best:100', 'the hundred best ones and their ancestors'],
  ['none', 'no program: the smallest file'],
] as const;

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

type State =
  | { readonly kind: 'open' }
  | { readonly kind: 'busy' }
  | { readonly kind: 'done'; readonly bytes: number }
  | { readonly kind: 'failed'; readonly message: string };

export const SAVE_PAGE = 'Save the page';

export const SavePage = ({ run, onClose }: { readonly run: string; readonly onClose: () => void }) => {
  const [programs, setPrograms] = useState('all');
  const [state, set] = useState<State>({ kind: 'open' });
  const closed = useClosed();
  const name = `${run}.html`;
  const carryOut = async (): Promise<void> => {
    set({ kind: 'busy' });
    try {
      const path = `runs/${encodeURIComponent(run)}/export?programs=${encodeURIComponent(programs)}`;
      const bytes = await theSource().bytes(path);
      save(name, new Blob([bytes], { type: 'text/html' }));
      if (closed()) tellLater(`${name} is saved: ${megabytes(bytes.byteLength)}`);
      else set({ kind: 'done', bytes: bytes.byteLength });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (closed()) tellLater(`${SAVE_PAGE}: ${message}`, { failed: true });
      else set({ kind: 'failed', message });
    }
  };
  return (
    <Dialog title={SAVE_PAGE} onClose={onClose}>
      <form
        class="asking"
        onSubmit={(event) => {
          event.preventDefault();
          if (state.kind !== 'busy') void carryOut();
        }}
      >
        <p>
          This page of run {shown(run)} becomes one HTML file, with all its views, that opens from disk in any browser.
          The run is not changed.
        </p>
        <ChoiceField
          label="It has code, prompts, answers and logs of"
          value={programs}
          set={setPrograms}
          options={PROGRAMS}
        />
        <details>
          <summary>The same on the command line</summary>
          <pre>{shown(`npx evolve export ${run} --page${programs === 'all' ? '' : ` --programs ${programs}`}`)}</pre>
        </details>
        <div class="buttons">
          <button type="button" onClick={onClose}>
            Close
          </button>
          <button class="main" disabled={state.kind === 'busy'}>
            Save the file
          </button>
        </div>
      </form>
      <div role="status" aria-live="polite">
        {state.kind === 'busy' ? <p class="busy">The file is being written; a large run takes minutes …</p> : null}
        {state.kind === 'done' ? (
          <p class="did">
            {shown(name)} is saved: {megabytes(state.bytes)}.
          </p>
        ) : null}
      </div>
      {state.kind === 'failed' ? <Alert lines>{shown(state.message)}</Alert> : null}
    </Dialog>
  );
};
