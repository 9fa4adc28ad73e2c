// The actions on a sweep: it pauses, goes on and stops with all of its runs.
import { useState } from 'preact/hooks';
import type { RunStatus } from '../../../evolution/run-states.ts';
import { verbOf, wordsOf } from '../../../evolution/steering/verbs.ts';
import { type Body, type SweepAction, sweepActionsFor, titleOf } from '../../api/actions/actions.ts';
import { theSource } from '../base/state.ts';
import { shown } from '../base/text.ts';
import { Confirm } from './confirm.tsx';
import { TypedFields, useTyped } from './typed.tsx';

type Standing = { readonly run: string; readonly state: RunStatus };
type Props = { readonly sweep: Standing; readonly verb: SweepAction; readonly onClose: () => void };

const SweepDialog = ({ sweep, verb, onClose }: Props) => {
  const { fields } = verbOf(verb);
  const { body, ...entered } = useTyped(fields);
  const asked = body === null ? null : ({ sweep: sweep.run, ...body } as Body<typeof verb>);
  return (
    <Confirm verb={verb} body={asked} words={wordsOf(verb, sweep)} onClose={onClose}>
      <TypedFields fields={fields} {...entered} />
    </Confirm>
  );
};

export const SweepBar = ({ sweep, state }: { readonly sweep: string; readonly state: RunStatus }) => {
  const [verb, open] = useState<SweepAction | null>(null);
  const { readOnly, exported } = theSource().site;
  if (exported !== null) return null;
  if (readOnly !== null) return <p class="soft">{shown(readOnly)}</p>;
  const standing = { run: sweep, state };
  return (
    <div class="acts" role="group" aria-label={`Actions on sweep ${sweep}`}>
      {sweepActionsFor(standing).map((name) => (
        <button onClick={() => open(name)}>{titleOf(name)}</button>
      ))}
      {verb === null ? null : <SweepDialog sweep={standing} verb={verb} onClose={() => open(null)} />}
    </div>
  );
};
