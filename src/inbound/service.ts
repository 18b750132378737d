import { randomBytes } from 'node:crypto';
import type { DatabaseTransaction } from '../platform/db/client.ts';
import type { Dependencies } from '../platform/dependencies.ts';
import type { RecordAudit } from '../identity/tenancy/audit/record.ts';
import type { EnvironmentCaller } from '../api/caller.ts';
import { ApiError, invalidField, notFound } from '../kernel/errors.ts';
import { changedParts } from '../kernel/words/audit-actions.ts';
import { requireRoomForOlderSecret } from '../kernel/rules/secrets.ts';
import { encodeBase32, ID_PREFIXES, isId } from '../kernel/values/ids.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../kernel/values/page.ts';
import { requireSettings, rulesOf, senderOf } from './custom.ts';
import type { EventTypeExpressions } from './mapping.ts';
import type { SampleValues } from './providers/provider.ts';
import type { InboundRequest } from './incoming.ts';
import type { Receiving } from './receive.ts';
import { createRequestsOfWebhook, type RequestsOfWebhook } from './requests.ts';
import { sampleDraftOf, signedSample, signingSecretOf, unsignable } from './sample.ts';
import {
  type CreateWebhook,
  type ListRefusals,
  type ListWebhooks,
  type Received,
  type Refusal,
  type RotateWebhookSecret,
  type SendSample,
  type SentSample,
  type UpdateWebhook,
  type Webhook,
  type WebhookSample,
  webhookChange,
  type WebhookSecrets,
  type WebhookSettings,
} from './schema.ts';
import { openWebhookSecret, sealWebhookSecret, secretsFor } from './secrets.ts';
import * as store from './store.ts';

const HOUR_MS = 3_600_000;
const ID_BYTES = 16;
/** Small enough for a JSON number to hold exactly. */
const NUMBER_BYTES = 6;

/** Parts of a request that the HTTP layer provides. */
type From = Pick<InboundRequest, 'readJson' | 'address'>;

export type InboundWebhooks = RequestsOfWebhook & {
  create(caller: EnvironmentCaller, body: CreateWebhook): Promise<Webhook>;
  list(caller: EnvironmentCaller, query: ListWebhooks): Promise<Page<Webhook>>;
  get(caller: EnvironmentCaller, id: string): Promise<Webhook>;
  update(caller: EnvironmentCaller, id: string, body: UpdateWebhook): Promise<Webhook>;
  /** Permanent: its address returns NOT_FOUND from now on. The messages it published remain. */
  delete(caller: EnvironmentCaller, id: string): Promise<void>;
  /**
   * Returns the valid secrets, newest first. Throws CONFLICT if one cannot be decrypted; only rotating the secret fixes
   * that.
   */
  secrets(caller: EnvironmentCaller, id: string): Promise<WebhookSecrets>;
  /** Sets a new secret. The previous one stays valid until the overlap ends. */
  rotateSecret(caller: EnvironmentCaller, id: string, body: RotateWebhookSecret): Promise<WebhookSecrets>;
  /** Returns requests that did not become messages, newest first. */
  refusals(caller: EnvironmentCaller, id: string, query: ListRefusals): Promise<Page<Refusal>>;
  /** Returns an unsigned sample, or why none can be signed here. */
  sample(caller: EnvironmentCaller, id: string): Promise<WebhookSample>;
  /**
   * Signs a sample as the service does and processes it like any other request (receive.ts). Throws CONFLICT if only
   * the service can sign, or if no secret can be decrypted.
   */
  sendSample(caller: EnvironmentCaller, id: string, sent: SendSample & From): Promise<SentSample>;
  /** Receives a request of an external service for the webhook with that id (receive.ts). */
  receive(id: string, request: InboundRequest): Promise<Received>;
};

