// Sets the security headers of every answer of the console: no foreign content, no framing, no type sniffing. The script in the
// page, and styles that the pages add at run time, need the nonce. The nonce differs in every answer.

import { randomBytes } from 'node:crypto';

import type { RequestHandler, Response } from 'express';
import helmet from 'helmet';

/** The nonce of an answer. */
export function nonceOf(res: Response): string {
  return res.locals['nonce'] as string;
}

const NONE = ["'none'"];
const SELF = ["'self'"];

/** Allows content from the gateway itself, and elements with the nonce of the answer. */
const SELF_OR_NONCE = [...SELF, (_req: unknown, res: unknown) => `'nonce-${nonceOf(res as Response)}'`];

export function setSecurityHeaders(): RequestHandler {
  const setAll = helmet({
    contentSecurityPolicy: {
      useDefaults: false, // the defaults make browsers change requests to HTTPS, but loopback uses HTTP
      directives: {
        defaultSrc: NONE,
        scriptSrc: SELF_OR_NONCE,
        styleSrc: SELF_OR_NONCE,
        imgSrc: [...SELF, 'data:'],
        connectSrc: SELF,
        fontSrc: SELF,
        frameAncestors: NONE,
        baseUri: NONE,
        formAction: SELF,
      },
    },
    strictTransportSecurity: false, // this header would make browsers use HTTPS for every port of this machine
    xFrameOptions: { action: 'deny' },
  });
  return (req, res, next) => {
    res.locals['nonce'] = randomBytes(18).toString('base64');
    setAll(req, res, next);
  };
}
