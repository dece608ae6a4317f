// The console's pages, as they were built: the files of one folder and nothing else. Every address that is not a file gets
// index.html, where the pages find their way by themselves.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import express, { type Express, type NextFunction, type Request, type Response } from 'express';

import { nonceOf } from './security-headers.ts';

/** What the build leaves in the pages for the nonce of an answer. */
const NONCE_PLACEHOLDER = /__CSP_NONCE__/g;
const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** Binds the pages that lie in `folder`; they may be built, or built anew, while the gateway runs. */
export function bindPages(app: Express, folder: string): void {
  const readIndex = openIndex(join(folder, 'index.html'));
  const sendIndex = (_req: Request, res: Response): void => {
    const index = readIndex();
    res.setHeader('Cache-Control', 'no-store'); // its nonce is for once
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
        // The build puts the hash of its content into the name of each of these.
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
    // Only who looks for a page: a script or picture that is not there is not there.
    if (req.headers.accept?.includes('text/html') === true && !req.path.startsWith('/assets/')) sendIndex(req, res);
    else next();
  });
}

/** Leads to the compressed file beside one, where there is one and the browser takes it. */
function preferCompressed(assets: string) {
  return (req: Request, res: Response, next: NextFunction): void => {
    res.vary('Accept-Encoding');
    const isCompressible = /^\/[\w.-]+\.(js|css)$/.test(req.path) && req.acceptsEncodings('gzip') === 'gzip';
    if (isCompressible && existsSync(join(assets, `${req.path}.gz`))) req.url = `${req.path}.gz`;
    next();
  };
}

/** Reads the file again when it has changed. */
function openIndex(path: string): () => string | undefined {
  let read: { readonly mtimeMs: number; readonly text: string } | undefined;
  return () => {
    const mtimeMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (mtimeMs === undefined) return undefined;
    if (read?.mtimeMs !== mtimeMs) read = { mtimeMs, text: readFileSync(path, 'utf8') };
    return read.text;
  };
}

const NOT_BUILT = `The gateway is running and takes sales, but the console's pages are not built.

In a checkout: npm run build
Then load this page again.
`;
