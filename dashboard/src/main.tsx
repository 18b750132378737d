import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/query-client.ts';
import './lib/usable-language.ts';
import './lib/code.ts';
import { ActProvider } from './parts/acts.tsx';
import { PreferencesProvider } from './parts/preferences-provider.tsx';
import { router } from './router.tsx';
import { Toasts } from './ui/toast.tsx';
import { TooltipProvider } from './ui/tooltip.tsx';
import './ui/theme.css';

const place = document.getElementById('root');
if (place === null) throw new Error('index.html has no place for the pages');
createRoot(place).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <PreferencesProvider>
        <QueryClientProvider client={queryClient}>
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
