// Why a run of a sweep has stopped, in the words that stand in its document: what a sweep that is started again goes by.

/** The reason of a run that rests at a rung. */
export const rungReason = (programs: number, sweep: string): string => `rung ${programs} of sweep ${sweep}`;

/** The reason that a sweep gives its runs when it is stopped itself. */
export const withSweep = (sweep: string, reason: string | undefined): string => `with sweep ${sweep}${reason ? `: ${reason}` : ''}`;

/** What a run writes when it is told to stop. */
export const byPerson = (reason: string | undefined): string => `stopped by a person${reason ? `: ${reason}` : ''}`;

/** Programs of the rung at which a stopped run rests; 0 when it stopped with its sweep and goes on whenever that does; null when it came to an
 *  end of its own. */
export const restOf = (stopReason: string | null): number | null => {
  const rung = /^rung (\d+) of sweep /.exec(stopReason ?? '')?.[1];
  if (rung !== undefined) return Number(rung);
  return /^stopped by a person: with sweep /.test(stopReason ?? '') ? 0 : null;
};
