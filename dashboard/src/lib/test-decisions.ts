import { jsonTree, valueText, withValue } from './json-edit.ts';

/** The decision of an approval in a test run. `custom`: its simulated response says something else. */
export type TestDecision = 'approved' | 'rejected' | 'timeout' | 'custom';

/**
 * Returns the decision that the simulated responses contain for an approval. An approval without a response times out.
 */
export function decisionIn(mocks: string, id: string): TestDecision {
  const tree = jsonTree(mocks);
  if (valueText(mocks, tree, [id]) === undefined) return 'timeout';
  const decision = valueText(mocks, tree, [id, 'output', 'decision']);
  return decision === '"approved"' ? 'approved' : decision === '"rejected"' ? 'rejected' : 'custom';
}

/** Returns the simulated responses with a decision for an approval. */
export function withDecision(mocks: string, id: string, decision: TestDecision): string {
  const before = mocks.trim() === '' ? '{}' : mocks;
  if (decision === 'custom') return mocks;
  if (decision === 'timeout') {
    const without = withValue(before, [id], undefined);
    return /^\{\s*\}$/.test(without.trim()) ? '' : without;
  }
  if (decisionIn(before, id) !== 'timeout') {
    const own = withValue(before, [id, 'error'], undefined);
    if (valueText(own, jsonTree(own), [id, 'output', 'decision']) !== undefined)
      return withValue(own, [id, 'output', 'decision'], JSON.stringify(decision));
  }
  return withValue(before, [id], `{ "output": { "decision": "${decision}", "data": {} } }`);
}

/** Approves approvals that are new and removes those that are gone. `asked`: approvals that already have a decision. */
export function withApprovals(
  { mocks, asked }: { mocks: string; asked: readonly string[] },
  ids: readonly string[],
): { mocks: string; asked: readonly string[] } {
  if (mocks.trim() !== '' && jsonTree(mocks) === undefined) return { mocks, asked };
  const kept = asked.filter((id) => !ids.includes(id)).reduce((text, id) => withDecision(text, id, 'timeout'), mocks);
  const isNew = (id: string): boolean => !asked.includes(id) && decisionIn(kept, id) === 'timeout';
  return { mocks: ids.filter(isNew).reduce((text, id) => withDecision(text, id, 'approved'), kept), asked: ids };
}
