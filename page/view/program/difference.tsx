// What differs between two programs: side by side where there is room, else one below the other. The worker finds it.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Block, blocksOf, commonEnds, type DiffLine, foldedLines, linesOf, paired } from '../../data/diff.ts';
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

/** A line with what differs from the other one marked. Marks that would cover nearly all of it say nothing. */
const marked = (line: string, other: string | undefined, tag: 'del' | 'ins') => {
  const text = line.length > LINE ? `${line.slice(0, LINE)} …` : line;
  if (other === undefined) return shown(text);
  const [head, tail] = commonEnds(text, other);
  if (head + tail === 0 || head + tail >= text.length || head + tail < text.length / 3) return shown(text);
  const Tag = tag;
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

const Fold = ({
  line,
  columns,
  onOpen,
}: {
  readonly line: Extract<DiffLine, { readonly kind: 'fold' }>;
  readonly columns: number;
  readonly onOpen: (block: number) => void;
}) => (
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
      const [old, now] = [
        pair.before === null ? undefined : before[pair.before],
        pair.after === null ? undefined : after[pair.after],
      ];
      const changed = !pair.same;
      return (
        <tr>
          <td class="place">{pair.before === null ? '' : pair.before + 1}</td>
          <td class={old === undefined ? 'none' : changed ? 'went' : 'kept'}>
            {old === undefined ? '' : marked(old, changed ? now : undefined, 'del')}
          </td>
          <td class="place">{pair.after === null ? '' : pair.after + 1}</td>
          <td class={now === undefined ? 'none' : changed ? 'came' : 'kept'}>
            {now === undefined ? '' : marked(now, changed ? old : undefined, 'ins')}
          </td>
        </tr>
      );
    })}
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
          <td class={line.kind === 'same' ? 'kept' : line.kind}>{marked(text, undefined, 'ins')}</td>
        </tr>
      );
    })}
  </>
);

export const Difference = ({
  before,
  after,
  names,
}: {
  readonly before: string;
  readonly after: string;
  readonly names: readonly [before: string, after: string];
}) => {
  const [found, setFound] = useState<{ readonly blocks: readonly Block[]; readonly of: string } | null>(null);
  const [failed, setFailed] = useState<string | null>(null);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [most, setMost] = useState(LINES);
  const wide = useWide();
  useEffect(() => {
    let here = true;
    setOpened(new Set());
    setMost(LINES);
    askCompare(before, after).then(
      (lengths) => here && setFound({ blocks: blocksOf(lengths), of: `${before}\0${after}` }),
      (error: unknown) => here && setFailed(String(error)),
    );
    return () => {
      here = false;
    };
  }, [before, after]);
  const sides = useMemo(() => ({ before: linesOf(before), after: linesOf(after) }), [before, after]);
  if (failed !== null)
    return (
      <p class="error" role="alert">
        {failed}
      </p>
    );
  if (found === null || found.of !== `${before}\0${after}`)
    return (
      <p class="busy" role="status">
        Comparing …
      </p>
    );
  const { blocks } = found;
  const changed = blocks.filter(({ same }) => !same);
  if (changed.length === 0) return <p>The two are the same, letter by letter.</p>;
  const went = changed.reduce((sum, { beforeFrom, beforeTo }) => sum + beforeTo - beforeFrom, 0);
  const came = changed.reduce((sum, { afterFrom, afterTo }) => sum + afterTo - afterFrom, 0);
  const all = foldedLines(blocks, opened);
  const lines = all.slice(0, most);
  const onOpen = (block: number): void => setOpened(new Set([...opened, block]));
  return (
    <>
      <p class="soft">
        {count(went)} {went === 1 ? 'line' : 'lines'} went (−), {count(came)} came (+).
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label={`Differences of ${names[0]} and ${names[1]}`}>
        <table class={wide ? 'diff beside' : 'diff'}>
          <colgroup>
            <col class="place" />
            <col />
            {wide ? <col class="place" /> : null}
            {wide ? <col /> : null}
          </colgroup>
          <thead>
            {wide ? (
              <tr>
                <th colSpan={2}>{shown(names[0])}</th>
                <th colSpan={2}>{shown(names[1])}</th>
              </tr>
            ) : (
              <tr>
                <th colSpan={2}>
                  {shown(names[0])} → {shown(names[1])}
                </th>
              </tr>
            )}
          </thead>
          <tbody>
            {wide ? (
              <Beside lines={lines} sides={sides} onOpen={onOpen} />
            ) : (
              <Below lines={lines} sides={sides} onOpen={onOpen} />
            )}
          </tbody>
        </table>
      </div>
      {lines.length < all.length ? (
        <p class="cut">
          Shown: {count(lines.length)} of {count(all.length)} lines.{' '}
          <button type="button" onClick={() => setMost(all.length)}>
            Show all
          </button>
        </p>
      ) : null}
    </>
  );
};
