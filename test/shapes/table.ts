// The table of docs/shapes.md: `npm run shapes -- --table` prints it.
import { SHAPES } from './shapes.ts';

export const tableOf = (): string =>
  [
    '| What is sent | Form | What becomes of it | Source |',
    '| --- | --- | --- | --- |',
    ...SHAPES.map(
      ({ name, form, outcome, source }) => `| ${name} | ${form ?? 'whole, stream'} | ${outcome} | ${source} |`,
    ),
  ].join('\n');
