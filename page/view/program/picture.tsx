// The solution that a program returned: as a picture where its shape has one, and as text. The picture is an image made
// of a blob, so nothing in it can act on the page.
import { useEffect, useState } from 'preact/hooks';
import { pictureOf } from '../../api/pictures/solution.ts';
import { type ProgramFacts, type ProgramSolution, solutionPath, type TaskFacts } from '../../api/program/programs.ts';
import { Nothing, When } from '../base/parts.tsx';
import { useAnswer } from '../base/state.ts';
import { Copy, LongText } from './code.tsx';

/** A longer solution is fetched when somebody asks for it. */
const AT_ONCE = 300_000;

/** An address of these bytes, or null while there is none. */
export const useBlob = (content: string | Uint8Array<ArrayBuffer> | null, type = 'image/svg+xml'): string | null => {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (content === null) return undefined;
    const blobUrl = URL.createObjectURL(new Blob([content], { type }));
    setUrl(blobUrl);
    return () => {
      URL.revokeObjectURL(blobUrl);
      setUrl(null);
    };
  }, [content, type]);
  return url;
};

type Props = { readonly run: string; readonly facts: ProgramFacts; readonly task: TaskFacts };

export const Picture = ({ run, facts, task }: Props) => {
  const { id, solutionLength } = facts;
  const isShort = solutionLength !== null && solutionLength <= AT_ONCE;
  const answer = useAnswer<ProgramSolution>(isShort ? solutionPath(run, id) : null);
  const picture =
    answer.value?.solution == null
      ? null
      : pictureOf(answer.value.solution, {
          ...{ title: id, score: facts.score, strictScore: facts.strictScore, picture: task.picture },
        });
  const url = useBlob(picture?.svg ?? null);
  return picture === null || url === null ? null : (
    <figure class="card picture">
      <img src={url} alt={`Picture of the solution: ${picture.says}`} />
    </figure>
  );
};

export const Solution = ({ run, facts }: Pick<Props, 'run' | 'facts'>) => {
  const [isWanted, want] = useState((facts.solutionLength ?? 0) <= AT_ONCE);
  const answer = useAnswer<ProgramSolution>(
    isWanted && facts.solutionLength !== null ? solutionPath(run, facts.id) : null,
  );
  if (facts.solutionLength === null) return <Nothing>It returned no solution that is kept.</Nothing>;
  if (!isWanted)
    return (
      <button type="button" onClick={() => want(true)}>
        Fetch the solution, {Math.ceil(facts.solutionLength / 1024)} KiB
      </button>
    );
  return (
    <When answer={answer} what="the solution">
      {({ solution }) => (
        <>
          <Copy text={solution ?? ''} what="solution" />
          <LongText text={solution ?? ''} label="The solution" />
        </>
      )}
    </When>
  );
};
