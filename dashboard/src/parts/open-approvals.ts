import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import type { Here } from '../lib/session.ts';

/** Counting stops here. */
export const MOST_APPROVALS = 100;

/** Returns how many approvals of the environment wait for a decision. */
export const openApprovals = (at: Here['at'], path: string) =>
  queryOptions({
    queryKey: [path, 'open-approvals'],
    queryFn: async () => (await api.approvals.list({ status: 'open', limit: MOST_APPROVALS }, at).page()).data.length,
    refetchInterval: 10_000,
  });
