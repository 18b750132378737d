import { useQuery } from '@tanstack/react-query';
import { api, type Delivery, type Message } from '../../api/client.ts';
import { memberText } from '../../lib/raw-json.ts';
import { useRefresh, useWatch } from '../../lib/refresh.ts';
import { useHere } from '../../lib/session.ts';

const EVERY_MS = 3_000;
const SOON_MS = 1_500;

/** Returns a message with its payload as it was published, and its deliveries. */
export function useMessage(id: string) {
  const { at, path } = useHere();
  const watch = useWatch();
  const message = useQuery({
    queryKey: [path, 'message', id],
    queryFn: () => api.messages.get(id, at).withAnswer(),
    refetchInterval: ({ state: { data } }) =>
      watch({ seen: data?.text, isOver: data !== undefined && data.data.deliveryStatus !== 'pending' }),
  });
  const deliveries = useDeliveriesOf(id);
  const text = message.data?.text;
  return {
    message,
    row: message.data?.data,
    payload: text === undefined ? undefined : memberText(text, 'payload'),
    deliveries,
  };
}

/**
 * Returns the deliveries of a message, at most a hundred. Response bodies have up to 16 KiB each, and rows do not show
 * them.
 */
export function useDeliveriesOf(id: string) {
  const { at, path } = useHere();
  const found = useQuery({
    queryKey: [path, 'deliveries-of', id],
    queryFn: () => api.deliveries.list({ messageId: id, limit: 100, responseBodies: 'false' }, at).page(),
    refetchInterval: ({ state: { data } }) => (data?.data.some(isInProgress) === true ? SOON_MS : EVERY_MS),
  });
  return { found, rows: found.data?.data ?? [], isMore: found.data?.pagination.hasMore === true };
}

export const isInProgress = ({ status }: Delivery): boolean => status === 'pending' || status === 'retrying';

/**
 * Whether a message can be sent again. One that is scheduled or was cancelled was never published, and an erased one
 * has nothing left to send.
 */
export const isSendable = ({ deliveryStatus, erasedAt }: Message): boolean =>
  erasedAt === undefined && deliveryStatus !== 'scheduled' && deliveryStatus !== 'cancelled';

/** The irreversible actions of a message. */
export function useMessageActs(id: string) {
  const { at } = useHere();
  const refresh = useRefresh();
  return {
    erase: async (): Promise<void> => {
      await api.messages.delete(id, at);
      await refresh();
    },
    cancel: async (): Promise<void> => {
      await api.messages.cancel(id, at);
      await refresh();
    },
  };
}
