/**
 * DELIVERY_BURST_THRESHOLD of services that do not choose one. Tests look for a delivery's own workflow, and a starved machine begins
 * none within 50 ms: a number switches that rule off. POSTHORN_TEST_THRESHOLD=default runs the tests with it (docs/testing.md).
 */
const given = process.env['POSTHORN_TEST_THRESHOLD'] ?? '100';
export const TEST_THRESHOLD = given === 'default' ? '' : given;
