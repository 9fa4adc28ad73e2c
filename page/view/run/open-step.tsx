// The open step of a run: what is answered, evaluated and under way, while nothing of it is committed yet.
import { useEffect } from 'preact/hooks';
import { hasEnded } from '../../../evolution/run-states.ts';
import { inStepText } from '../../../evolution/reports/in-step.ts';
import type { OpenStep, Work } from '../../api/run/open-step.ts';
import type { RunReport } from '../../api/run/runs.ts';
import { useServerTime } from '../base/clock.tsx';
import { Foreign } from '../base/parts.tsx';
import { runPath, tell, theSource, useAnswer } from '../base/state.ts';
import { counted, duration, score } from '../base/text.ts';

/** The counts of a step are asked for so often while somebody looks. */
const LOOK_MS = 3_000;
/** So many times of one kind of work are named. */
const MOST_TIMES = 6;

export const OpenStepStrip = ({ report }: { readonly report: RunReport }) => {
  const { run, state } = report;
  const isOpen = !hasEnded({ status: state }) && state !== 'queued' && theSource().site.exported === null;
  const topic = `open step ${run}`;
  useEffect(() => {
    if (!isOpen) return undefined;
    const timer = setInterval(() => document.hidden || tell(topic), LOOK_MS);
    return () => clearInterval(timer);
  }, [isOpen, topic]);
  const { value } = useAnswer<OpenStep | null>(isOpen ? runPath(run, 'open-step') : null, topic);
  // A step that is parked has nothing under way, and the run says how it waits.
  const rests = report.parked !== null && value?.work.length === 0;
  return value === null || rests ? null : <Strip open={value} stream={report.stream} />;
};

const Strip = ({ open, stream }: { readonly open: OpenStep; readonly stream: boolean }) => {
  const { step, sinceMs, counts, work, made, atMs } = open;
  const now = useServerTime(atMs);
  const text = [
    ...(counts === null ? [] : [inStepText(counts, stream)]),
    ...(sinceMs === null ? [] : [timeOf(now - sinceMs)]),
  ].join(', ');
  return (
    <section class="card whole open-step" aria-label="The open step">
      <p class="line">
        <strong>{stream ? `Stream, from step ${step} on` : `Step ${step}`}</strong> <span>{text}</span>
        {counts === null || stream || counts.total === 0 ? null : (
          <progress
            value={counts.responses + counts.evaluated}
            max={counts.total + counts.toEvaluate}
            aria-label={text}
          />
        )}
      </p>
      {made === null ? null : (
        <div class="soft">
          Not committed: {made.valid} valid of {counted(made.programs, 'program')}
          {made.best === null ? (
            ''
          ) : (
            <>
              , the best <strong>{score(made.best.ranking)}</strong> is a new best
            </>
          )}
        </div>
      )}
      {work.map((one) => (
        <WorkLine key={one.activity} work={one} now={now} />
      ))}
    </section>
  );
};

const timeOf = (ms: number): string => duration(Math.max(0, Math.round(ms / 1000)));

const NAMES: { readonly [activity: string]: string } = {
  generate: 'asking the model',
  generateBatch: 'asking the model',
  ask: 'asking the model beside programs',
  embed: 'asking for embeddings',
  applyResponses: 'applying edits',
  evaluate: 'evaluating',
  commitStep: 'committing',
  planStep: 'choosing parents',
};

type WorkProps = { readonly work: Work; readonly now: number };

const WorkLine = ({ work: { activity, sinceMs, waiting, failing, printed }, now }: WorkProps) => {
  const times = sinceMs.slice(0, MOST_TIMES).map((since) => timeOf(now - since));
  const more = sinceMs.length > MOST_TIMES ? ` and ${sinceMs.length - MOST_TIMES} more` : '';
  return (
    <div class="soft">
      {NAMES[activity] ?? activity}
      {times.length === 0 ? '' : ` for ${times.join(', ')}${more}`}
      {waiting === 0 ? '' : `; ${waiting} wait`}
      {failing === null ? null : (
        <span class="failing">
          ; try {failing.attempt}
          {failing.attempts === null ? '' : ` of ${failing.attempts}`}, because <Foreign text={failing.why} />
        </span>
      )}
      {printed.map((text, index) => (
        <pre key={index} aria-label="the last lines of a running program">
          <Foreign text={text} />
        </pre>
      ))}
    </div>
  );
};
