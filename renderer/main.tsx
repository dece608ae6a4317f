// Entry point of the console: loads the language and the first screen, then renders.

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

/**
 * Delay before the other screens are preloaded. After the preload, every screen opens even if the gateway cannot be reached.
 */
const PRELOAD_DELAY_MS = 2000;

start().catch((error: unknown) => {
  console.error(error);
  document.querySelector('#root')?.dispatchEvent(new Event('error')); // tells the script in index.html to reload the page
});

/**
 * Not top-level `await`, because that would be a deadlock: the screen chunks import this module, and this module waits for
 * them.
 */
async function start(): Promise<void> {
  await Promise.all([loadWords(navigator.languages), loadFirstScreen(queryClient, router)]);
  followChanges(queryClient);

  // The CSP nonce for style elements. The scroll lock library reads it from this global name.
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

  setTimeout(() => void preloadParts(), PRELOAD_DELAY_MS);
}