export function createInboundWebhooks(
  { tenants, newId, clock, keyRing, config }: Pick<Dependencies, 'tenants' | 'newId' | 'clock' | 'keyRing' | 'config'>,
  {
    audit,
    expressions,
    receiving: { receive, receiveSample, accept },
  }: { audit: { record: RecordAudit }; expressions: EventTypeExpressions; receiving: Receiving },
): InboundWebhooks {
  const shown = (webhook: store.StoredWebhook): Webhook => ({
    ...webhook,
    url: `${config.publicBaseUrl}/v1/webhooks/${webhook.id}`,
  });
  /** An invalid id never reaches the database, whatever characters it has. */
  const found = async (
    id: string,
    look: () => Promise<store.StoredWebhook | undefined>,
  ): Promise<store.StoredWebhook> => {
    const webhook = isId('webhook', id) ? await look() : undefined;
    if (webhook === undefined) throw notFound('webhook');
    return webhook;
  };
  const find = (transaction: DatabaseTransaction, { environmentId }: EnvironmentCaller, id: string) =>
    found(id, () => store.findWebhook(transaction, environmentId, id));
  const lock = (transaction: DatabaseTransaction, { environmentId }: EnvironmentCaller, id: string) =>
    found(id, () => store.lockWebhook(transaction, environmentId, id));

  const requireExpression = ({ eventType }: Pick<WebhookSettings, 'eventType'>): void => {
    const problem = eventType?.cel === undefined ? undefined : expressions.problemOf(eventType.cel);
    if (problem !== undefined) throw invalidField('eventType.cel', problem);
  };

  const readSecrets = async (transaction: DatabaseTransaction, id: string): Promise<WebhookSecrets> => {
    const rows = await store.findSecrets(transaction, id, clock());
    try {
      return {
        secrets: rows.map(({ createdAt, expiresAt, ...sealed }) => ({
          secret: openWebhookSecret(keyRing, sealed),
          createdAt,
          ...(expiresAt !== null && { expiresAt }),
        })),
      };
    } catch (cause) {
      throw new ApiError('CONFLICT', 'A secret of this webhook cannot be decrypted; rotate it to set a new one', {
        cause,
      });
    }
  };

  /** Returns a webhook with the provider and secrets needed to sign for its sender. */
  const signer = async (transaction: DatabaseTransaction, caller: EnvironmentCaller, id: string) => {
    const webhook = await find(transaction, caller, id);
    const provider = rulesOf({ scheme: webhook.scheme, provider: webhook.provider }, webhook);
    const { secrets } = await readSecrets(transaction, id);
    return { webhook, provider, secrets: secrets.map(({ secret }) => secret) };
  };
  const sampleValues = (): SampleValues => ({
    id: `sample_${encodeBase32(randomBytes(ID_BYTES))}`,
    number: randomBytes(NUMBER_BYTES).readUIntBE(0, NUMBER_BYTES),
    now: clock(),
  });

  return {
    receive,
    ...createRequestsOfWebhook({ tenants }, { audit, accept, requireWebhook: find }),

    async create(caller, { secrets: given, scheme, provider, ...body }) {
      const { environmentId } = caller;
      const sender = senderOf({ ...(scheme && { scheme }), ...(provider && { provider }) });
      requireSettings(sender, body);
      requireExpression(body);
      const secrets = secretsFor(rulesOf(sender, body), given, (index) => `secrets[${index}]`);
      return tenants.within(caller, async (transaction) => {
        const channel = isId('channel', body.channelId)
          ? await store.shareChannel(transaction, environmentId, body.channelId)
          : undefined;
        if (channel === undefined) throw invalidField('channelId', 'must be the id of a channel in this environment');
        if (channel.isSystem)
          throw invalidField('channelId', 'must not be the system channel: only the service publishes to it');
        if (channel.status === 'archived') throw new ApiError('CONFLICT', 'The channel is archived');
        const id = `${ID_PREFIXES.webhook}_${encodeBase32(randomBytes(ID_BYTES))}`;
        const position = newId('webhook');
        const draft = {
          ...body,
          id,
          position,
          environmentId,
          scheme: sender.scheme,
          ...(sender.provider !== undefined && { provider: sender.provider }),
        };
        const now = clock();
        const webhook = await store.insertWebhook(transaction, draft, now);
        // The first one given is the newest, and ids sort by creation.
        const sealed = secrets.toReversed().map((secret) => sealWebhookSecret(keyRing, newId('secret'), secret));
        await store.insertSecrets(transaction, id, sealed, now);
        const { createdAt: _, updatedAt: __, ...after } = webhook;
        await audit.record(transaction, caller, { action: 'webhook.created', target: { id }, after });
        return shown(webhook);
      });
    },

    async list(caller, { limit, cursor, name, ...filter }) {
      const { environmentId } = caller;
      const filters = { ...filter, ids: filter.ids?.join(','), name };
      const scope: ListScope = { list: 'webhooks', environmentId, filters };
      const page = pageRequest(scope, { limit, cursor });
      return tenants.list(caller, async (transaction) => {
        const part = name === undefined ? undefined : { ...filter, part: name };
        const named = part && (await store.findWebhooksNamed(transaction, environmentId, page, part));
        const wanted = { ...filter, ...(named && { positions: named.positions }) };
        const rows = await store.findWebhooks(transaction, environmentId, page, wanted);
        return toPage(scope, page.limit, rows, ({ webhook }) => shown(webhook), named?.lookedTo);
      });
    },

    get: (caller, id) => tenants.within(caller, async (transaction) => shown(await find(transaction, caller, id))),

    update: (caller, id, body) =>
      tenants.within(caller, async (transaction) => {
        const webhook = await lock(transaction, caller, id);
        const { eventId, eventType, payload, ...change } = webhookChange.of(webhook, body);
        const given = { ...(eventType && { eventType }), ...(change.signature && { signature: change.signature }) };
        requireExpression(given);
        const sender = { scheme: webhook.scheme, provider: webhook.provider };
        if (change.signature !== undefined) requireSettings(sender, given);
        const mappings = { eventId, eventType, payload };
        const names = Object.keys({ ...change, ...definedOf(mappings) });
        if (names.length === 0) return shown(webhook);
        const cleared = Object.entries(mappings).flatMap(([name, value]) => (value === null ? [name] : []));
        const changed = { ...webhook, ...change, ...definedOf(mappings) };
        // `as`: members set to null have been removed.
        const next = Object.fromEntries(
          Object.entries(changed).filter(([name]) => !cleared.includes(name)),
        ) as store.StoredWebhook;
        const updated = await store.updateWebhook(transaction, next, clock());
        const parts = changedParts(webhook, updated, names);
        await audit.record(transaction, caller, { action: 'webhook.updated', target: { id }, ...parts });
        return shown(updated);
      }),

    delete: (caller, id) =>
      tenants.within(caller, async (transaction) => {
        await lock(transaction, caller, id);
        await store.deleteWebhook(transaction, id);
        await audit.record(transaction, caller, { action: 'webhook.deleted', target: { id } });
      }),

    secrets: (caller, id) =>
      tenants.within(caller, async (transaction) => {
        await find(transaction, caller, id);
        const secrets = await readSecrets(transaction, id);
        await audit.record(transaction, caller, { action: 'webhook.secrets_viewed', target: { id } });
        return secrets;
      }),

    rotateSecret: (caller, id, { secret: given, overlapHours }) =>
      tenants.within(caller, async (transaction) => {
        const webhook = await lock(transaction, caller, id);
        const rules = rulesOf({ scheme: webhook.scheme, provider: webhook.provider }, webhook);
        const [secret] = secretsFor(rules, given === undefined ? undefined : [given], () => 'secret');
        if (secret === undefined)
          throw invalidField('secret', `is required because ${rules.title} generates it; copy it from there`);
        const now = clock();
        const overlapUntil = new Date(now.getTime() + overlapHours * HOUR_MS);
        if (overlapHours > 0) requireRoomForOlderSecret((await store.findSecrets(transaction, id, now)).slice(1));
        await store.replaceSecret(transaction, id, sealWebhookSecret(keyRing, newId('secret'), secret), {
          now,
          overlapUntil,
        });
        const after = { overlapHours };
        await audit.record(transaction, caller, { action: 'webhook.secret_rotated', target: { id }, after });
        return readSecrets(transaction, id);
      }),

    sample: (caller, id) =>
      tenants.within(caller, async (transaction) => {
        const { provider, webhook, secrets } = await signer(transaction, caller, id);
        if (signingSecretOf(provider, secrets) === undefined)
          return { isSignable: false, reason: unsignable(provider, secrets).reason };
        return { isSignable: true, ...sampleDraftOf(provider, webhook, sampleValues()) };
      }),

    async sendSample(caller, id, { body, headers = {}, ...from }) {
      const { provider, webhook, secret } = await tenants.within(caller, async (transaction) => {
        const found_ = await signer(transaction, caller, id);
        const signing = signingSecretOf(found_.provider, found_.secrets);
        if (signing === undefined) {
          const { field, reason } = unsignable(found_.provider, found_.secrets);
          throw new ApiError('CONFLICT', `${field}: ${reason}`, { details: { field, reason } });
        }
        await audit.record(transaction, caller, { action: 'webhook.sample_sent', target: { id } });
        return { ...found_, secret: signing };
      });
      const values = sampleValues();
      const usual = sampleDraftOf(provider, webhook, values);
      const draft = { body: body ?? usual.body, headers: { ...usual.headers, ...headers } };
      const { publicBaseUrl: baseUrl } = config;
      const judged = await receiveSample(
        id,
        signedSample(provider, draft, { ...values, ...from, webhookId: id, secret, baseUrl }),
      );
      if (judged.outcome !== 'refused') {
        const { messageId } = judged.answer;
        return { outcome: judged.outcome, status: 200, ...(messageId !== undefined && { messageId }) };
      }
      const { reason, error } = judged;
      return { outcome: 'refused', status: error.status, reason, detail: error.message };
    },

    async refusals(caller, id, { reason, ...query }) {
      const { environmentId } = caller;
      const scope: ListScope = { list: 'inbound-refusals', environmentId, filters: { webhookId: id, reason } };
      const page = pageRequest(scope, query);
      const rows = await tenants.list(caller, async (transaction) => {
        await find(transaction, caller, id);
        const which = { environmentId, webhookId: id, ...(reason !== undefined && { reason }) };
        return store.findRefusals(transaction, which, page);
      });
      return toPage(scope, page.limit, rows, (refusal) => refusal);
    },
  };
}

const definedOf = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
