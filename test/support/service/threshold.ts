/**
 * Returns DELIVERY_BURST_THRESHOLD for a test that usually has `usual`: POSTHORN_TEST_THRESHOLD overrides it, with `default` for an
 * unset one.
 */
export function thresholdOr(usual: string): string {
  const given = process.env['POSTHORN_TEST_THRESHOLD'] ?? usual;
  return given === 'default' ? '' : given;
}

/**
 * DELIVERY_BURST_THRESHOLD of services that do not choose one. Tests look for a delivery's own workflow, and an overloaded machine
 * starts none within 50 ms: a number switches that rule off. POSTHORN_TEST_THRESHOLD=default runs the tests with it
 * (docs/contributing/testing.md).
 */
export const TEST_THRESHOLD = thresholdOr('100');
