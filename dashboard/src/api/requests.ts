import { ENDPOINTS } from '../../../client/src/generated/endpoints.ts';
import type { Posthorn } from '../../../client/src/index.ts';

/** A request that changes something, as the client library sends it. */
export type Written = {
  method: string;
  /** Address with its query. */
  url: string;
  body: string | undefined;
  isKeyed: boolean;
};

type Fetch = typeof fetch;
type Make = (fetch: Fetch) => Posthorn;
type Endpoint = { method: string; path: string; isPersonal?: boolean; isPublic?: boolean };

const writtenOf = (input: Parameters<Fetch>[0], init: RequestInit | undefined): Written => ({
  method: init?.method ?? 'GET',
  url: input instanceof Request ? input.url : String(input),
  // The client library sends only texts as bodies.
  body: typeof init?.body === 'string' ? init.body : undefined,
  isKeyed: new Headers(init?.headers).has('idempotency-key'),
});

const listeners = new Set<(written: Written) => void>();

/** Notifies listeners of a request that is being sent. */
export function tellSent(input: Parameters<Fetch>[0], init: RequestInit | undefined): void {
  const written = writtenOf(input, init);
  if (written.method !== 'GET') for (const listener of listeners) listener(written);
}

/** Runs it, and adds to `sent` the requests that it sends. */
export async function listening(what: () => Promise<unknown>, sent: Written[]): Promise<void> {
  const listener = (written: Written): void => {
    sent.push(written);
  };
  listeners.add(listener);
  try {
    await what();
  } finally {
    listeners.delete(listener);
  }
}

type Described = Promise<Written>[];
/** Where calls go that are only described. Set for the duration of one synchronous run. */
let described: Described | undefined;

/**
 * Returns the requests that `run` would send first, without sending them: each call that changes something goes to a
 * separate client, whose fetch records the request and never responds. Calls that only read are sent.
 */
export async function requestsOf(run: () => unknown): Promise<Written[]> {
  const found: Described = [];
  described = found;
  try {
    // A form that cannot be sent fails here as it does when it is sent.
    Promise.resolve(run()).catch(() => undefined);
  } finally {
    described = undefined;
  }
  return Promise.all(found);
}

/** Whether the current calls are only described. */
export const isDescribing = (): boolean => described !== undefined;

/**
 * Returns a client whose calls can be described by requestsOf. `make` creates one with the same credentials and another
 * fetch.
 */
export function describable(client: Posthorn, make: Make): Posthorn {
  const resources = Object.entries(ENDPOINTS).map(([resource, endpoints]: [string, Record<string, Endpoint>]) => [
    resource,
    Object.fromEntries(
      Object.entries(endpoints).map(([name, { method }]) => [
        name,
        (...given: unknown[]): unknown => {
          if (described === undefined || method === 'GET') return methodOf(client, resource, name)(...given);
          return describe(described, make, (other) => methodOf(other, resource, name)(...given));
        },
      ]),
    ),
  ]);
  // `as`: the table has every method of the type.
  return { ...client, ...(Object.fromEntries(resources) as Posthorn) };
}

function describe(into: Described, make: Make, call: (client: Posthorn) => unknown): unknown {
  let keep: (written: Written) => void = () => undefined;
  const request = new Promise<Written>((resolve) => (keep = resolve));
  const made = call(
    make((input, init) => {
      keep(writtenOf(input, init));
      return new Promise<never>(() => undefined);
    }),
  );
  // A missing id has thrown by now.
  into.push(request);
  return made;
}

type Method = (...given: unknown[]) => unknown;
const methodOf = (client: Posthorn, resource: string, name: string): Method =>
  // `as`: both names are those of the table that the client was created from.
  (client as unknown as Record<string, Record<string, Method>>)[resource]?.[name] as Method;

/** Returns the endpoint of this request. */
export const endpointOf = ({ method, url }: Pick<Written, 'method' | 'url'>): Endpoint | undefined => {
  const path = new URL(url).pathname;
  const all = Object.values<Record<string, Endpoint>>(ENDPOINTS).flatMap((each) => Object.values(each));
  const fitting = all.filter((each) => each.method === method && patternOf(each.path).test(path));
  // A fixed path such as /v1/dlq/replay takes precedence over one with an id in the same place.
  return fitting.toSorted((one, other) => idsIn(one) - idsIn(other))[0];
};

const idsIn = ({ path }: Endpoint): number => path.split('/:').length;
const patternOf = (path: string): RegExp =>
  // The API may be in a folder of its host.
  new RegExp(`${path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`);
