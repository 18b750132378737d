import { createHash } from 'node:crypto';
import { WorkIsDeadly, WorkPauses } from '../platform/crashes/crash-guard.ts';
import type { Dependencies } from '../platform/dependencies.ts';
import { COSTLY_BYTES, takeSteps, UNPROVEN } from '../platform/slices.ts';
import { ApiError, invalidField, notFound } from '../kernel/errors.ts';
import { isId, lowestIdAt } from '../kernel/values/ids.ts';
import type { FetchText } from '../platform/outbound/fetch-text.ts';
import type { InboundMessage } from '../messaging/messages/publication.ts';
import { rulesOf } from './custom.ts';
import { type EventTypeExpressions, contentOf, eventIdOf, eventTypeOf, payloadOf } from './mapping.ts';
import { type InboundRequest, toIncoming, keptHeadOf, type KeptRequest, keptRequestOf } from './incoming.ts';
import type { Provider } from './providers/provider.ts';
import { insertRefusal, loadWebhook, type ReceivingWebhook } from './receive-store.ts';
import { type Received, type RefusalReason, SAMPLE_AGENT } from './schema.ts';
import { type Incoming, ProofUnavailable, type VerifiedSignature, SignatureRefused } from './schemes/scheme.ts';
import { openWebhookSecret } from './secrets.ts';

const RETRY_AFTER_SECONDS = 30;
const RECENT_MS = 60_000;
const MAX_DETAIL_LENGTH = 500;

/** Told of each request to a known webhook: `received`, `repeated`, `handshake`, or why it was refused. */
type InboundObserver = (sender: string, outcome: 'received' | 'repeated' | 'handshake' | RefusalReason) => void;

type ReceiveWebhook = (id: string, request: InboundRequest) => Promise<Received>;

/** The outcome of a request of a known webhook. */
type Judged =
  | { outcome: 'received' | 'repeated' | 'handshake'; answer: Received }
  | { outcome: 'refused'; reason: RefusalReason; error: ApiError };

/** What accepting a refused request led to. `eventId`: the id of its event, if the mapping found one. */
type AcceptedOrRefused = { eventId?: string | undefined } & (
  | { messageId: string; isRepeated: boolean }
  | { reason: RefusalReason; error: ApiError }
);

/** Requests that come from outside, and samples, which are requests of this service to itself. */
export type Receiving = {
  receive: ReceiveWebhook;
  /** The same for a signed sample, which is marked where it is shown. A refusal is told and not thrown. */
  receiveSample(id: string, request: InboundRequest): Promise<Judged>;
  /**
   * Makes a message of a request that was refused although its signature was good, by the present settings of the webhook and its
   * channel. The same request becomes one message, however many callers accept it at the same time. Returns the reason if the request is
   * refused again.
   */
  accept(webhookId: string, kept: KeptRequest & { id: string }): Promise<AcceptedOrRefused>;
};

type Collaborators = {
  publishing: { publishInbound: (from: InboundMessage) => Promise<{ messageId: string; isRepeated: boolean }> };
  expressions: EventTypeExpressions;
  fetchText: FetchText;
  observer?: InboundObserver | undefined;
};

type Asked = { request: InboundRequest; isSample: boolean };

/** What is known of a request so far, for the row of its refusal. With `proven`, its signature was good. */
type Learnt = { eventId?: string | undefined; proven?: VerifiedSignature; secrets?: readonly string[] };

/** Why a request becomes no message, and the error that its sender gets. */
class Refused extends Error {
  override readonly name = 'Refused';
  readonly reason: RefusalReason;
  readonly error: ApiError;
  constructor(reason: RefusalReason, error: ApiError) {
    super(error.message);
    this.reason = reason;
    this.error = error;
  }
}

/**
 * Requests of external services (spec §4 Inbound webhook): the signature first, over the exact bytes, then what the webhook and its
 * channel take. A message is committed with the id of its event when this returns. NOT_FOUND for an unknown webhook, INVALID_REQUEST
 * (field signature) for a request that does not prove who sent it, UNAVAILABLE for a fault of ours, after which the sender tries again.
 * Refused requests of a known webhook are written down, with their bodies where their signatures were good.
 */
