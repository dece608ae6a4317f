// The console's entry: the language and the look, then the screens.

import './app/take-session-key.ts';
import './theme/mantine-styles.ts';
import './theme/global.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

import { queryClient } from './api/client.ts';
import { followChanges } from './api/live.ts';
import { loadFirstScreen } from './app/first-load.ts';
import { router } from './app/router.tsx';
import { preloadParts } from './lib/lazy-part.tsx';
import { loadWords } from './locales/words.ts';
import { cssVariables, theme } from './theme/theme.ts';

/** After the first screen: with all of them here, every one can be looked at while the gateway cannot be reached. */
const OTHER_PARTS_MS = 2000;

void start();

/** Not at the top of the module: the files of the screens wait for this one, and would be waited for here. */
async function start(): Promise<void> {
  await Promise.all([loadWords(navigator.languages), loadFirstScreen(queryClient, router)]);
  followChanges(queryClient);

  // What the gateway allows styles by; what locks scrolling under a drawer looks for it under this name.
  const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
  Object.assign(globalThis, { __webpack_nonce__: nonce });

  const root = document.querySelector('#root');
  if (root === null) throw new Error('index.html has no #root');
  createRoot(root).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );

  setTimeout(() => void preloadParts(), OTHER_PARTS_MS);
}
