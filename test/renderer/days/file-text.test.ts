// Spreadsheet files in each common encoding.

import { expect, test } from 'vitest';

import { textOf } from '../../../renderer/days/file-text.ts';

test.each([
  ['UTF-8', [0x43, 0x61, 0x66, 0xc3, 0xa9]],
  ['UTF-8 with a byte order mark', [0xef, 0xbb, 0xbf, 0x43, 0x61, 0x66, 0xc3, 0xa9]],
  ['the encoding of Windows', [0x43, 0x61, 0x66, 0xe9]],
  ['UTF-16', [0xff, 0xfe, 0x43, 0, 0x61, 0, 0x66, 0, 0xe9, 0]],
])('text in %s is decoded', (_, bytes) => expect(textOf(Uint8Array.from(bytes))).toBe('Café'));
