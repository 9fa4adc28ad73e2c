// What became of a new version of a run's task, in one clause.

type Update = { readonly step: number | null; readonly refused?: string | null };

export const rescoringText = ({ step, refused = null }: Update): string =>
  refused !== null
    ? `a new version was refused, and the run goes on with the one before: ${refused}`
    : step === null
      ? 'a new version waits for the end of the step under way, and scores the programs again then'
      : `scored again in step ${step} by a new version; scores of earlier steps are by the version before`;
