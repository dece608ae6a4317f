// How the target of a request is parsed for routing.

import { expect, test } from 'vitest';

import { readTarget } from '../../../server/http/target.ts';

test.each<[target: string, host: string | undefined, url: string]>([
  ['/v1/x?a=1', undefined, '/v1/x?a=1'],
  ['/v1/x?a=b#c', undefined, '/v1/x?a=b'],
  ['/http://a/b', undefined, '/http://a/b'],
  ['http://gateway/v1/x?a=1', 'gateway', '/v1/x?a=1'],
  ['HTTP://gateway:7410', 'gateway:7410', '/'],
  ['http://gateway?a', 'gateway', '/?a'],
  ['http://[::1]:80/a', '[::1]:80', '/a'],
  ['http://[::1/a', undefined, '/*'],
  ['http://', undefined, '/*'],
  ['//a/b', undefined, '//a/b'],
  ['*', undefined, '/*'],
  ['', undefined, '/*'],
])('%j', (target, host, url) => {
  expect(readTarget(target)).toEqual({ host, url });
});
