// The elite archive (ThetaEvolve, section 2, Insertion 4). Called by insertion.ts.
import type { Draft } from './draft.ts';
import type { Member } from './types.ts';

/** Settings may have become smaller since the last step: the worst seats are given up, the oldest of equals first. */
export const trimArchive = ({ archive, settings }: Draft): void => {
  while (archive.size > settings.population.archive) archive.remove(archive.worst()!.id);
};

/** A newcomer takes the seat of an owner it displaced; else a free seat; else that of the worst, which it must beat strictly. */
export const seatNewcomer = (draft: Draft, newcomer: Member, displaced: Member | null): void => {
  const { archive } = draft;
  if (displaced !== null && archive.has(displaced.id)) archive.remove(displaced.id);
  else if (archive.size >= draft.settings.population.archive) {
    const worst = archive.worst();
    if (worst === undefined || !(newcomer.fit > worst.fit)) return;
    archive.remove(worst.id);
  }
  archive.add(newcomer);
};
