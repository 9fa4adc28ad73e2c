// How much is tested. `npm run test:full`: every cheat against every task, long programs in full length, whole runs where
// `npm test` takes their first steps (docs/testing.md).
export const FULL = process.env['EVOLVE_TEST_FULL'] === '1';
