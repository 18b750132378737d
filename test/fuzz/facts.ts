import { exampleId } from '../../src/openapi/texts/example-ids.ts';
import { routes } from '../../src/routes.ts';
import { setUp, actIn, joinAs, OWNER } from '../support/make/people.ts';
import { seedResources } from '../support/make/seed.ts';
import type { TestPosthorn } from '../support/service/posthorn.ts';

/** Knowledge of hooks.py about the service: who asks, and what there is. */
export type Facts = {
  key: string;
  cookieName: string;
  cookie: string;
  /** Headers that say where the person acts. */
  names: Record<string, string>;
  /** Things by the names of parameters and fields; further ones than the first may be deleted. */
  ids: Record<string, string[]>;
  /** Values of fields that no made-up text can have. */
  texts: Record<string, string>;
  /** The end of every id that the document shows. */
  exampleId: string;
  /** Operations whose calls are counted by address. */
  ownAddress: string[];
};

const SPARES = 5;
const COOKIE = 'posthorn-session';

/** Makes a person, and several things of every kind. */
export async function factsOf(posthorn: TestPosthorn): Promise<Facts> {
  const { browser, me } = await setUp(posthorn);
  actIn(browser, me);
  const ids: Record<string, string[]> = {};
  const add = (name: string, id: string): void => {
    ids[name] = [...(ids[name] ?? []), id];
  };
  for (let index = 0; index <= SPARES; index += 1)
    for (const [name, id] of Object.entries(await seedResources(posthorn, posthorn.keys.live))) add(name, id);
  // There is one of each, and nothing deletes them.
  const [organisationId = ''] = ids['organisationId'] ?? [];
  for (const name of ['organisationId', 'appId']) ids[name] = (ids[name] ?? []).slice(0, 1);
  const organisation = `/v1/organisations/${organisationId}`;
  for (let index = 0; index <= 1; index += 1) {
    const joined = await joinAs(posthorn, browser, organisation, {
      role: 'viewer',
      email: `member${index}@example.com`,
    });
    add('userId', joined.me.user.id);
    const invited = await browser.request<{ id: string }>('POST', `${organisation}/invitations`, {
      email: `guest${index}@example.com`,
      role: 'viewer',
    });
    add('invitationId', invited.body.id);
  }
  return {
    key: posthorn.keys.live,
    cookieName: COOKIE,
    cookie: browser.jar.get(COOKIE) ?? '',
    names: { 'Posthorn-Organisation': organisationId },
    ids,
    texts: {
      webhookUrl: 'https://example.com/in',
      filter: 'payload.n > 1',
      password: OWNER.password,
      newPassword: OWNER.password,
      expiresAt: '2099-01-01T00:00:00Z',
      grant_type: 'client_credentials',
    },
    exampleId: exampleId('channel').slice(4),
    ownAddress: routes
      .filter(({ addressLimit }) => addressLimit !== undefined)
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`),
  };
}
