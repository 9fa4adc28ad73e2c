// The evaluation of a program: its run in the sandbox, the metrics of the evaluator, and its output.
import type { ComponentChildren } from 'preact';
import { spentText } from '../../../evolution/scoring/spent.ts';
import type { ProgramFacts, TaskFacts } from '../../api/program/programs.ts';
import { Figure, Nothing } from '../base/parts.tsx';
import { Table } from '../base/tables.tsx';
import { count, duration, score, shown } from '../base/text.ts';
import { Artifacts } from './artifacts.tsx';
import { LongText } from './code.tsx';

const MIB = 2 ** 20;

type Props = { readonly run: string; readonly facts: ProgramFacts; readonly task: TaskFacts | null };

export const Evaluation = ({ run, facts, task }: Props) => {
  const { evaluated, hidden, edit } = facts;
  return (
    <div class="evaluation">
      {facts.scoresInvented ? (
        <p class="away">The scores of this run are invented: no program was run (evaluation.sandbox: noop).</p>
      ) : null}
      {edit === null ? null : <Edits edit={edit} />}
      {evaluated === null ? (
        <Nothing>It was not run, because its outcome was decided before.</Nothing>
      ) : (
        <Execution evaluated={evaluated} task={task}>
          <Artifacts run={run} id={facts.id} kept={evaluated.artifacts ?? []} />
        </Execution>
      )}
      {hidden === null ? null : <Hidden hidden={hidden} />}
    </div>
  );
};

const Edits = ({ edit }: { readonly edit: NonNullable<ProgramFacts['edit']> }) => {
  const { blocks, reason: whole, unmatched, ambiguous } = edit;
  if (whole === null && unmatched.length + ambiguous.length === 0) return null;
  return (
    <section class="card">
      <h3>Its answer as edits</h3>
      <p>{count(blocks)} blocks.</p>
      <ul>
        {whole === null ? null : <li>{shown(whole)}</li>}
        {[...unmatched, ...ambiguous].map(({ block, reason }) => (
          <li>
            block {block}: {shown(reason)}
          </li>
        ))}
      </ul>
    </section>
  );
};

type ExecutionProps = { readonly evaluated: NonNullable<ProgramFacts['evaluated']>; readonly task: TaskFacts | null };

/** Its children stand behind the metrics. */
const Execution = ({ evaluated, task, children }: ExecutionProps & { readonly children: ComponentChildren }) => {
  const { execution, exitCode, wallMs, cpuMs, peakBytes, isolation, quarantine, modelCalls } = evaluated;
  return (
    <>
      <dl class="figures">
        <Figure name="ended">{execution.replaceAll('_', ' ')}</Figure>
        <Figure name="exit code">{exitCode ?? 'none'}</Figure>
        <Figure name="time">{duration(wallMs / 1000)}</Figure>
        <Figure name="CPU time">{cpuMs === null ? 'not known' : duration(cpuMs / 1000)}</Figure>
        <Figure name="memory">{peakBytes === null ? 'not known' : `${count(peakBytes / MIB)} MiB`}</Figure>
        <Figure name="isolation">{isolation}</Figure>
        {modelCalls === undefined ? null : <Figure name="model calls of the evaluator">{modelCalls}</Figure>}
      </dl>
      {quarantine === undefined ? null : (
        <p class="away">
          {quarantine.held ? 'Held back' : 'Not believed at once, then released'}: {shown(quarantine.reason)}. With
          other seeds: {quarantine.again.map((one) => score(one.score)).join(', ') || 'none yet'}.
        </p>
      )}
      <Stages stages={evaluated.stages ?? []} />
      <Spent evaluated={evaluated} task={task} />
      <Metrics metrics={evaluated.metrics} meanings={task?.metrics ?? {}} />
      {children}
      <Output title="What it wrote to its error output" text={evaluated.stderrTail} />
      <Output title="What it wrote to its output" text={evaluated.stdoutTail} />
    </>
  );
};

const Stages = ({ stages }: { readonly stages: NonNullable<ExecutionProps['evaluated']['stages']> }) =>
  stages.length === 0 ? null : (
    <Table
      label="Stages"
      of={stages}
      columns={[
        ['stage', ({ name }) => shown(name)],
        ['score', (one) => score(one.score), 'number'],
        ['CPU time', ({ cpuMs }) => (cpuMs === null ? 'not known' : duration(cpuMs / 1000)), 'number'],
        ['what became of it', ({ outcome, passed }) => (passed ? outcome : 'ended there').replaceAll('_', ' ')],
      ]}
    />
  );

/** By the program's own word, and the scores of what it saved on its way. */
const Spent = ({ evaluated, task }: ExecutionProps) => {
  const text = spentText(evaluated, task?.direction ?? null);
  const scores = evaluated.saves?.scores ?? [];
  return text === '' ? null : (
    <section class="card">
      <h3>Where its time went</h3>
      <p>{shown(text)}</p>
      {scores.length === 0 ? null : (
        <Table
          label="The score of what it saved"
          of={scores}
          columns={[
            ['CPU time', ({ seconds }) => (seconds === null ? 'not known' : duration(seconds)), 'number'],
            ['score of what it had saved', (one) => score(one.score), 'number'],
          ]}
        />
      )}
    </section>
  );
};

type MetricsProps = {
  readonly metrics: ExecutionProps['evaluated']['metrics'];
  readonly meanings: TaskFacts['metrics'];
};

const Metrics = ({ metrics, meanings }: MetricsProps) =>
  Object.keys(metrics).length === 0 ? null : (
    <Table
      label="Metrics"
      of={Object.entries(metrics)}
      columns={[
        ['metric', ([name]) => shown(name)],
        ['value', ([, value]) => (typeof value === 'number' ? score(value) : shown(String(value))), 'number'],
        ['what it says', ([name]) => shown(Object.hasOwn(meanings, name) ? meanings[name]! : '')],
      ]}
    />
  );

const Output = ({ title, text }: { readonly title: string; readonly text: string }) =>
  text.trim() === '' ? null : (
    <section class="card">
      <h3>{title}</h3>
      <LongText text={text} label={title} />
    </section>
  );

const Hidden = ({ hidden }: { readonly hidden: NonNullable<ProgramFacts['hidden']> }) => (
  <section class="card">
    <h3>On hidden instances</h3>
    <p>
      {hidden.outcome.replaceAll('_', ' ')}, score {score(hidden.score)}
      {hidden.initial === null ? '' : `; the initial program has ${score(hidden.initial)} there`}
      {hidden.direction === null ? '' : ` (${hidden.direction})`}. No run is ranked by it, and no model reads it.
    </p>
    {hidden.reasons.map((reason) => (
      <p>{shown(reason)}</p>
    ))}
  </section>
);
