import type { Posthorn } from '../../client/src/index.ts';
import { API_KEYS, channelsOfDemo, DEPLOYMENTS, INSPECTORS, workflowsOfDemo } from './set-up.ts';
import { SECRETS } from './workflows.ts';

/**
 * Removes everything that `--keep` has created in the environment: channels and workflows by their description, the rest by name.
 * Subscriptions end with their channel, and open dead letters are discarded. History, such as deliveries and runs, stays until
 * retention removes it. Returns how many resources there were.
 */
export async function removeShop(posthorn: Posthorn): Promise<number> {
  let removed = 0;
  const remove = async (removal: PromiseLike<unknown>): Promise<void> => {
    await removal;
    removed += 1;
  };

  for (const workflowId of (await workflowsOfDemo(posthorn)).values()) {
    // Runs that wait for an approval would wait for days.
    await posthorn.runs.cancelMany(workflowId, {});
    await discardAll(posthorn, { workflowId });
    await remove(posthorn.workflows.delete(workflowId));
  }
  for (const channelId of (await channelsOfDemo(posthorn)).values()) {
    await discardAll(posthorn, { channelId });
    for (const { id } of await posthorn.webhooks.list({ channelId }).all()) await remove(posthorn.webhooks.delete(id));
    await remove(posthorn.channels.delete(channelId));
  }
  const isOurs =
    (names: readonly string[]) =>
    (each: { name: string }): boolean =>
      names.includes(each.name);
  for (const { id } of (await posthorn.secrets.list().all()).filter(isOurs(SECRETS)))
    await remove(posthorn.secrets.delete(id));
  for (const { id } of (await posthorn.inspectors.list().all()).filter(isOurs(INSPECTORS)))
    await remove(posthorn.inspectors.delete(id));
  for (const { id } of (await posthorn.apiKeys.list({ status: 'active' }).all()).filter(isOurs(API_KEYS)))
    await remove(posthorn.apiKeys.revoke(id));
  for (const { id } of (await posthorn.marks.list().all()).filter(isOurs(DEPLOYMENTS.map(({ name }) => name))))
    await remove(posthorn.marks.delete(id));
  return removed;
}

async function discardAll(posthorn: Posthorn, of: { channelId: string } | { workflowId: string }): Promise<void> {
  // One request discards a limited number.
  let left = 1;
  while (left > 0) left = (await posthorn.deadLetters.discardAll(of)).left;
}
