import { api } from '../api/client.ts';
import type { Here } from './session.ts';

const NAME = 'First look';

/**
 * Returns an inspector to send to while there is no endpoint yet: an existing one of this name that answers 200 at
 * once, otherwise a new one. An inspector with another name is someone's own and may be set to fail.
 */
export async function firstInspector(at: Here['at']): Promise<{ name: string; url: string }> {
  const { data } = await api.inspectors.list({ limit: 100 }, at).page();
  const known = data.find(
    ({ name, answer }) => name === NAME && answer.status === 200 && answer.delayMs === 0 && answer.failurePercent === 0,
  );
  return known ?? (await api.inspectors.create({ name: NAME }, at));
}
