// The page of a run as one file, saved by the browser. It changes nothing, so it is there where nothing else may be
// done.
import { useState } from 'preact/hooks';
import type { Progress as FileProgress } from '../../api/site/live.ts';
import { Select } from '../base/controls.tsx';
import { Waiting } from '../base/clock.tsx';
import { Alert } from '../base/parts.tsx';
import { save } from '../base/save.ts';
import { runPath, theSource } from '../base/state.ts';
import { count, shown } from '../base/text.ts';
import { newName, useWork } from './asking.ts';
import { Dialog } from './confirm.tsx';

const PROGRAMS = [
  ['all', 'all programs'],
  ['best:100', 'the hundred best ones and their ancestors'],
  ['none', 'no program: the smallest file'],
] as const;

export const SAVE_PAGE = 'Save the page';

const ASK_MS = 700;

const savePage = async (run: string, programs: string, tell: (text: string) => void) => {
  const name = `${run}.html`;
  const ticket = newName();
  const asking = setInterval(() => {
    void theSource()
      .json<FileProgress | null>(runPath(run, `export/${ticket}`))
      .then((now) => now !== null && tell(`${count(now.done)} of ${count(now.of)} programs are written`))
      .catch(() => undefined);
  }, ASK_MS);
  const query = new URLSearchParams({ programs, ticket });
  const bytes = await theSource()
    .bytes(runPath(run, `export?${query}`))
    .finally(() => clearInterval(asking));
  save(name, new Blob([bytes], { type: 'text/html' }));
  return { text: `${name} is saved: ${(bytes.byteLength / 1e6).toFixed(1)} MB`, run: null };
};

export const SavePage = ({ run, onClose }: { readonly run: string; readonly onClose: () => void }) => {
  const [programs, setPrograms] = useState('all');
  const [far, tell] = useState('');
  const { progress, carryOut } = useWork(SAVE_PAGE);
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    if (progress.kind !== 'busy') void carryOut(() => savePage(run, programs, tell));
  };
  return (
    <Dialog title={SAVE_PAGE} onClose={onClose}>
      <form class="asking" onSubmit={onSubmit}>
        <p>
          This page of run {shown(run)} becomes one HTML file, with all its views, that opens from disk in any browser.
          The run is not changed.
        </p>
        <Select
          class="field"
          label="It has code, prompts, answers and logs of"
          value={programs}
          onValue={setPrograms}
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
          <button class="main" disabled={progress.kind === 'busy'}>
            Save the file
          </button>
        </div>
      </form>
      <div role="status" aria-live="polite">
        {progress.kind === 'busy' ? <Waiting>{far === '' ? 'The file is being written' : far}</Waiting> : null}
        {progress.kind === 'done' ? <p class="did">{shown(progress.done.text)}.</p> : null}
      </div>
      {progress.kind === 'failed' ? <Alert lines>{shown(progress.message)}</Alert> : null}
    </Dialog>
  );
};
