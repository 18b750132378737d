/** A request that a credential may send, as cURL and with the client library. */
export type ScopeExample = {
  method: 'GET' | 'POST';
  path: string;
  body?: object;
  /** With the client library, whose object is called `posthorn`. */
  library: string;
};

/** The message that examples publish. */
export const EXAMPLE_MESSAGE = { eventType: 'order.created', payload: { number: 1 } };

/**
 * The example request for a credential with these scopes: publishing if they allow it, else the first list that they allow, else the first
 * thing that they allow to create. Returns undefined if they allow none of these. Without a channel, its ID is a placeholder.
 */
export function exampleOf(scopes: readonly string[], channelId = 'CHANNEL_ID'): ScopeExample | undefined {
  const list = (path: string, resource: string, shown: string, method = 'list'): ScopeExample => ({
    method: 'GET',
    path: `/v1/${path}`,
    library: `for await (const each of posthorn.${resource}.${method}()) console.log(each.${shown});`,
  });
  const create = (resource: string, body: object): ScopeExample => ({
    method: 'POST',
    path: `/v1/${resource}`,
    body,
    library: `const made = await posthorn.${resource}.create(${JSON.stringify(body)});\nconsole.log(made.id);`,
  });
  const all: Readonly<Record<string, () => ScopeExample>> = {
    'messages:write': () => ({
      method: 'POST',
      path: `/v1/channels/${channelId}/messages`,
      body: EXAMPLE_MESSAGE,
      library: `const message = await posthorn.messages.publish('${channelId}', ${JSON.stringify(EXAMPLE_MESSAGE)});\nconsole.log(message.id);`,
    }),
    'messages:read': () => list('messages', 'messages', 'id', 'listAll'),
    'deliveries:read': () => list('deliveries', 'deliveries', 'status'),
    'channels:read': () => list('channels', 'channels', 'name'),
    'subscriptions:read': () => list('subscriptions', 'subscriptions', 'name'),
    'dlq:read': () => list('dlq', 'deadLetters', 'id'),
    'workflows:read': () => list('workflows', 'workflows', 'name'),
    'webhooks:read': () => list('webhooks', 'webhooks', 'name'),
    'audit:read': () => list('audit', 'audit', 'action'),
    'credentials:write': () => list('api-keys', 'apiKeys', 'name'),
    'channels:write': () => create('channels', { name: 'orders' }),
    'subscriptions:write': () => create('subscriptions', { channelId, webhookUrl: 'https://example.com/hook' }),
    'webhooks:write': () => create('webhooks', { name: 'GitHub', channelId, provider: 'github' }),
  };
  const first = Object.keys(all).find((scope) => scopes.includes(scope));
  return first === undefined ? undefined : all[first]?.();
}

/** The request for a shell. `header`: with the key. */
export const curlOf = ({ path, body }: ScopeExample, { url, header }: { url: string; header: string }): string =>
  [
    `curl ${url}${path}`,
    `-H '${header}'`,
    ...(body === undefined
      ? []
      : [
          '-H "Idempotency-Key: $(uuidgen)"',
          "-H 'Content-Type: application/json'",
          `--data-raw '${JSON.stringify(body)}'`,
        ]),
  ].join(' \\\n  ');
