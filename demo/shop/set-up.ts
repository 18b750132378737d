import { randomBytes } from 'node:crypto';
import type { Inspector, Posthorn, Subscription, Webhook } from '../../client/src/index.ts';
import { CHANNELS, type ChannelName } from './events.ts';
import { setUpInbound } from './inbound.ts';
import type { Receivers } from './receivers.ts';
import { type Scene, type ShopSubscription, subscriptionsOf } from './scenes.ts';
import { MARKER, SECRETS, workflowsOf } from './workflows.ts';

/** What the demo has created in the environment, or found from an earlier run. */
export type Shop = {
  channels: Readonly<Record<ChannelName, string>>;
  /** By name. */
  subscriptions: ReadonlyMap<string, Subscription>;
  workflowIds: readonly string[];
  webhooks: readonly Webhook[];
  inspectors: readonly Inspector[];
};

/** Names of what has no description to be recognised by; `--remove` deletes what is named like this. */
const INSPECTORS = ['Storefront signatures', 'Storefront sandbox', 'Storefront load test'] as const;
const API_KEYS = ['Storefront checkout', 'Storefront warehouse', 'Storefront reports'] as const;
/** Deployments, the newest first, with the hours since each. */
const DEPLOYMENTS = [
  { name: 'Deploy 4.2', hoursAgo: 0 },
  { name: 'Deploy 4.1', hoursAgo: 22 },
  { name: 'Deploy 4.0', hoursAgo: 190 },
] as const;
const HOUR_MS = 3_600_000;
const RETENTION_DAYS = 30;

/**
 * Creates the shop, and reuses what an earlier run has left: names are looked up first, and subscriptions get the settings of this run.
 * `empty` has only channels and subscriptions, as before the first message.
 */
export async function setUpShop(posthorn: Posthorn, receivers: Receivers, scene: Scene): Promise<Shop> {
  const channels = await setUpChannels(posthorn);
  const subscriptions = new Map<string, Subscription>();
  for (const subscription of subscriptionsOf(scene)) {
    const webhookUrl = receivers.urlOf(subscription.name, subscription.path);
    subscriptions.set(
      subscription.name,
      await setUpSubscription(posthorn, channels[subscription.channel], webhookUrl, subscription),
    );
  }
  if (scene === 'empty') return { channels, subscriptions, workflowIds: [], webhooks: [], inspectors: [] };

  await setUpSecrets(posthorn);
  const workflowIds = await setUpWorkflows(posthorn, channels, receivers);
  const webhooks = await setUpInbound(posthorn, channels);
  const inspectors = await setUpInspectors(posthorn);
  await setUpKeys(posthorn);
  for (const { name, hoursAgo } of DEPLOYMENTS)
    if (hoursAgo > 0) await markOnce(posthorn, name, new Date(Date.now() - hoursAgo * HOUR_MS));
  const inspector = inspectors[0];
  if (inspector !== undefined && scene !== 'few') {
    const name = 'Signature check';
    const settings = { name, eventTypes: ['customer.*'], timeoutMs: 5_000 };
    subscriptions.set(name, await setUpSubscription(posthorn, channels.customers, inspector.url, settings));
  }
  return { channels, subscriptions, workflowIds, webhooks, inspectors };
}

/** The environment's channels that the demo has created, by name. */
async function channelsOfDemo(posthorn: Posthorn): Promise<Map<string, string>> {
  const all = await posthorn.channels.list().all();
  return new Map(all.filter(({ description }) => description === MARKER).map(({ name, id }) => [name, id]));
}

async function setUpChannels(posthorn: Posthorn): Promise<Record<ChannelName, string>> {
  const known = await channelsOfDemo(posthorn);
  const ids: [ChannelName, string][] = [];
  for (const name of CHANNELS) {
    const channel = { name, description: MARKER, retentionDays: RETENTION_DAYS };
    ids.push([name, known.get(name) ?? (await posthorn.channels.create(channel)).id]);
  }
  // `as`: every name has an id.
  return Object.fromEntries(ids) as Record<ChannelName, string>;
}

type Settings = Pick<ShopSubscription, 'name' | 'eventTypes' | 'retryPolicy' | 'timeoutMs' | 'circuitBreaker'>;

