// One program: its score beside others, its change, its code, the requests to models for it, and its evaluation. The
// address says which part is shown.
import { type ProgramFacts, programPath, type TaskFacts, taskPath } from '../../api/program/programs.ts';
import { idOf, recordsOf, rowOf, type Rows } from '../../api/rows/rows.ts';
import { rankingScore } from '../../../evolution/scoring/ranking.ts';
import { StepActions } from '../actions/bar.tsx';
import { MarkBadge, MarkButton, MarkWords } from '../actions/mark.tsx';
import { Figure, Items, Nothing, When } from '../base/parts.tsx';
import { linkTo, route, setAside, setQuery, useAnswer } from '../base/state.ts';
import { count, outcomeName, score, shown } from '../base/text.ts';
import type { RunViewProps } from '../base/view.ts';
import { useProgramMarks } from '../rows/marks.ts';
import { useRows } from '../rows/rows.ts';
import { shortId } from '../table/cells.ts';
import { Against, CompareWith } from './against.tsx';
import { Asked } from './asked.tsx';
import { Beside } from './beside.tsx';
import { Code, Copy } from './code.tsx';
import { Delta, Idea } from './delta.tsx';
import { Evaluation } from './evaluation.tsx';
import { Family, Neighbours, ProgramName } from './family.tsx';
import { Picture, Solution } from './picture.tsx';

const PARTS = [
  ['code', 'Code'],
  ['parent', 'Diff to parent'],
  ['best', 'Diff to best'],
  ['with', 'Compare with …'],
  ['asked', 'Prompt and answer'],
  ['judged', 'Evaluation'],
  ['solution', 'Solution'],
] as const;
type PartName = (typeof PARTS)[number][0];

export const ProgramView = ({ run, path }: RunViewProps) => {
  const id = path[0] ?? '';
  const facts = useAnswer<ProgramFacts>(id === '' ? null : programPath(run, id), setAside(run));
  const task = useAnswer<TaskFacts>(taskPath(run));
  const { rows } = useRows(run).value;
  if (id === '')
    return (
      <Nothing>
        No program is named. <a href={linkTo(['run', run, 'programs'])}>All programs</a>
      </Nothing>
    );
  return (
    <When answer={facts} what="the program">
      {(program) => <Program key={id} run={run} facts={program} task={task.value} rows={rows} />}
    </When>
  );
};

type Props = {
  readonly run: string;
  readonly facts: ProgramFacts;
  readonly task: TaskFacts | null;
  readonly rows: Rows | null;
};

const Program = ({ run, facts, task, rows }: Props) => {
  const row = rows === null ? -1 : rowOf(rows, facts.id);
  const parentId = facts.cause.from;
  const parentRow = rows === null || parentId === null ? -1 : rowOf(rows, parentId);
  const best = rows === null ? undefined : recordsOf(rows).at(-1);
  const bestId = rows === null || best === undefined ? null : idOf(rows, best);
  const firstId = rows === null || rows.rows === 0 ? null : idOf(rows, 0);
  const scoring = task?.scoring ?? 'tolerant';
  const mark = useProgramMarks(run)[facts.id] ?? null;
  return (
    <article class="program" aria-labelledby="program-title">
      <div class="title">
        <h2 id="program-title">
          Program <bdi class="id">{shortId(facts.id, run)}</bdi>
        </h2>
        <span class={`outcome ${facts.outcome.replaceAll('_', '-')}`}>{outcomeName(facts.outcome)}</span>
        {bestId === facts.id ? <span class="badge good">best of the run</span> : null}
        {facts.superseded ? <span class="badge bad">set aside by a rewind</span> : null}
        {facts.scoresInvented ? <span class="badge wait">invented score</span> : null}
        <MarkBadge mark={mark} />
        <Copy text={facts.id} what="id" />
        <MarkButton run={run} program={facts.id} mark={mark} />
        {rows === null || row < 0 ? null : <Neighbours run={run} rows={rows} row={row} />}
      </div>
      <MarkWords mark={mark} />
      <Figures facts={facts} scoring={scoring} run={run} />
      {facts.superseded ? null : <StepActions run={run} step={facts.step} />}
      {facts.reasons.length === 0 ? null : <Items class="reasons" of={facts.reasons} />}
      <div class="columns">
        <div class="aside">
          {task === null ? null : <Beside {...{ run, facts, task, rows, parentRow }} />}
          <Delta facts={facts} />
          <Idea facts={facts} />
        </div>
        <Parts {...{ run, facts, task, rows, parentId, bestId, firstId }} />
        <div class="aside later">
          {task === null ? null : <Picture run={run} facts={facts} task={task} />}
          {rows === null || row < 0 ? null : <Family {...{ run, rows, row, scoring }} />}
        </div>
      </div>
    </article>
  );
};

