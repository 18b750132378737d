import { QueryCache, QueryClient } from '@tanstack/react-query';
import { afterFailureMs } from '../lib/pace.ts';
import { isApiError } from './client.ts';

type Defaulted = QueryClient['defaultQueryOptions'];

/**
 * Runs the queries of all pages. A page sets how often its queries repeat, but a resource that does not exist is
 * requested once, and while the service is down each query waits longer than before.
 */
class PagesClient extends QueryClient {
  override defaultQueryOptions: Defaulted = (options) => {
    const defaulted = super.defaultQueryOptions(options);
    if (!('refetchInterval' in defaulted) || options._defaulted === true) return defaulted;
    const usual = defaulted.refetchInterval;
    defaulted.refetchInterval = (query) => {
      const ms = typeof usual === 'function' ? usual(query) : usual;
      if (typeof ms !== 'number' || query.state.status !== 'error') return ms;
      return !isApiError(query.state.error, 'NOT_FOUND') && afterFailureMs(ms, query.state);
    };
    return defaulted;
  };
}

export const queryClient: QueryClient = new PagesClient({
  defaultOptions: {
    queries: {
      // An error response is final; only a request without a response is repeated.
      retry: (count, error) => !isApiError(error) && count < 2,
      refetchOnWindowFocus: false,
      staleTime: 1_000,
    },
  },
  queryCache: new QueryCache({
    // The session has ended meanwhile. The gate notices that once and asks the user to sign in again.
    onError: (error, { queryKey }) => {
      const isKnown = queryClient.getQueryState(['session'])?.status === 'error';
      if (isApiError(error, 'UNAUTHORIZED') && queryKey[0] !== 'session' && !isKnown)
        void queryClient.invalidateQueries({ queryKey: ['session'] });
    },
  }),
});
