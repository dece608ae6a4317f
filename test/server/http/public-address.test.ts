// The names and addresses in a certificate.

import { X509Certificate } from 'node:crypto';

import { expect, test } from 'vitest';

import { hostsIn } from '../../../server/http/public-address.ts';
import { makeCertificate } from '../../support/certificate.ts';

test('are listed in the form in which people write them and the system lists them', () => {
  const { cert } = makeCertificate({ hosts: ['Tills.Shop.example', '*.shop.example', '192.168.1.20', 'fd00::2'] });
  expect(hostsIn(new X509Certificate(cert))).toEqual([
    'tills.shop.example',
    '*.shop.example',
    '192.168.1.20',
    'fd00::2',
  ]);
});
