// The actions on several runs at once, as buttons with the number of runs that each is for, and their dialog.
import { useState } from 'preact/hooks';
import { verbOf, wordsOf } from '../../../evolution/steering/verbs.ts';
import { actionsForMany, type Body, type OnMany, titleOf } from '../../api/actions/actions.ts';
import type { RunReport } from '../../api/run/runs.ts';
import { Items } from '../base/parts.tsx';
import { away, theSource } from '../base/state.ts';
import { Confirm } from './confirm.tsx';
import { useEntries, VerbFields } from './verb-fields.tsx';

export const ManyActions = ({ runs }: { readonly runs: readonly RunReport[] }) => {
  // What is done is done to the runs of which the dialog spoke, whatever comes of them meanwhile.
  const [asked, ask] = useState<OnMany<RunReport> | null>(null);
  if (theSource().site.readOnly !== null) return null;
  return (
    <>
      {actionsForMany(runs).map((one) => (
        <button key={one.verb} type="button" disabled={away.value !== null} onClick={() => ask(one)}>
          {titleOf(one.verb)} {one.on.length}
        </button>
      ))}
      {asked === null ? null : <ManyDialog {...asked} onClose={() => ask(null)} />}
    </>
  );
};

type DialogProps = OnMany<RunReport> & { readonly onClose: () => void };

const ManyDialog = ({ verb, on, leftAlone, onClose }: DialogProps) => {
  const { fields } = verbOf(verb);
  const { body, ...entered } = useEntries(fields);
  const runs = on.map(({ run }) => run);
  const [first] = on as [RunReport];
  const request = body === null ? null : ({ run: first.run, ...body } as Body<typeof verb>);
  return (
    <Confirm
      {...{ verb, runs, onClose }}
      body={request}
      words={wordsOf(verb, first)}
      more={<Items of={leftAlone} />}
      button={`${titleOf(verb)} ${runs.length} ${runs.length === 1 ? 'run' : 'runs'}`}
    >
      {runs.length === 1 ? null : <p>The same is done with {runs.slice(1).join(', ')}.</p>}
      <VerbFields {...{ fields, ...entered }} stream={on.every(({ stream }) => stream)} />
    </Confirm>
  );
};
