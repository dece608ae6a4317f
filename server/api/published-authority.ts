// GET /ca.pem and /ca.der: the certificate of the gateway's own authority, which a till must trust. A till that asks for it
// does not trust the gateway yet, so both paths also work over HTTP. The person at the till must compare the fingerprint.

import type { IncomingMessage } from 'node:http';

import type { Express, Response } from 'express';

import { CA_DER_FILE, CA_FILE } from '../contract/join-request.ts';
import { GatewayError } from '../errors.ts';
import { pathOf } from '../lib/query-string.ts';

export interface PublishedAuthority {
  /** PEM. */
  readonly certificate: string;
  readonly der: Buffer;
}

export const AUTHORITY_PATHS = ['/ca.pem', '/ca.der'];
/** Phones and browsers offer to install a file of this type. */
const CONTENT_TYPE = 'application/x-x509-ca-cert';

/** Whether a call is a download of the authority's certificate. */
export function isAuthorityPath({ method, url }: Pick<IncomingMessage, 'method' | 'url'>): boolean {
  return (method === 'GET' || method === 'HEAD') && AUTHORITY_PATHS.includes(pathOf(url ?? ''));
}

/** Whether the first bytes of a connection ask for the authority's certificate. */
export function asksForAuthority(first: Buffer): boolean {
  return /^(\r?\n)*(GET|HEAD) \/ca\.(pem|der)[ ?]/.test(first.subarray(0, 32).toString('latin1'));
}

export function bindPublishedAuthority(app: Express, authority: () => PublishedAuthority | undefined): void {
  const send = (res: Response, file: string, read: (authority: PublishedAuthority) => string | Buffer): void => {
    const found = authority();
    if (found === undefined)
      throw new GatewayError('not_found', {
        detail: 'This gateway has no certificate authority of its own, so there is nothing to trust here.',
      });
    res.setHeader('Cache-Control', 'no-store');
    // `inline`, because an iPhone installs the certificate only if the browser opens it
    res.setHeader('Content-Disposition', `inline; filename="${file}"`);
    res.type(CONTENT_TYPE).send(read(found));
  };
  app.get('/ca.pem', (_req, res) => send(res, CA_FILE, ({ certificate }) => certificate));
  app.get('/ca.der', (_req, res) => send(res, CA_DER_FILE, ({ der }) => der));
}
