import {
  SYSTEM_CHANNEL_NAME,
  type ServiceEvents,
  type ServiceEventType,
} from '../../../src/kernel/words/event-types.ts';
import type { PageJson } from './factories.ts';
import type { TestPosthorn } from '../service/posthorn.ts';

/** Returns the id of the system channel, of the live environment or that of the key. */
export async function systemChannelOf(posthorn: TestPosthorn, as: { key?: string } = {}): Promise<string> {
  type Page = PageJson<{ id: string; name: string }>;
  const { body } = await posthorn.request<Page>('GET', '/v1/channels?limit=100', undefined, as);
  const channel = body.data.find(({ name }) => name === SYSTEM_CHANNEL_NAME);
  if (channel === undefined) throw new Error('there is no system channel in the list');
  return channel.id;
}

/** Returns the payloads of the last 100 service events of that type, oldest first. */
export async function serviceEvents<T extends ServiceEventType>(
  posthorn: TestPosthorn,
  eventType: T,
): Promise<ServiceEvents[T][]> {
  const path = `/v1/channels/${await systemChannelOf(posthorn)}/messages?limit=100`;
  type Message = { eventType: string; payload: ServiceEvents[T] };
  const { body } = await posthorn.request<PageJson<Message>>('GET', path);
  return body.data
    .filter((message) => message.eventType === eventType)
    .map(({ payload }) => payload)
    .reverse();
}
