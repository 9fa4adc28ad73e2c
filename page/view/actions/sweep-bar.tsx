// The actions on a sweep: it pauses, goes on and stops with all of its runs.
import { useState } from 'preact/hooks';
import { sweepActionsFor, type SweepVerb, sweepWordsOf } from '../../data/action-words.ts';
import { TITLES } from '../../data/verb-names.ts';
import { theSource } from '../base/state.ts';
import { shown } from '../base/text.ts';
import { Confirm } from './confirm.tsx';
import { ChoiceField, TextField, WHEN } from './fields.tsx';

type Props = { readonly sweep: string; readonly verb: SweepVerb; readonly onClose: () => void };

const SweepDialog = ({ sweep, verb, onClose }: Props) => {
  const [mode, setMode] = useState<'step' | 'now'>('step');
  const [reason, setReason] = useState('');
  const words = sweepWordsOf(verb, sweep);
  if (verb === 'sweep-resume') return <Confirm verb={verb} body={{ sweep }} words={words} onClose={onClose} />;
  const body = { sweep, mode, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) };
  return (
    <Confirm verb={verb} body={body} words={words} onClose={onClose}>
      <ChoiceField label="When" value={mode} set={(one) => setMode(one as 'step')} options={WHEN} />
      <TextField label="Reason (optional)" max={500} value={reason} set={setReason} />
    </Confirm>
  );
};

export const SweepBar = ({ sweep, state }: { readonly sweep: string; readonly state: string }) => {
  const [verb, open] = useState<SweepVerb | null>(null);
  const { readOnly, exported } = theSource().site;
  if (exported !== null) return null;
  if (readOnly !== null) return <p class="soft">{shown(readOnly)}</p>;
  return (
    <div class="acts" role="group" aria-label={`Actions on sweep ${sweep}`}>
      {sweepActionsFor(state).map((name) => (
        <button onClick={() => open(name)}>{TITLES[name]}</button>
      ))}
      {verb === null ? null : <SweepDialog sweep={sweep} verb={verb} onClose={() => open(null)} />}
    </div>
  );
};
