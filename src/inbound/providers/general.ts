import { type Provider, at, header } from './provider.ts';
import { hmac, pairs } from '../schemes/hmac.ts';
import { createSns, isOfSns, topicProblem } from '../schemes/sns.ts';
import { scalarAt } from '../schemes/pointer.ts';
import { body as bodySignature, signedBodyOf } from '../schemes/body.ts';
import type { Content, Incoming } from '../schemes/scheme.ts';
import { standardSecretProblem, standard as signature } from '../schemes/standard.ts';

/** All services that follow Standard Webhooks, including GitLab's signing tokens. */
export const standard: Provider = {
  name: 'standard',
  title: 'Standard Webhooks',
  scheme: 'standard',
  ...signature('webhook'),
  secretProblem: standardSecretProblem,
  makesSecret: true,
  eventId: header('webhook-id'),
  eventType: at('/type'),
  sample: ({ now }) => ({
    body: { type: 'order.paid', timestamp: now.toISOString(), data: { id: '1001', total: 12.5, currency: 'EUR' } },
  }),
};

export const svix: Provider = {
  name: 'svix',
  title: 'Svix',
  scheme: 'svix',
  ...signature('svix'),
  secretProblem: standardSecretProblem,
  eventId: header('svix-id'),
  eventType: at('/type'),
  sample: ({ now }) => ({
    body: { type: 'user.created', timestamp: now.toISOString(), data: { id: 'user_1', email: 'ada@example.com' } },
  }),
};

/**
 * Returns the content of a verified request. The signature check reads only its own fields; the rest of the body must
 * be valid JSON too.
 */
function contentOf(incoming: Incoming): Content {
  incoming.content();
  return incoming.read(signedBodyOf(incoming).payload);
}

/** For your own senders without a library: the signature is part of the body. */
export const body: Provider = {
  name: 'body',
  title: 'Signature in the body',
  scheme: 'body',
  ...bodySignature,
  secretProblem: standardSecretProblem,
  makesSecret: true,
  eventId: (incoming) => signedBodyOf(incoming).id,
  eventType: (incoming) => scalarAt(contentOf(incoming).text, '/eventType'),
  content: contentOf,
  payload: '/payload',
  sample: ({ id }) => ({ body: { eventType: 'order.created', payload: { id, total: 12.5, currency: 'EUR' } } }),
};

export const sns: Provider = {
  name: 'sns',
  title: 'Amazon SNS',
  scheme: 'sns',
  check: createSns(),
  secretProblem: topicProblem,
  eventId: at('/MessageId'),
  eventType: at('/Type'),
  handshake(incoming) {
    const { Type: type, SubscribeURL: visit } = incoming.content().value;
    return type === 'SubscriptionConfirmation' && isOfSns(visit) ? { answer: { received: true }, visit } : undefined;
  },
};

/** Clerk uses Svix. */
export const clerk: Provider = {
  ...svix,
  name: 'clerk',
  title: 'Clerk',
  sample: ({ id, now }) => ({
    body: {
      type: 'user.created',
      object: 'event',
      timestamp: now.getTime(),
      data: {
        id: `user_${id}`,
        object: 'user',
        first_name: 'Ada',
        email_addresses: [{ email_address: 'ada@example.com' }],
      },
    },
  }),
};

export const workos: Provider = {
  name: 'workos',
  title: 'WorkOS',
  scheme: 'hmac',
  ...hmac({
    header: 'workos-signature',
    form: pairs({ time: 't', signature: 'v1' }),
    timestampUnit: 'milliseconds',
    signed: ({ bytes }, timestamp) => [`${timestamp}.`, bytes],
  }),
  eventId: at('/id'),
  eventType: at('/event'),
  sample: ({ id, now }) => ({
    body: {
      id,
      event: 'dsync.user.created',
      created_at: now.toISOString(),
      data: { object: 'directory_user', id: 'directory_user_1', first_name: 'Ada', state: 'active' },
    },
  }),
};

const { makesSecret: _, ...like } = standard;

/** OpenAI follows Standard Webhooks and generates the secret itself. */
export const openai: Provider = {
  ...like,
  name: 'openai',
  title: 'OpenAI',
  sample: ({ now }) => ({
    body: {
      object: 'event',
      type: 'response.completed',
      created_at: Math.floor(now.getTime() / 1_000),
      data: { id: 'resp_abc123' },
    },
  }),
};
