// What every answer of the console tells the browser to refuse: content from elsewhere, being framed, guessing types.
// Styles that the pages make while they run carry a nonce, which is another one for every answer.

import { randomBytes } from 'node:crypto';

import type { RequestHandler, Response } from 'express';
import helmet from 'helmet';

/** The nonce of an answer. */
export function nonceOf(res: Response): string {
  return res.locals['nonce'] as string;
}

const NONE = ["'none'"];
const SELF = ["'self'"];

export function setSecurityHeaders(): RequestHandler {
  const setAll = helmet({
    contentSecurityPolicy: {
      useDefaults: false, // theirs upgrade requests to HTTPS, which loopback does not speak
      directives: {
        defaultSrc: NONE,
        scriptSrc: SELF,
        styleSrc: [...SELF, (_req, res) => `'nonce-${nonceOf(res as Response)}'`],
        imgSrc: [...SELF, 'data:'],
        connectSrc: SELF,
        fontSrc: SELF,
        frameAncestors: NONE,
        baseUri: NONE,
        formAction: SELF,
      },
    },
    strictTransportSecurity: false, // it would hold for every port of this machine
    xFrameOptions: { action: 'deny' },
  });
  return (req, res, next) => {
    res.locals['nonce'] = randomBytes(18).toString('base64');
    setAll(req, res, next);
  };
}
