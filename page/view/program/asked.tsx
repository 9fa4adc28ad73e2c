// The requests to models for a program and their answers, as they were sent: every call of its group in order, every
// message with its role.
import { askedPath, type ProgramAsked } from '../../api/program/programs.ts';
import { Figure, Nothing, When } from '../base/parts.tsx';
import { useAnswer } from '../base/state.ts';
import { count, shown, dollars } from '../base/text.ts';
import { Copy, LongText } from './code.tsx';
import { ProgramName } from './family.tsx';

type Stage = ProgramAsked['stages'][number];
type Answer = NonNullable<ProgramAsked['answer']>;

const STAGES: { readonly [stage in Stage['stage']]: string } = {
  idea: 'Asked for an idea',
  judge: 'Asked to judge the idea',
  meta: 'Asked for a better prompt',
  program: 'Asked for the program',
  notes: 'Asked for notes on the run',
  novelty: 'Asked whether it is new',
  repair: 'Asked to mend its answer',
  delta: 'Asked for the delta that was left out',
  evaluator: 'Asked by the evaluator of the task',
};

const Message = ({ role, text, open }: { readonly role: string; readonly text: string; readonly open: boolean }) => (
  <details open={open} class="message">
    <summary>
      {role} <span class="soft">{count(text.length)} characters</span>
    </summary>
    <LongText text={text} label={`Message of ${role}`} />
    <Copy text={text} what="message" />
  </details>
);

const Reply = ({ answer }: { readonly answer: Omit<Answer, 'policy'> & { readonly policy?: string | null } }) => (
  <div class="reply">
    <dl class="figures">
      <Figure name="model">{shown(answer.model)}</Figure>
      {answer.policy == null ? null : <Figure name="policy">{shown(answer.policy)}</Figure>}
      <Figure name="tokens in">{count(answer.usage.in)}</Figure>
      <Figure name="tokens out">{count(answer.usage.out)}</Figure>
      {answer.usage.cached === undefined ? null : <Figure name="of those cached">{count(answer.usage.cached)}</Figure>}
      {answer.usage.reasoning === undefined ? null : (
        <Figure name="of those reasoning">{count(answer.usage.reasoning)}</Figure>
      )}
      <Figure name="cost">{answer.costUsd === null ? 'unknown' : dollars(answer.costUsd)}</Figure>
      <Figure name="ended by">{shown(answer.finishReason ?? 'nothing said')}</Figure>
    </dl>
    <p class="soft">The answers to a prompt share its tokens.</p>
    {answer.reasoning === null ? null : <Message role="reasoning" text={answer.reasoning} open={false} />}
    {answer.text === null ? (
      <Nothing>Its text was removed.</Nothing>
    ) : (
      <Message role="answer" text={answer.text} open />
    )}
  </div>
);

export const Asked = ({ run, id }: { readonly run: string; readonly id: string }) => (
  <When answer={useAnswer<ProgramAsked>(askedPath(run, id))} what="prompts and answers">
    {({ stages, answer, shownBeside, unanswered }) =>
      stages.length === 0 && answer === null ? (
        <Nothing>No model was asked for this program.</Nothing>
      ) : (
        <div class="asked">
          {stages.map((stage) => (
            <Call {...{ run, stage, shownBeside }} answer={stage.stage === 'program' ? answer : stage.answer} />
          ))}
          {unanswered === null ? null : (
            <p class="soft">
              {count(unanswered.requests)} requests for it were sent without an answer that counts: about{' '}
              {count(unanswered.tokens.in + unanswered.tokens.out)} tokens and {dollars(unanswered.costUsd)}, counted
              for its step.
            </p>
          )}
        </div>
      )
    }
  </When>
);

type CallProps = {
  readonly run: string;
  readonly stage: Stage;
  readonly answer: Parameters<typeof Reply>[0]['answer'] | null;
  readonly shownBeside: ProgramAsked['shownBeside'];
};

const Call = ({ run, stage: { stage, messages }, answer, shownBeside }: CallProps) => {
  const isProgram = stage === 'program';
  return (
    <section class="card">
      <h3>{STAGES[stage]}</h3>
      {isProgram && shownBeside.length > 0 ? (
        <p>
          Shown beside the parent:{' '}
          {shownBeside.map(({ id, role }, index) => (
            <>
              {index === 0 ? '' : ', '}
              <ProgramName run={run} id={id} /> ({role})
            </>
          ))}
        </p>
      ) : null}
      {messages.map(({ role, content }, index) => (
        <Message role={role} text={content} open={isProgram && index === messages.length - 1} />
      ))}
      {answer === null ? (
        <p class="soft">{isProgram ? 'No answer is stored.' : 'No answer came.'}</p>
      ) : (
        <Reply answer={answer} />
      )}
    </section>
  );
};
