// An event of a certification, for tests of its judge and its words.

import type { CertifySale } from '../../server/contract/certify.ts';

/** A new sale with nothing special. */
export const SOLD: CertifySale = {
  kind: 'sale',
  externalId: 'A',
  recordId: 7,
  status: 'NEW',
  clockSeconds: null,
  digits: null,
  isSame: null,
  isCopy: false,
  afterMs: null,
};
