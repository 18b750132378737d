import { Failure } from './failure.tsx';
import { Waiting } from './waiting.tsx';

type Query = { isError: boolean; error: unknown; refetch: () => unknown };

/** Stands in place of what a query has not given yet, or could not give. */
export const Unread = ({ of: query }: { of: Query }) =>
  query.isError ? <Failure error={query.error} onRetry={() => void query.refetch()} /> : <Waiting />;
