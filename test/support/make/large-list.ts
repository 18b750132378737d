const given = process.env['POSTHORN_TEST_ROWS'];

/** Rows of the list that test/dashboard/large-lists.whole.test.ts reads to its end: POSTHORN_TEST_ROWS, for a measurement with 100,000. */
export const LARGE_LIST = { rows: Number(given ?? 5_000), isMeasured: given !== undefined };