/** The parts of a program of which one is shown. */
const Parts = (props: PartProps) => {
  const named = route.value.query.get('show');
  const show = PARTS.find(([name]) => name === named)?.[0] ?? 'code';
  return (
    <div class="main-part">
      <div class="part-names" role="group" aria-label="What is shown of the program">
        {PARTS.map(([name, title]) => (
          <button
            type="button"
            aria-pressed={show === name}
            onClick={() => setQuery({ show: name === 'code' ? null : name })}
          >
            {title}
          </button>
        ))}
      </div>
      <Part {...props} name={show} />
    </div>
  );
};

type FiguresProps = Pick<Props, 'run' | 'facts'> & Pick<TaskFacts, 'scoring'>;

const Figures = ({ facts, scoring, run }: FiguresProps) => (
  <dl class="figures">
    {score(facts.score) === score(facts.strictScore) ? (
      <Figure name="score">{score(facts.score)}</Figure>
    ) : (
      <>
        <Figure name={scoring === 'strict' ? 'score that ranks (strict)' : 'score that ranks'}>
          {score(rankingScore(facts, scoring))}
        </Figure>
        <Figure name={scoring === 'strict' ? 'tolerant score' : 'strict score'}>
          {score(scoring === 'strict' ? facts.score : facts.strictScore)}
        </Figure>
      </>
    )}
    <Figure name="reward">{score(facts.reward, 4)}</Figure>
    <Figure name="length">{count(facts.length)} characters</Figure>
    <Figure name="step">
      <a href={linkTo(['run', run, 'programs'], { step: facts.step })}>{count(facts.step)}</a>
    </Figure>
    <Figure name="island">
      <a href={linkTo(['run', run, 'programs'], { island: facts.island })}>{facts.island}</a>
    </Figure>
    {facts.cause.kind === 'child' ? null : <Figure name="origin">{shown(facts.cause.words)}</Figure>}
    {facts.sameAs === undefined ? null : (
      <Figure name="same as">
        <ProgramName run={run} id={facts.sameAs} />
      </Figure>
    )}
    {facts.edit?.duplicateOf == null ? null : (
      <Figure name="duplicate of">
        <ProgramName run={run} id={facts.edit.duplicateOf} />
      </Figure>
    )}
  </dl>
);

type PartProps = Props & { readonly [id in 'parentId' | 'bestId' | 'firstId']: string | null };

const Part = ({ name, run, facts, task, rows, parentId, bestId, firstId }: PartProps & { readonly name: PartName }) => {
  const { id, code } = facts;
  const language = task?.language ?? 'python';
  const about = { run, facts, language };
  switch (name) {
    case 'code':
      return code === null ? (
        <Nothing>No code came of its answer.</Nothing>
      ) : (
        <>
          <Copy text={code} what="code" />
          <Code text={code} label={`Code of ${shown(id)}`} language={language} />
        </>
      );
    case 'parent':
      return <Against {...about} other={parentId} none="It was made from no other program." />;
    case 'best':
      return bestId === id ? (
        <Nothing>This is the best program of the run.</Nothing>
      ) : (
        <Against {...about} other={bestId} none="The run has no best program yet." />
      );
    case 'with':
      return <CompareWith {...about} rows={rows} initial={firstId} />;
    case 'asked':
      return <Asked run={run} id={id} />;
    case 'judged':
      return <Evaluation run={run} facts={facts} task={task} />;
    case 'solution':
      return <Solution run={run} facts={facts} />;
  }
};
