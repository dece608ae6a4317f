// Serves the console's pages: the files of one folder. For any other address, it sends index.html, whose router chooses the
// screen.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import express, { type Express, type NextFunction, type Request, type Response } from 'express';

import { nonceOf } from './security-headers.ts';

/** The placeholder for the nonce in the built pages. Each answer gets its own nonce. */
const NONCE_PLACEHOLDER = /__CSP_NONCE__/g;
const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** Binds the pages in `folder`. A new build may replace the files while the gateway runs. */
export function bindPages(app: Express, folder: string): void {
  const readIndex = openIndex(join(folder, 'index.html'));
  const sendIndex = (_req: Request, res: Response): void => {
    const index = readIndex();
    res.setHeader('Cache-Control', 'no-store'); // each answer contains a new nonce, so no copy may be stored
    if (index === undefined) return void res.status(503).type('text/plain').send(NOT_BUILT);
    res.type('html').send(index.replace(NONCE_PLACEHOLDER, nonceOf(res)));
  };
  app.get(['/', '/index.html'], sendIndex);
  app.use('/assets', preferCompressed(join(folder, 'assets')));
  app.use(
    express.static(folder, {
      index: false,
      redirect: false,
      dotfiles: 'ignore',
      cacheControl: false,
      setHeaders(res, path) {
        // The names of these files contain a content hash, so browsers may keep them for a year.
        const isHashed = path.startsWith(join(folder, 'assets'));
        res.setHeader('Cache-Control', isHashed ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache');
        if (!path.endsWith('.gz')) return;
        res.setHeader(
          'Content-Type',
          path.endsWith('.css.gz') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
        );
        res.setHeader('Content-Encoding', 'gzip');
      },
    }),
  );
  app.get('/{*page}', (req, res, next) => {
    // Sends index.html if a browser opens a page. If a script or a picture is missing, 404 is sent instead.
    if (req.headers.accept?.includes('text/html') === true && !req.path.startsWith('/assets/')) sendIndex(req, res);
    else next();
  });
}

/** Chooses the compressed file where it exists and the browser accepts it. */
function preferCompressed(assets: string) {
  return (req: Request, res: Response, next: NextFunction): void => {
    res.vary('Accept-Encoding');
    const isCompressible = /^\/[\w.-]+\.(js|css)$/.test(req.path) && req.acceptsEncodings('gzip') === 'gzip';
    if (isCompressible && existsSync(join(assets, `${req.path}.gz`))) req.url = `${req.path}.gz`;
    next();
  };
}

/**
 * Returns a function that returns the text of the file. It reads the file at the first call, and again after the file has
 * changed. It returns undefined if the file is missing.
 */
function openIndex(path: string): () => string | undefined {
  let read: { readonly mtimeMs: number; readonly text: string } | undefined;
  return () => {
    const mtimeMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (mtimeMs === undefined) return undefined;
    if (read?.mtimeMs !== mtimeMs) read = { mtimeMs, text: readFileSync(path, 'utf8') };
    return read.text;
  };
}

const NOT_BUILT = `The gateway is running and accepts sales, but the console's pages are not built.

In a checkout: npm run build
Then load this page again.
`;
