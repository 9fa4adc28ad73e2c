// The dialogs of the actions on a run, with the fields that each has.
import { useState } from 'preact/hooks';
import { type RunVerb, wordsOf } from '../../data/action-words.ts';
import type { Body } from '../../data/actions.ts';
import type { RunSettingsAnswer } from '../../data/forms.ts';
import type { RunReport } from '../../data/runs.ts';
import { written } from '../../data/settings-values.ts';
import { Foreign } from '../base/parts.tsx';
import { useAnswer } from '../base/state.ts';
import { count, shown, usd } from '../base/text.ts';
import { AfterStepWords } from './after-step.tsx';
import { Confirm } from './confirm.tsx';
import { ChoiceField, FileField, FlagField, TextField, WHEN } from './fields.tsx';

type DialogProps = {
  readonly report: RunReport;
  readonly onClose: () => void;
  /** The step that is proposed. */
  readonly step?: number | undefined;
};

/** A number that was typed; null where it is none. */
const wholeOf = (text: string): number | null => (/^\d{1,6}$/.test(text.trim()) ? Number(text) : null);
const islandOf = (text: string): { readonly island?: number } => (text === '' ? {} : { island: Number(text) });

const Waiting = ({ verb, report, onClose }: DialogProps & { readonly verb: 'pause' | 'stop' }) => {
  const [mode, setMode] = useState<'step' | 'now'>('step');
  const [reason, setReason] = useState('');
  const body: Body<'pause'> = { run: report.run, mode, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) };
  return (
    <Confirm verb={verb} body={body} words={wordsOf(verb, report)} onClose={onClose}>
      <ChoiceField label="When" value={mode} set={(one) => setMode(one as 'step')} options={WHEN} />
      <TextField
        label="Reason (optional)"
        help="It is shown beside the state."
        max={500}
        value={reason}
        set={setReason}
      />
    </Confirm>
  );
};

const Plain = ({ verb, report, onClose }: DialogProps & { readonly verb: 'resume' | 'export' }) => (
  <Confirm verb={verb} body={{ run: report.run }} words={wordsOf(verb, report)} onClose={onClose} />
);

const Retry = ({ report, onClose }: DialogProps) => {
  const [resample, setResample] = useState(false);
  return (
    <Confirm verb="retry" body={{ run: report.run, resample }} words={wordsOf('retry', report)} onClose={onClose}>
      <FlagField label="Ask the model afresh for this step" value={resample} set={setResample} />
    </Confirm>
  );
};

const LIMITS: readonly (readonly [key: string, label: string])[] = [
  ['steps', 'Steps'],
  ['programs', 'Programs'],
  ['tokens', 'Tokens'],
  ['costUsd', 'US dollars'],
  ['wallSeconds', 'Seconds since it began'],
  ['targetScore', 'Target score'],
];

/** Null where something that was typed is no number. */
const limitsFrom = (typed: { readonly [key: string]: string }): Body<'extend'>['limits'] | null => {
  const limits = Object.entries(typed)
    .map(([key, text]) => [key, text.trim()] as const)
    .filter(([, text]) => text !== '')
    .map(([key, text]) => [key, text === 'none' ? null : Number(text)] as const);
  return limits.length === 0 || limits.some(([, value]) => Number.isNaN(value)) ? null : Object.fromEntries(limits);
};

type GivenHint = { readonly island: number | null; readonly text: string };
const hintsOf = (values: RunSettingsAnswer['values']): readonly GivenHint[] =>
  (values['prompt.hints'] ?? []) as readonly GivenHint[];

const useSettings = (run: string): RunSettingsAnswer | null =>
  useAnswer<RunSettingsAnswer>(`runs/${encodeURIComponent(run)}/settings`, run).value;

const Extend = ({ report, onClose }: DialogProps) => {
  const [typed, set] = useState<{ readonly [key: string]: string }>({});
  const [add, setAdd] = useState(false);
  const limits = limitsFrom(typed);
  const present = useSettings(report.run);
  return (
    <Confirm
      verb="extend"
      body={limits === null ? null : { run: report.run, limits, ...(add ? { add } : {}) }}
      words={wordsOf('extend', report)}
      onClose={onClose}
    >
      <p class="soft">
        So far: {count(report.steps)} steps, {count(report.programs)} programs, {count(report.paid.tokens)} tokens,{' '}
        {usd(report.paid.costUsd)}. What is left empty stays as it is shown; “none” removes a limit.
      </p>
      <div class="pairs">
        {LIMITS.map(([key, label]) => (
          <TextField
            numeric
            label={label}
            placeholder={present === null ? '' : written(present.values[`limits.${key}`]) || 'none'}
            value={typed[key] ?? ''}
            set={(value) => set({ ...typed, [key]: value })}
          />
        ))}
      </div>
      <FlagField label="Add these numbers to the present limits" value={add} set={setAdd} />
    </Confirm>
  );
};

