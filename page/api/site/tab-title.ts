// The title of the browser's tab. The view comes first, because a narrow tab shows the beginning alone.
type Named = { readonly name: string; readonly title: string };

export const tabTitle = ({
  place,
  path,
  run,
  views,
  runViews,
}: {
  /** The view of the whole page; `run` for all views of a run. */
  readonly place: string;
  /** The parts of the address after the run. */
  readonly path: readonly string[];
  /** The run or sweep that the address names. */
  readonly run: string | null;
  readonly views: readonly Named[];
  readonly runViews: readonly Named[];
}): string => {
  const all = place === 'run' ? runViews : views;
  const name = place === 'run' ? (path[0] ?? runViews[0]?.name) : place;
  if (place === 'sweeps' && run !== null) return `Sweep ${run} · DurableEvolve`;
  const title = all.find((view) => view.name === name)?.title ?? 'No such view';
  const program = name === 'program' ? path[1] : undefined;
  return [
    program === undefined
      ? title
      : `${title} ${program.startsWith(`${run}:`) ? program.slice(run!.length + 1) : program}`,
    ...(place === 'run' && run !== null ? [run] : []),
    'DurableEvolve',
  ].join(' · ');
};
