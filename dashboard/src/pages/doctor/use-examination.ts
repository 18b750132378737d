import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, isApiError } from '../../api/client.ts';
import { addressOfId } from '../../lib/find-id.ts';
import { bodyOf, canSign, examineSignature, type SignatureFault, readHeaders, type Seen } from '../../lib/signature.ts';
import { useHere, useSession } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { useIsProven } from '../../parts/identity-note.tsx';
import { useSettled } from '../../parts/use-found.ts';

export type AskedExamination = {
  headers: string;
  body: string;
  /** The endpoint's secret. Empty if not known. */
  theirs: string;
  clock: Date | undefined;
  /** Empty means the only one that received the message. */
  subscriptionId: string;
};

export type Examination = {
  seen: Seen;
  /** Undefined if not loaded yet, or not in this environment. */
  message: { id: string; eventType: string; channelId: string; publishedAt: string } | undefined;
  subscriptionId: string | undefined;
  findings: readonly SignatureFault[] | undefined;
  /** What is still needed before there is a result. */
  needs: 'headers' | 'subscription' | 'proof' | 'https' | undefined;
  /** The signature debugger of the environment that has the message. */
  elsewhere: string | undefined;
  error: unknown;
  isReading: boolean;
  /** Reveals the secret, once the user has verified the session. */
  prove: () => void;
};

const idIsWhole = (id: string | undefined): id is string => id !== undefined && id.length > 0;

/**
 * Finds the reason why an endpoint rejects a signature while the user pastes its request. The subscription's secret is
 * fetched once, because each reveal is recorded in the audit log.
 */
export function useExamination(asked: AskedExamination): Examination {
  const { at, path } = useHere();
  const session = useSession();
  const client = useQueryClient();
  const { act } = useActs();
  const isProven = useIsProven();
  const headers = useSettled(asked.headers);
  const body = useSettled(asked.body);
  const theirs = useSettled(asked.theirs).trim();
  const seen = readHeaders(headers);
  const { id } = seen;
  const message = useQuery({
    queryKey: [path, 'message', id],
    queryFn: () => api.messages.get(id ?? '', at).withAnswer(),
    enabled: idIsWhole(id),
    retry: false,
    meta: { failure: 'own' },
  });
  const isGone = isApiError(message.error, 'NOT_FOUND');
  const elsewhere = useQuery({
    queryKey: [path, 'elsewhere', id],
    queryFn: async () => (await addressOfId(session, path, id ?? ''))?.replace(/\/messages\/.*$/, '/doctor') ?? null,
    enabled: isGone,
    meta: { failure: 'own' },
  });
  const recipients = useQuery({
    queryKey: [path, 'recipients', id],
    queryFn: async () =>
      (await api.deliveries.list({ messageId: id ?? '', responseBodies: 'false', limit: 2 }, at).page()).data.map(
        (delivery) => delivery.subscriptionId,
      ),
    enabled: message.data !== undefined && asked.subscriptionId === '',
    meta: { failure: 'own' },
  });
  const [only, other] = recipients.data ?? [];
  const subscriptionId = asked.subscriptionId === '' ? (other === undefined ? only : undefined) : asked.subscriptionId;
  const secretQuery = {
    queryKey: [path, 'secret of', subscriptionId],
    queryFn: async () => (await api.subscriptions.getSecret(subscriptionId ?? '', at)).secret,
    staleTime: Infinity,
    // Secrets are never stored.
    gcTime: 0,
    retry: false,
    meta: { failure: 'own' },
  };
  const isWhole = idIsWhole(id) && seen.timestamp !== undefined && seen.signatures.length > 0;
  const secret = useQuery({
    ...secretQuery,
    enabled: isWhole && isProven && message.data !== undefined && subscriptionId !== undefined && canSign(),
  });
  const sent = message.data === undefined ? undefined : bodyOf(message.data.text);
  const [findings, setFindings] = useState<readonly SignatureFault[]>();
  const clock = asked.clock?.getTime();
  const signatures = seen.signatures.join(' ');
  const isReady = secret.data !== undefined && sent !== undefined;
  useEffect(() => {
    let isOver = false;
    const isMissing = headers.trim() !== '' && !isWhole;
    if (!isMissing && !isReady) {
      setFindings(undefined);
      return undefined;
    }
    void examineSignature({
      seen: {
        ...(id !== undefined && { id }),
        ...(seen.timestamp !== undefined && { timestamp: seen.timestamp }),
        signatures: signatures === '' ? [] : signatures.split(' '),
      },
      body: body.replace(/\r?\n$/, ''),
      sent: sent ?? '',
      secret: secret.data ?? '',
      theirs: theirs === '' ? undefined : theirs,
      clock: clock === undefined ? undefined : new Date(clock),
    }).then((found) => !isOver && setFindings(found));
    return () => {
      isOver = true;
    };
  }, [headers, isWhole, isReady, id, seen.timestamp, signatures, body, sent, secret.data, theirs, clock]);
  const needs = (): Examination['needs'] => {
    if (headers.trim() === '') return 'headers';
    if (!isWhole || message.data === undefined) return undefined;
    if (!canSign()) return 'https';
    if (subscriptionId === undefined) return recipients.isSuccess ? 'subscription' : undefined;
    return !isProven && secret.data === undefined ? 'proof' : undefined;
  };
  return {
    seen,
    message: message.data?.data,
    subscriptionId,
    findings,
    needs: needs(),
    elsewhere: elsewhere.data ?? undefined,
    error: (isGone ? undefined : message.error) ?? recipients.error ?? secret.error ?? undefined,
    isReading: message.isFetching || recipients.isFetching || secret.isFetching || elsewhere.isFetching,
    prove: () => void act(() => client.fetchQuery(secretQuery), { told: () => undefined }),
  };
}
