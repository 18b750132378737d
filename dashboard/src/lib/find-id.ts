import { api, isApiError, type SignedIn } from '../api/client.ts';
import { nameOf } from './session.ts';

type At = { place: { appId: string; environment: 'live' | 'test' } };

/** Kinds of things that have a page, by the prefix of their ids. */
const KINDS: Readonly<Record<string, [page: string, get: (id: string, at: At) => PromiseLike<unknown>]>> = {
  msg: ['messages', (id, at) => api.messages.get(id, at)],
  dlv: ['deliveries', (id, at) => api.deliveries.get(id, at)],
  dlq: ['dead-letters', (id, at) => api.deadLetters.get(id, at)],
  sub: ['subscriptions', (id, at) => api.subscriptions.get(id, at)],
  chn: ['channels', (id, at) => api.channels.get(id, at)],
  wfl: ['workflows', (id, at) => api.workflows.get(id, at)],
  run: ['runs', (id, at) => api.runs.get(id, at)],
  ins: ['inspect', (id, at) => api.inspectors.get(id, at)],
  whk: ['inbound', (id, at) => api.webhooks.get(id, at)],
};

const ID = new RegExp(`\\b(${Object.keys(KINDS).join('|')})_[0-7][0-9a-hjkmnp-tv-z]{25}\\b`);

/** The first id in a text, which may be a line of a log. `webhook-id` of a request is the id of its message. */
export const idIn = (text: string): string | undefined => ID.exec(text)?.[0];

/** At most so many places are asked, two for each app. */
const MOST_PLACES = 40;

/** The path of the page of an id, in whichever app and environment of the person it is. Undefined where none has it. */
export async function pathOfId(session: SignedIn, id: string): Promise<string | undefined> {
  const [page, get] = KINDS[id.slice(0, 3)] ?? [];
  if (page === undefined || get === undefined) return undefined;
  const places = session.organisations
    .flatMap(({ apps }) => apps)
    .flatMap((app) => (['live', 'test'] as const).map((environment) => ({ app, environment })))
    .slice(0, MOST_PLACES);
  for (const { app, environment } of places) {
    try {
      await get(id, { place: { appId: app.id, environment } });
      return `/${nameOf(session, app)}/${environment}/${page}/${id}`;
    } catch (failure) {
      if (!isApiError(failure, 'NOT_FOUND')) throw failure;
    }
  }
  return undefined;
}
