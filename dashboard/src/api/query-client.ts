import { QueryCache, QueryClient } from '@tanstack/react-query';
import { afterFailureMs } from '../lib/pace.ts';
import { isApiError } from './client.ts';

type Defaulted = QueryClient['defaultQueryOptions'];

/**
 * Asks the service for all pages. A page repeats its questions as it says itself, but what is not there is asked for once, and while the
 * service is away each question waits longer than the one before.
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
      // A refusal stays one; only what never got an answer is asked for again.
      retry: (count, error) => !isApiError(error) && count < 2,
      refetchOnWindowFocus: false,
      staleTime: 1_000,
    },
  },
  queryCache: new QueryCache({
    // The session has ended meanwhile: its gate finds that out once, and asks the person to sign in again.
    onError: (error, { queryKey }) => {
      const isKnown = queryClient.getQueryState(['session'])?.status === 'error';
      if (isApiError(error, 'UNAUTHORIZED') && queryKey[0] !== 'session' && !isKnown)
        void queryClient.invalidateQueries({ queryKey: ['session'] });
    },
  }),
});
