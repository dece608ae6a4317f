// Why a lane or a record does not get on: the plain sentence, what to do about it, and its code in small print.

import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { Cause, CauseCode } from '../../server/contract.ts';
import { useStoreFormats } from '../app/journal.tsx';
import type { en } from '../words/en.ts';

type Mended = keyof (typeof en)['causeMend'];

/** Those that somebody can do something about. */
const MENDED = {
  unreachable: true,
  untrusted: true,
  web_page: true,
  moved: true,
  key_refused: true,
  proxy_refused: true,
  nothing_taken: true,
  nothing_there: true,
  leads_back: true,
  no_upstream: true,
} as const satisfies Record<Mended, true>;

function isMended(code: CauseCode): code is Mended {
  return code in MENDED;
}

export function CauseSaid({ cause: { code, detail } }: { readonly cause: Cause }) {
  const { t } = useTranslation('cause');
  const { t: mend } = useTranslation('causeMend');
  const formats = useStoreFormats();
  if (code === 'other') return detail;
  const count = Number(detail);
  return (
    <>
      {code === 'passed_over' ? t(code, { count, n: formats.number(count) }) : t(code)}
      {isMended(code) && ` ${mend(code)}`}{' '}
      <Text span size="xs" c="dimmed" fw={400} style={{ overflowWrap: 'anywhere' }}>
        {detail === null || code === 'passed_over' ? code : `${code} ${detail}`}
      </Text>
    </>
  );
}
