// The differences of two programs: side by side where there is room, else one below the other. The worker finds them.
import { useEffect, useMemo, useState } from 'preact/hooks';
import {
  type Block,
  blocksOf,
  commonEnds,
  type DiffLine,
  foldedLines,
  linesOf,
  paired,
} from '../../api/program/diff.ts';
import { Alert, Busy, Cut } from '../base/parts.tsx';
import { Scroll } from '../base/tables.tsx';
import { count, shown } from '../base/text.ts';
import { askCompare } from '../rows/thread.ts';

const WIDE = '(min-width: 1000px)';
/** Lines that are drawn at first, and characters of a line. */
const LINES = 2_000;
const LINE = 2_000;

const useWide = (): boolean => {
  const [wide, setWide] = useState(matchMedia(WIDE).matches);
  useEffect(() => {
    const media = matchMedia(WIDE);
    const read = (): void => setWide(media.matches);
    media.addEventListener('change', read);
    return () => media.removeEventListener('change', read);
  }, []);
  return wide;
};

/** A line whose difference from the other one is marked. Marks that would cover nearly all of it say nothing. */
const marked = (line: string, other: string | null, Tag: 'del' | 'ins') => {
  const text = line.length > LINE ? `${line.slice(0, LINE)} …` : line;
  if (other === null) return shown(text);
  const [head, tail] = commonEnds(text, other);
  if (head + tail === 0 || head + tail >= text.length || head + tail < text.length / 3) return shown(text);
  return (
    <>
      {shown(text.slice(0, head))}
      <Tag>{shown(text.slice(head, text.length - tail))}</Tag>
      {shown(text.slice(text.length - tail))}
    </>
  );
};

type Sides = { readonly before: readonly string[]; readonly after: readonly string[] };
type RowsProps = {
  readonly lines: readonly DiffLine[];
  readonly sides: Sides;
  readonly onOpen: (block: number) => void;
};
type FoldProps = Pick<RowsProps, 'onOpen'> & {
  readonly line: Extract<DiffLine, { readonly kind: 'fold' }>;
  readonly columns: number;
};

const Fold = ({ line, columns, onOpen }: FoldProps) => (
  <tr class="fold">
    <td colSpan={columns}>
      <button type="button" onClick={() => onOpen(line.block)}>
        {count(line.count)} equal lines
      </button>
    </td>
  </tr>
);

const Beside = ({ lines, sides: { before, after }, onOpen }: RowsProps) => (
  <>
    {paired(lines).map((pair) => {
      if (pair.kind === 'fold') return <Fold line={pair} columns={4} onOpen={onOpen} />;
      const old = pair.before === null ? null : before[pair.before]!;
      const now = pair.after === null ? null : after[pair.after]!;
      return (
        <tr>
          <Side place={pair.before} line={old} other={pair.same ? null : now} kind={pair.same ? 'kept' : 'went'} />
          <Side place={pair.after} line={now} other={pair.same ? null : old} kind={pair.same ? 'kept' : 'came'} />
        </tr>
      );
    })}
  </>
);

type SideProps = {
  readonly place: number | null;
  readonly line: string | null;
  /** The line that it is compared with; null for none. */
  readonly other: string | null;
  readonly kind: 'kept' | 'went' | 'came';
};

const Side = ({ place, line, other, kind }: SideProps) => (
  <>
    <td class="place">{place === null ? '' : place + 1}</td>
    <td class={line === null ? 'none' : kind}>
      {line === null ? '' : marked(line, other, kind === 'went' ? 'del' : 'ins')}
    </td>
  </>
);

const Below = ({ lines, sides: { before, after }, onOpen }: RowsProps) => (
  <>
    {lines.map((line) => {
      if (line.kind === 'fold') return <Fold line={line} columns={2} onOpen={onOpen} />;
      const text = line.kind === 'went' ? before[line.before]! : after[line.after]!;
      return (
        <tr>
          <td class="place">{line.kind === 'went' ? line.before + 1 : line.after + 1}</td>
          <td class={line.kind === 'same' ? 'kept' : line.kind}>{marked(text, null, 'ins')}</td>
        </tr>
      );
    })}
  </>
);

type Props = {
  readonly before: string;
  readonly after: string;
  readonly names: readonly [before: string, after: string];
};

/** The blocks of two texts that the worker found; null while it looks for them. */
const useBlocks = (before: string, after: string) => {
  const of = `${before}\0${after}`;
  const [blocks, setBlocks] = useState<{ readonly of: string; readonly list: readonly Block[] } | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    let here = true;
    askCompare(before, after).then(
      (lengths) => here && setBlocks({ of, list: blocksOf(lengths) }),
      (failure: unknown) => here && setError(String(failure)),
    );
    return () => {
      here = false;
    };
  }, [of]);
  return { blocks: blocks?.of === of ? blocks.list : null, error };
};

export const Difference = (props: Props) => {
  const { before, after } = props;
  const { blocks, error } = useBlocks(before, after);
  if (error !== null) return <Alert>{error}</Alert>;
  if (blocks === null) return <Busy>Comparing …</Busy>;
  const changed = blocks.filter(({ same }) => !same);
  if (changed.length === 0) return <p>The two are the same, letter by letter.</p>;
  const went = changed.reduce((sum, { beforeFrom, beforeTo }) => sum + beforeTo - beforeFrom, 0);
  const came = changed.reduce((sum, { afterFrom, afterTo }) => sum + afterTo - afterFrom, 0);
  return (
    <>
      <p class="soft">
        {count(went)} {went === 1 ? 'line' : 'lines'} went (−), {count(came)} came (+).
      </p>
      <Blocks key={`${before}\0${after}`} {...props} blocks={blocks} />
    </>
  );
};

const Blocks = ({ before, after, names, blocks }: Props & { readonly blocks: readonly Block[] }) => {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [most, setMost] = useState(LINES);
  const wide = useWide();
  const sides = useMemo(() => ({ before: linesOf(before), after: linesOf(after) }), [before, after]);
  const all = foldedLines(blocks, opened);
  const lines = all.slice(0, most);
  const Lines = wide ? Beside : Below;
  return (
    <>
      <Scroll label={`Differences of ${names[0]} and ${names[1]}`}>
        <table class={wide ? 'diff beside' : 'diff'}>
          <colgroup>
            <col class="place" />
            <col />
            {wide ? <col class="place" /> : null}
            {wide ? <col /> : null}
          </colgroup>
          <thead>
            <tr>
              {(wide ? names : [names.join(' → ')]).map((name) => (
                <th colSpan={2}>{shown(name)}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Lines lines={lines} sides={sides} onOpen={(block) => setOpened(new Set([...opened, block]))} />
          </tbody>
        </table>
      </Scroll>
      <Cut shown={lines.length} of={all.length} unit="lines" onAll={() => setMost(all.length)} />
    </>
  );
};