const Hint = ({ report, onClose }: DialogProps) => {
  const [text, setText] = useState('');
  const [island, setIsland] = useState('');
  const [remove, setRemove] = useState(false);
  const hint = remove ? null : text.trim();
  const values = useSettings(report.run)?.values;
  const hints = values === undefined ? [] : hintsOf(values);
  const bad = hint === '' || (island !== '' && wholeOf(island) === null);
  return (
    <Confirm
      verb="hint"
      body={bad ? null : { run: report.run, hint, ...islandOf(island) }}
      words={wordsOf('hint', report)}
      onClose={onClose}
      button={remove ? 'Remove the hint' : 'Give the hint'}
    >
      {hints.length === 0 ? (
        <p class="soft">The run has no hint so far.</p>
      ) : (
        <>
          <ul>
            {hints.map((one) => (
              <li>
                {one.island === null ? 'all islands' : `island ${one.island}`}: <Foreign text={one.text} />
              </li>
            ))}
          </ul>
          <FlagField label="Remove the hint of the island below, or that of all" value={remove} set={setRemove} />
        </>
      )}
      {remove ? null : (
        <TextField
          label="Hint to the model"
          rows={4}
          max={2_000}
          value={text}
          set={setText}
          placeholder="Try hexagonal arrangements."
        />
      )}
      <TextField label="Island (empty: all)" numeric value={island} set={setIsland} />
    </Confirm>
  );
};

const Inject = ({ report, onClose }: DialogProps) => {
  const [program, setProgram] = useState('');
  const [island, setIsland] = useState('');
  const bad = program.trim() === '' || (island !== '' && wholeOf(island) === null);
  return (
    <Confirm
      verb="inject"
      body={bad ? null : { run: report.run, program, ...islandOf(island) }}
      words={wordsOf('inject', report)}
      onClose={onClose}
      note="There, the program is a file."
    >
      <FileField label="A file" accept=".py,.txt,text/*" set={setProgram} />
      <TextField
        label="or its text"
        help="The whole program, with its EVOLVE-BLOCK lines. What is outside of them must be as in the task's initial program."
        rows={8}
        value={program}
        set={setProgram}
      />
      <TextField label="Island (empty: 0)" numeric value={island} set={setIsland} />
    </Confirm>
  );
};

const Rewind = ({ report, onClose, step = report.steps }: DialogProps) => {
  const [typed, setTyped] = useState(String(step));
  const [resample, setResample] = useState(false);
  const toStep = wholeOf(typed);
  const bad = toStep === null || toStep < 1 || toStep > report.steps;
  return (
    <Confirm
      verb="rewind"
      body={bad ? null : { run: report.run, toStep, ...(resample ? { resample } : {}) }}
      words={wordsOf('rewind', report)}
      onClose={onClose}
      more={bad ? null : <AfterStepWords run={report.run} step={toStep - 1} way="rewind" />}
    >
      <TextField label={`First step that is done again (1 to ${report.steps})`} numeric value={typed} set={setTyped} />
      <FlagField label="Ask the model afresh for these steps" value={resample} set={setResample} />
    </Confirm>
  );
};

const Fork = ({ report, onClose, step = report.steps }: DialogProps) => {
  const [typed, setTyped] = useState(String(step));
  const [as, setAs] = useState('');
  const [yaml, setYaml] = useState('');
  const at = wholeOf(typed);
  const values = useSettings(report.run)?.values;
  const hints = values === undefined ? [] : hintsOf(values);
  const bad = at === null || at > report.steps;
  const named = { ...(as.trim() === '' ? {} : { as: as.trim() }), ...(yaml.trim() === '' ? {} : { yaml }) };
  return (
    <Confirm
      verb="fork"
      body={bad ? null : { run: report.run, step: at, ...named }}
      words={wordsOf('fork', report)}
      onClose={onClose}
      more={bad ? null : <AfterStepWords run={report.run} step={at} way="fork" />}
      {...(yaml.trim() === '' ? {} : { note: 'There, the settings are a file fork.yaml.' })}
    >
      {values === undefined ? null : (
        <p class="soft">
          It takes over seed {written(values['seed'])} and{' '}
          {hints.length === 0 ? 'no hint' : hints.map((one) => `the hint “${shown(one.text)}”`).join(', ')}.
        </p>
      )}
      <TextField label={`It goes on after step (0 to ${report.steps})`} numeric value={typed} set={setTyped} />
      <TextField label="Id of the new run (empty: one is chosen)" max={60} value={as} set={setAs} />
      <TextField
        label="Settings that differ, as YAML (optional)"
        rows={4}
        value={yaml}
        set={setYaml}
        placeholder={'seed: 7\nlimits:\n  steps: 100'}
      />
    </Confirm>
  );
};

export const ActionDialog = ({ verb, ...props }: DialogProps & { readonly verb: Exclude<RunVerb, 'set'> }) => {
  switch (verb) {
    case 'pause':
    case 'stop':
      return <Waiting verb={verb} {...props} />;
    case 'resume':
    case 'export':
      return <Plain verb={verb} {...props} />;
    case 'retry':
      return <Retry {...props} />;
    case 'extend':
      return <Extend {...props} />;
    case 'hint':
      return <Hint {...props} />;
    case 'inject':
      return <Inject {...props} />;
    case 'rewind':
      return <Rewind {...props} />;
    case 'fork':
      return <Fork {...props} />;
  }
};