export function createReceiveWebhook(
  {
    pool,
    clock,
    newId,
    keyRing,
    config,
    log,
    crashes,
    costly,
  }: Pick<Dependencies, 'pool' | 'clock' | 'newId' | 'keyRing' | 'config' | 'log' | 'crashes' | 'costly'>,
  { publishing, expressions, fetchText, observer }: Collaborators,
): Receiving {
  /**
   * Does something that reads a whole body. Large bodies wait for each other, and other requests are answered in between: anyone may
   * send any number of them. `moved`: bytes that came for this.
   */
  const inTurn = async <T>(
    { owner, part, bytes, moved = 0 }: { owner: string; part: string; bytes: number; moved?: number },
    act: () => T,
  ): Promise<T> => {
    if (bytes < COSTLY_BYTES) return act();
    return takeSteps(costly, owner, { steps: { next: () => ({ done: true, value: act() }) }, part, bytes: moved });
  };

  /** Secrets that can be opened: the other of two goes on where one was damaged. */
  const open = ({ id, secrets }: ReceivingWebhook): string[] => {
    const opened = secrets.flatMap((sealed) => {
      try {
        return [openWebhookSecret(keyRing, sealed)];
      } catch (err) {
        log.error(
          { err, webhookId: id },
          'an inbound webhook could not open a secret; its other one goes on, if there is one',
        );
        return [];
      }
    });
    if (opened.length === 0) throw unavailable('The secret of this webhook cannot be read at this moment');
    return opened;
  };

  const prove = async (
    webhookId: string,
    { incoming, provider, secrets }: { incoming: Incoming; provider: Provider; secrets: readonly string[] },
  ): Promise<VerifiedSignature> => {
    try {
      // A check that fetches a certificate lets others go on meanwhile: its turn is over once it waits.
      const check = () => ({ proven: provider.check(incoming, secrets, { now: clock(), fetchText }) });
      const bytes = incoming.bytes.length;
      const checking = await inTurn({ owner: UNPROVEN, part: webhookId, bytes, moved: bytes }, check);
      return await checking.proven;
    } catch (failure) {
      if (failure instanceof ApiError) throw new Refused('body_invalid', failure);
      if (failure instanceof ProofUnavailable) throw unavailable(failure.message, failure.cause);
      if (!(failure instanceof SignatureRefused)) throw failure;
      const { problem, message } = failure;
      const { refusesWith } = provider;
      // Bytes and secrets stay out of it: a sender reads in the log of the webhook what this says.
      const error =
        refusesWith === undefined
          ? invalidField('signature', message)
          : new ApiError(refusesWith, `signature: ${message}`, { details: { field: 'signature', reason: message } });
      throw new Refused(problem, error);
    }
  };

  const visit = async (url: string | undefined, webhookId: string): Promise<void> => {
    if (url === undefined) return;
    try {
      await fetchText(url);
      log.info({ webhookId }, 'an inbound webhook confirmed the subscription of its service; requests follow');
    } catch (cause) {
      throw unavailable('The address that confirms the subscription could not be reached', cause);
    }
  };

  const publish = async (
    webhook: ReceivingWebhook,
    {
      request,
      provider,
      incoming,
      proven,
      isSample,
      standsFor,
    }: Asked & {
      provider: Provider;
      incoming: Incoming;
      proven: VerifiedSignature;
      /** Known as this, where its service gives events no ids. */
      standsFor?: string;
    },
    learnt: Learnt,
  ): Promise<{ messageId: string; isRepeated: boolean }> => {
    const { settings, environmentId, channelId } = webhook;
    const mapped = { provider, settings };
    const turn = turnOf(webhook, incoming);
    const content = await inTurn(turn, () => refusing('body_invalid', () => contentOf(incoming, provider)));
    const map = () => {
      const id = eventIdOf(incoming, { ...mapped, replayKey: proven.replayKey });
      learnt.eventId = id;
      const known = {
        webhookId: webhook.id,
        provider: provider.name,
        ...(id !== undefined && { eventId: id }),
        ...(isSample && { sample: 'true' }),
      };
      return {
        eventId: id,
        metadata: known,
        payloadText: payloadOf(content, mapped),
        eventType: eventTypeOf(incoming, { ...mapped, content, metadata: known, expressions }),
      };
    };
    const { eventType, payloadText, metadata, eventId } = await inTurn(turn, () => refusing('mapping_failed', map));
    const payload: unknown =
      payloadText === content.text
        ? content.value
        : await inTurn({ ...turn, bytes: payloadText.length }, () => JSON.parse(payloadText) as unknown);
    const header = (name: string): string | undefined => request.header(name)[0];
    const knownAs = eventId ?? standsFor;
    try {
      return await publishing.publishInbound({
        environmentId,
        channelId,
        eventType,
        payloadText,
        payload,
        metadata,
        header,
        ...(request.hops !== undefined && { hops: request.hops }),
        request: { webhookId: webhook.id, isSample, ...(knownAs !== undefined && { eventId: knownAs }) },
      });
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      if (failure.code === 'NOT_FOUND') throw channelDeleted();
      if (failure.code === 'INVALID_REQUEST') throw new Refused('payload_refused', failure);
      if (failure.code === 'CONFLICT' && failure.retryAfter === undefined)
        throw new Refused('channel_archived', failure);
      throw failure;
    }
  };

  /**
   * Does what follows the proof of a request: mapping and publishing could end the process, and the service that sends the request
   * sends it again. Refuses it as `crashed` after three such deaths.
   */
  const guarded = async <T>(webhook: ReceivingWebhook, act: () => Promise<T>): Promise<T> => {
    const work = { kind: 'inbound', id: webhook.id, part: () => rulesHash(webhook) } as const;
    try {
      return await crashes.during(work, act);
    } catch (failure) {
      if (failure instanceof WorkPauses)
        throw unavailable('This service stopped while it read a request to this webhook', failure, failure.inMs);
      if (!(failure instanceof WorkIsDeadly)) throw failure;
      throw new Refused(
        'crashed',
        new ApiError('CONFLICT', `The webhook is out of use for an hour: ${failure.message}`),
      );
    }
  };

  const take = async (
    webhook: ReceivingWebhook,
    { request, isSample }: Asked,
    learnt: Learnt,
  ): Promise<{ answer: Received; outcome: 'received' | 'repeated' | 'handshake' }> => {
    const sender = { scheme: webhook.scheme, provider: webhook.provider ?? undefined };
    const provider = rulesOf(sender, webhook.settings);
    // The sender tries again after this answer: nothing that it sends meanwhile is lost.
    if (webhook.secrets.length === 0)
      throw new Refused('secret_missing', unavailable(`The secret that ${provider.title} shows is not set yet`));
    const secrets = open(webhook);
    const incoming = toIncoming(request, { baseUrl: config.publicBaseUrl, jsonField: provider.jsonField });
    const proven = await prove(webhook.id, { incoming, provider, secrets });
    Object.assign(learnt, { proven, secrets });
    refuseClosed(webhook);
    return guarded(webhook, async () => {
      const handshake = await inTurn(turnOf(webhook, incoming), () =>
        refusing('body_invalid', () => provider.handshake?.(incoming, secrets)),
      );
      if (handshake !== undefined) {
        await visit(handshake.visit, webhook.id);
        return { answer: handshake.answer, outcome: 'handshake' };
      }
      const asked = { request, isSample, provider, incoming, proven };
      const { messageId, isRepeated } = await publish(webhook, asked, learnt);
      return { answer: { received: true, messageId }, outcome: isRepeated ? 'repeated' : 'received' };
    });
  };

  const judge = async (id: string, asked: Asked): Promise<Judged> => {
    const { request, isSample } = asked;
    const webhook = isId('webhook', id) ? await loadWebhook(pool, id) : undefined;
    if (webhook === undefined) throw notFound('webhook');
    const sender = webhook.provider ?? webhook.scheme;
    const learnt: Learnt = {};
    try {
      const { answer, outcome } = await take(webhook, asked, learnt);
      observer?.(sender, outcome);
      return { answer, outcome };
    } catch (failure) {
      if (!(failure instanceof Refused)) throw failure;
      const { reason, error } = failure;
      observer?.(sender, reason);
      const row = {
        id: newId('inboundRefusal'),
        webhookId: id,
        reason,
        detail: refusalDetailOf(error),
        address: request.address,
        userAgent: isSample ? SAMPLE_AGENT : otherAgent(request.userAgent),
        eventId: learnt.eventId,
        bytes: request.bytes.length,
        ...keptOf(request, asked, { ...learnt, reason }),
        recentFrom: lowestIdAt('inboundRefusal', new Date(clock().getTime() - RECENT_MS)),
      };
      await insertRefusal(pool, row).catch((err: unknown) =>
        log.warn(
          { err, webhookId: id, reason },
          'an inbound webhook could not write down a refusal; the request was refused all the same',
        ),
      );
      return { outcome: 'refused', reason, error };
    }
  };

  return {
    async receive(id, request) {
      const judged = await judge(id, { request, isSample: false });
      if (judged.outcome === 'refused') throw judged.error;
      return judged.answer;
    },
    receiveSample: (id, request) => judge(id, { request, isSample: true }),
    async accept(webhookId, kept) {
      const webhook = await loadWebhook(pool, webhookId);
      if (webhook === undefined) throw notFound('webhook');
      const learnt: Learnt = {};
      try {
        refuseClosed(webhook);
        const provider = rulesOf({ scheme: webhook.scheme, provider: webhook.provider ?? undefined }, webhook.settings);
        const request = keptRequestOf(kept);
        const incoming = toIncoming(request, { baseUrl: config.publicBaseUrl, jsonField: provider.jsonField });
        const { proven } = kept;
        const asked = { request, isSample: false, provider, incoming, proven, standsFor: `accepted:${kept.id}` };
        const published = await guarded(webhook, () => publish(webhook, asked, learnt));
        observer?.(webhook.provider ?? webhook.scheme, published.isRepeated ? 'repeated' : 'received');
        return { ...published, eventId: learnt.eventId };
      } catch (failure) {
        if (!(failure instanceof Refused)) throw failure;
        const { reason, error } = failure;
        return { reason, error, eventId: learnt.eventId };
      }
    },
  };
}