async function setUpSubscription(
  posthorn: Posthorn,
  channelId: string,
  webhookUrl: string,
  { name, eventTypes, retryPolicy, timeoutMs, circuitBreaker }: Settings,
): Promise<Subscription> {
  const settings = { webhookUrl, eventTypes, retryPolicy, timeoutMs, circuitBreaker };
  const known = (await posthorn.subscriptions.list({ channelId }).all()).find((each) => each.name === name);
  if (known === undefined) return posthorn.subscriptions.create({ channelId, name, ...settings });
  // A 410 of an earlier incident has disabled it.
  if (known.status !== 'active') await posthorn.subscriptions.resume(known.id);
  return posthorn.subscriptions.update(known.id, settings);
}

async function setUpSecrets(posthorn: Posthorn): Promise<void> {
  const known = new Set((await posthorn.secrets.list().all()).map(({ name }) => name));
  for (const name of SECRETS)
    if (!known.has(name)) await posthorn.secrets.create({ name, value: randomBytes(24).toString('base64url') });
}

/** A workflow of an earlier run calls the receiver of now: its steps are replaced. */
async function setUpWorkflows(
  posthorn: Posthorn,
  channels: Readonly<Record<ChannelName, string>>,
  receivers: Receivers,
): Promise<string[]> {
  const known = await workflowsOfDemo(posthorn);
  const ids: string[] = [];
  for (const workflow of workflowsOf(channels, receivers)) {
    const id = known.get(workflow.name);
    const { trigger, steps } = workflow;
    const { id: workflowId } =
      id === undefined
        ? await posthorn.workflows.create(workflow)
        : await posthorn.workflows.update(id, { trigger, steps });
    ids.push(workflowId);
  }
  return ids;
}

/** The environment's workflows that the demo has created, by name. */
async function workflowsOfDemo(posthorn: Posthorn): Promise<Map<string, string>> {
  const all = await posthorn.workflows.list().all();
  return new Map(all.filter(({ description }) => description === MARKER).map(({ name, id }) => [name, id]));
}

async function setUpInspectors(posthorn: Posthorn): Promise<Inspector[]> {
  const known = await posthorn.inspectors.list().all();
  const inspectors: Inspector[] = [];
  for (const [index, name] of INSPECTORS.entries()) {
    const answer = index === 2 ? { status: 200, failurePercent: 20 } : { status: 200 };
    inspectors.push(known.find((each) => each.name === name) ?? (await posthorn.inspectors.create({ name, answer })));
  }
  return inspectors;
}

/** The keys themselves are not used: they only fill the list. */
async function setUpKeys(posthorn: Posthorn): Promise<void> {
  const known = (await posthorn.apiKeys.list({ status: 'active' }).all()).map(({ name }) => name);
  for (const [index, name] of API_KEYS.entries()) {
    if (known.includes(name)) continue;
    const expiresAt = new Date(Date.now() + 90 * 24 * HOUR_MS);
    await posthorn.apiKeys.create({
      name,
      tier: index === 0 ? 'pro' : 'starter',
      scopes: index === 2 ? ['messages:read', 'deliveries:read'] : ['channels:read', 'messages:write'],
      ...(index === 2 && { expiresAt }),
    });
  }
}

/** Marks a deployment, unless one of that name is marked within the last ten days. */
async function markOnce(posthorn: Posthorn, name: string, at: Date): Promise<void> {
  const since = new Date(Date.now() - 240 * HOUR_MS);
  const known = await posthorn.markers.list({ since }).all();
  if (!known.some((marker) => marker.name === name)) await posthorn.markers.create({ name, at });
}

/** Marks `Deploy 4.2` as deployed now. An earlier mark of that name is removed, so that the incident begins at the only one. */
export async function markDeployment(posthorn: Posthorn): Promise<void> {
  const { name } = DEPLOYMENTS[0];
  for (const marker of await posthorn.markers.list().all())
    if (marker.name === name) await posthorn.markers.delete(marker.id);
  await posthorn.markers.create({ name });
}

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
    // Otherwise runs that wait for an approval would wait for days.
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
  for (const { id } of (await posthorn.markers.list().all()).filter(isOurs(DEPLOYMENTS.map(({ name }) => name))))
    await remove(posthorn.markers.delete(id));
  return removed;
}

async function discardAll(posthorn: Posthorn, of: { channelId: string } | { workflowId: string }): Promise<void> {
  // One request discards a limited number.
  let left = 1;
  while (left > 0) left = (await posthorn.deadLetters.discardAll(of)).left;
}
