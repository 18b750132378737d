import { api, isApiError, type SignedIn } from '../api/client.ts';
import { nameOf } from './session.ts';

type At = { place: { appId: string; environment: 'live' | 'test' } };

type Kind = [page: string, get: (id: string, at: At) => PromiseLike<unknown>];

/** An attempt has no address in the API; the search finds its delivery. */
async function deliveryOf(id: string, at: At): Promise<string | undefined> {
  const { data } = await api.search.find({ q: id, payloads: 'false', limit: 1 }, at);
  return data.find((hit) => hit.id === id)?.deliveryId;
}

/**
 * Kinds of things that have a page, by id prefix. A page that ends in `open=` is a list that shows the thing in a
 * panel.
 */
const KINDS: Readonly<Record<string, Kind>> = {
  msg: ['messages', (id, at) => api.messages.get(id, at)],
  dlv: ['deliveries', (id, at) => api.deliveries.get(id, at)],
  dlq: ['dead-letters', (id, at) => api.deadLetters.get(id, at)],
  sub: ['subscriptions', (id, at) => api.subscriptions.get(id, at)],
  chn: ['channels', (id, at) => api.channels.get(id, at)],
  wfl: ['workflows', (id, at) => api.workflows.get(id, at)],
  run: ['runs', (id, at) => api.runs.get(id, at)],
  ins: ['inspect', (id, at) => api.inspectors.get(id, at)],
  whk: ['inbound', (id, at) => api.webhooks.get(id, at)],
  rpl: ['replays', (id, at) => api.deadLetters.getBulkReplay(id, at)],
  rty: ['replays', (id, at) => api.deliveries.getBulkRetry(id, at)],
  rpm: ['replays', (id, at) => api.replays.get(id, at)],
  apv: ['approvals?open=', (id, at) => api.approvals.get(id, at)],
  cxn: ['connections?open=', (id, at) => api.connections.get(id, at)],
  key: ['api-keys?open=', (id, at) => api.apiKeys.get(id, at)],
  oac: ['machine-credentials?open=', (id, at) => api.machineCredentials.get(id, at)],
  aud: ['audit?open=', (id, at) => api.audit.get(id, at)],
};

const ID = new RegExp(`\\b(att|${Object.keys(KINDS).join('|')})_[0-7][0-9a-hjkmnp-tv-z]{25}\\b`);

/** Returns the first id in a text, which may be a log line. The `webhook-id` of a request is the id of its message. */
export const idIn = (text: string): string | undefined => ID.exec(text)?.[0];

/** Most environments to query, two for each app. */
const MOST_PLACES = 40;
/** Most apps to search for an id. */
export const MOST_APPS = MOST_PLACES / 2;

/**
 * Returns the address of the page for an id, searching the user's apps and environments, the current one first. Returns
 * undefined if none has it. An environment where the user may not read that kind of thing counts as not having it.
 * `isOf` leaves out apps that are known not to have it.
 */
export async function addressOfId(
  session: SignedIn,
  herePath: string,
  id: string,
  isOf: (appId: string) => boolean = () => true,
): Promise<string | undefined> {
  const pathOf = (place: { app: Parameters<typeof nameOf>[1]; environment: string }): string =>
    `/${nameOf(session, place.app)}/${place.environment}`;
  const places = session.organisations
    .flatMap(({ apps }) => apps)
    .filter((app) => isOf(app.id))
    .flatMap((app) => (['live', 'test'] as const).map((environment) => ({ app, environment })))
    .toSorted((a, b) => Number(pathOf(b) === herePath) - Number(pathOf(a) === herePath))
    .slice(0, MOST_PLACES);
  for (const place of places) {
    const found = await pageAt(id, { place: { appId: place.app.id, environment: place.environment } });
    if (found !== undefined) return `${pathOf(place)}/${found}`;
  }
  return undefined;
}

/** Returns the page of an id in one environment, with the search parameters of its address. */
async function pageAt(id: string, at: At): Promise<string | undefined> {
  try {
    if (id.startsWith('att')) {
      const delivery = await deliveryOf(id, at);
      return delivery === undefined ? undefined : `deliveries/${delivery}`;
    }
    const [page, get] = KINDS[id.slice(0, 3)] ?? [];
    if (page === undefined || get === undefined) return undefined;
    await get(id, at);
    return page.endsWith('=') ? page + id : `${page}/${id}`;
  } catch (failure) {
    if (isApiError(failure, 'NOT_FOUND') || isApiError(failure, 'FORBIDDEN')) return undefined;
    throw failure;
  }
}
