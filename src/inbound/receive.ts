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

/**
 * Called for each request to a known webhook with `received`, `repeated`, `handshake`, or the reason why it was
 * refused.
 */
type InboundObserver = (sender: string, outcome: 'received' | 'repeated' | 'handshake' | RefusalReason) => void;

type ReceiveWebhook = (id: string, request: InboundRequest) => Promise<Received>;

/** The outcome of a request to a known webhook. */
type Judged =
  | { outcome: 'received' | 'repeated' | 'handshake'; answer: Received }
  | { outcome: 'refused'; reason: RefusalReason; error: ApiError };

/** The result of accepting a refused request. `eventId` is set if the mapping found one. */
type AcceptedOrRefused = { eventId?: string | undefined } & (
  | { messageId: string; isRepeated: boolean }
  | { reason: RefusalReason; error: ApiError }
);

/** Receives requests from outside, and samples, which the service sends to itself. */
export type Receiving = {
  receive: ReceiveWebhook;
  /** Processes a signed sample, which is marked in lists. Returns a refusal instead of throwing it. */
  receiveSample(id: string, request: InboundRequest): Promise<Judged>;
  /**
   * Publishes a message from a request that was refused although its signature was valid, using the current settings of
   * the webhook and its channel. However many callers accept the request at the same time, it becomes one message.
   * Returns the reason if it is refused again.
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

/** What is known about a request so far, for storing its refusal. `proven` is set if its signature was valid. */
type Learnt = { eventId?: string | undefined; proven?: VerifiedSignature; secrets?: readonly string[] };

/** Why a request does not become a message, and the error that its sender receives. */
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
 * Receives requests of external services (spec §4 Inbound webhook). Verifies the signature over the exact bytes first,
 * then checks what the webhook and its channel accept. When this returns, the message and its event id are committed.
 * Throws NOT_FOUND for an unknown webhook, INVALID_REQUEST (field signature) if the signature is not valid, and
 * UNAVAILABLE for internal errors, after which the sender retries. Refused requests of a known webhook are stored,
 * including their bodies if their signatures were valid.
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
   * Runs work that reads a whole body. Large bodies are processed one after another and other requests are served in
   * between, because anyone can send any number of them. `moved`: bytes transferred for this work.
   */
  const inTurn = async <T>(
    { owner, part, bytes, moved = 0 }: { owner: string; part: string; bytes: number; moved?: number },
    act: () => T,
  ): Promise<T> => {
    if (bytes < COSTLY_BYTES) return act();
    return takeSteps(costly, owner, { steps: { next: () => ({ done: true, value: act() }) }, part, bytes: moved });
  };

  /** Returns the secrets that can be decrypted. If one of two is damaged, the other one is still used. */
  const open = ({ id, secrets }: ReceivingWebhook): string[] => {
    const opened = secrets.flatMap((sealed) => {
      try {
        return [openWebhookSecret(keyRing, sealed)];
      } catch (err) {
        log.error(
          { err, webhookId: id },
          'could not decrypt a secret of an inbound webhook; requests are checked with its other secrets, or refused with UNAVAILABLE if there are none. Rotate the secret or restore the encryption key',
        );
        return [];
      }
    });
    if (opened.length === 0) throw unavailable('No secret of this webhook can be decrypted at the moment');
    return opened;
  };

  const prove = async (
    webhookId: string,
    { incoming, provider, secrets }: { incoming: Incoming; provider: Provider; secrets: readonly string[] },
  ): Promise<VerifiedSignature> => {
    try {
      // A check that fetches a certificate does not block others: its turn ends once it waits.
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
      // The text contains neither bytes of the request nor secrets, because the sender receives it and it is shown in
      // the webhook's log.
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
      log.info({ webhookId }, 'an inbound webhook confirmed the subscription of its service; requests will follow');
    } catch (cause) {
      throw unavailable(
        'The address that confirms the subscription could not be reached; send the request again',
        cause,
      );
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
      /** Used as the event id if the service does not have any. */
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
   * Runs mapping and publishing of a verified request. Either could crash the process, and the sender would send the
   * request again. Refuses the request as `crashed` after three such crashes.
   */
  const guarded = async <T>(webhook: ReceivingWebhook, act: () => Promise<T>): Promise<T> => {
    const work = { kind: 'inbound', id: webhook.id, part: () => rulesHash(webhook) } as const;
    try {
      return await crashes.during(work, act);
    } catch (failure) {
      if (failure instanceof WorkPauses)
        throw unavailable(
          'The service stopped while it processed a request to this webhook; send the request again later',
          failure,
          failure.inMs,
        );
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
    // The sender retries after this response, so no request is lost.
    if (webhook.secrets.length === 0)
      throw new Refused(
        'secret_missing',
        unavailable(`The webhook does not have the secret that ${provider.title} shows yet`),
      );
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
          'could not store the refusal of a request to an inbound webhook; the request was refused anyway',
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

/** Groups the work on a verified body by environment and webhook. */
const turnOf = ({ id, environmentId }: ReceivingWebhook, { bytes }: Incoming) => ({
  owner: environmentId,
  part: id,
  bytes: bytes.length,
});

/** Returns the explanation stored with a refusal. */
export const refusalDetailOf = ({ message }: ApiError): string => message.slice(0, MAX_DETAIL_LENGTH);

/**
 * Bodies of requests to a deleted channel are not kept because they can never be accepted, nor those of samples, which
 * can be sent again.
 */
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

/** Runs `act` and turns an INVALID_REQUEST into a refusal with this reason. */
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
  new Refused('channel_deleted', new ApiError('CONFLICT', 'The channel of this webhook has been deleted'));

const unavailable = (message: string, cause?: unknown, inMs = RETRY_AFTER_SECONDS * 1_000): ApiError =>
  new ApiError('UNAVAILABLE', message, { retryAfter: Math.max(1, Math.ceil(inMs / 1_000)), cause });

/**
 * Hash of the settings that decide how a request is processed, so that a changed webhook starts without recorded
 * crashes.
 */
const rulesHash = ({ scheme, provider, settings }: ReceivingWebhook): string =>
  createHash('sha256')
    .update(JSON.stringify([scheme, provider, settings]))
    .digest('base64url');
