import { expect, test } from 'vitest';

import { parseAct } from '../../../../server/store/setup/act-schema.ts';
import { actText } from '../../../../server/store/setup/act-text.ts';
import { ACTS } from '../../../support/acts.ts';

test.each(ACTS)('%j is shown as %s %s', (act, name, detail) => {
  expect(actText(act)).toEqual({ name, detail });
});

test.each(ACTS)('%j is read back as it was stored', (act) => {
  expect(parseAct(JSON.stringify(act))).toEqual(act);
});

test.each([
  'words',
  'null',
  '{}',
  '{"kind":"count the drawers"}',
  '{"kind":"pause","until":1}',
  '{"kind":"add user","name":"Ann","role":"owner"}',
  '{"kind":"change administration","changes":[{"member":"dayStartsAt","before":"0","after":"1"}]}',
])('%s is not an act of this version', (json) => {
  expect(parseAct(json)).toBeUndefined();
});
