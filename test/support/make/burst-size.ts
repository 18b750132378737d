/** Messages of the burst in test/automations/many-runs.whole.test.ts; `npm run many-runs` makes it 5,000. */
export const BURST_SIZE = Number(process.env['POSTHORN_TEST_RUNS'] ?? '200');
/** Races of test/automations/wait-races.whole.test.ts; `npm run wait-races` makes it 1,000. */
export const RACES = Number(process.env['POSTHORN_TEST_RACES'] ?? '60');
