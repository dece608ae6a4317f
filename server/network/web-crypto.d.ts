// Declares the global Web Crypto types that `@peculiar/x509` expects from a browser.

import type { webcrypto } from 'node:crypto';

declare global {
  type Algorithm = webcrypto.Algorithm;
  type AlgorithmIdentifier = webcrypto.AlgorithmIdentifier;
  type BufferSource = webcrypto.BufferSource;
  type Crypto = webcrypto.Crypto;
  type CryptoKey = webcrypto.CryptoKey;
  type CryptoKeyPair = webcrypto.CryptoKeyPair;
  type EcKeyGenParams = webcrypto.EcKeyGenParams;
  type EcKeyImportParams = webcrypto.EcKeyImportParams;
  type EcdsaParams = webcrypto.EcdsaParams;
  type KeyUsage = webcrypto.KeyUsage;
  type RsaHashedImportParams = webcrypto.RsaHashedImportParams;
}
