import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { isApiError } from './api/client.ts';
import './lib/usable-language.ts';
import './lib/code.ts';
import { ActProvider } from './parts/acts.tsx';
import { PreferencesProvider } from './parts/preferences-provider.tsx';
import { router } from './router.tsx';
import { Toasts } from './ui/toast.tsx';
import { TooltipProvider } from './ui/tooltip.tsx';
import './ui/theme.css';

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // A refusal stays one; only what never got an answer is asked for again.
      retry: (count, error) => !isApiError(error) && count < 2,
      refetchOnWindowFocus: false,
      staleTime: 1_000,
    },
  },
  queryCache: new QueryCache({
    // The session has ended meanwhile: its gate finds that out, and leads to the sign-in page.
    onError: (error, { queryKey }) => {
      if (isApiError(error, 'UNAUTHORIZED') && queryKey[0] !== 'session')
        void client.invalidateQueries({ queryKey: ['session'] });
    },
  }),
});

const place = document.getElementById('root');
if (place === null) throw new Error('index.html has no place for the pages');
createRoot(place).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <PreferencesProvider>
        <QueryClientProvider client={client}>
          <TooltipProvider>
            <Toasts>
              <ActProvider>
                <RouterProvider router={router} />
              </ActProvider>
            </Toasts>
          </TooltipProvider>
        </QueryClientProvider>
      </PreferencesProvider>
    </CSPProvider>
  </StrictMode>,
);