/** Whose turn it is to read a proven body. */
const turnOf = ({ id, environmentId }: ReceivingWebhook, { bytes }: Incoming) => ({
  owner: environmentId,
  part: id,
  bytes: bytes.length,
});

/** The explanation that a refusal is stored with. */
export const refusalDetailOf = ({ message }: ApiError): string => message.slice(0, MAX_DETAIL_LENGTH);

/** A request of a channel that is gone can never be accepted, and a sample can be sent again. */
function keptOf(
  request: InboundRequest,
  { isSample }: Asked,
  { proven, secrets = [], reason }: Learnt & { reason: RefusalReason },
): { kept?: { head: string; body: Buffer } } {
  if (proven === undefined || isSample || reason === 'channel_deleted') return {};
  return { kept: { head: keptHeadOf(request, proven, secrets), body: request.bytes } };
}

const otherAgent = (userAgent: string | undefined): string | undefined =>
  userAgent === SAMPLE_AGENT ? undefined : userAgent;

/** Does something, and refuses the request with that reason for an INVALID_REQUEST of it. */
function refusing<T>(reason: RefusalReason, act: () => T): T {
  try {
    return act();
  } catch (failure) {
    if (failure instanceof ApiError) throw new Refused(reason, failure);
    if (failure instanceof SignatureRefused) throw new Refused(reason, invalidField('body', failure.message));
    throw failure;
  }
}

function refuseClosed({ status, isAppSuspended, isChannelDeleted }: ReceivingWebhook): void {
  if (status === 'disabled') throw new Refused('webhook_disabled', new ApiError('CONFLICT', 'The webhook is disabled'));
  if (isAppSuspended)
    throw new Refused('app_suspended', new ApiError('CONFLICT', 'The app of this webhook is suspended'));
  if (isChannelDeleted) throw channelDeleted();
}

const channelDeleted = (): Refused =>
  new Refused('channel_deleted', new ApiError('CONFLICT', 'The channel of this webhook was deleted'));

const unavailable = (message: string, cause?: unknown, inMs = RETRY_AFTER_SECONDS * 1_000): ApiError =>
  new ApiError('UNAVAILABLE', message, { retryAfter: Math.max(1, Math.ceil(inMs / 1_000)), cause });

/** Names what decides how a request is read: a webhook that is changed begins with a clean slate. */
const rulesHash = ({ scheme, provider, settings }: ReceivingWebhook): string =>
  createHash('sha256')
    .update(JSON.stringify([scheme, provider, settings]))
    .digest('base64url');
