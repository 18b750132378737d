import { api, isApiError, type SignedIn } from '../api/client.ts';
import { nameOf } from './session.ts';

type At = { place: { appId: string; environment: 'live' | 'test' } };

type Kind = [page: string, get: (id: string, at: At) => PromiseLike<unknown>];

/** An attempt has no address in the API: the search knows its delivery. */
async function deliveryOf(id: string, at: At): Promise<string | undefined> {
  const { data } = await api.search.find({ q: id, payloads: 'false', limit: 1 }, at);
  return data.find((hit) => hit.id === id)?.deliveryId;
}

/** Kinds of things that have a page, by the prefix of their ids. A page that ends in `open=` is a list, beside which it is shown. */
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

/** The first id in a text, which may be a line of a log. `webhook-id` of a request is the id of its message. */
export const idIn = (text: string): string | undefined => ID.exec(text)?.[0];

/** At most so many places are asked, two for each app. */
const MOST_PLACES = 40;
/** Apps that are looked through for an id, at most. */
export const MOST_APPS = MOST_PLACES / 2;

/**
 * The address of the page of an id, in whichever app and environment of the person it is: first where the person is. Undefined where none
 * has it. A place whose rows of that kind the person may not read has none. `isOf` leaves apps out that are known not to have it.
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

/** The page of an id at one place, with what its address asks for. */
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
