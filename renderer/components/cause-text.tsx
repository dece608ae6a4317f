// Why a lane or a record is stuck: a plain sentence, what to do, and the code in small print.

import { Text } from '@mantine/core';
import type { i18n } from 'i18next';
import { useTranslation } from 'react-i18next';

import type { Cause, CauseCode } from '../../server/contract/codes.ts';
import type { Catalogue } from '../locales/catalogue.ts';
import { useStoreFormats } from '../model/selected-journal.ts';
import { ForeignText } from './foreign-text.tsx';

type CauseWithRemedy = keyof Catalogue['causeRemedy'];

/** True if the screen texts contain a remedy for this cause. */
function hasRemedy(code: CauseCode, i18n: i18n): code is CauseWithRemedy {
  return i18n.exists(code, { ns: 'causeRemedy' });
}

export function CauseText({ cause: { code, detail } }: { readonly cause: Cause }) {
  const { t } = useTranslation('cause');
  const { t: remedy, i18n } = useTranslation('causeRemedy');
  const formats = useStoreFormats();
  if (code === 'other') return <ForeignText>{detail ?? ''}</ForeignText>;
  const count = Number(detail);
  return (
    <>
      {code === 'passed_over' ? t(code, { count, n: formats.number(count) }) : t(code)}
      {hasRemedy(code, i18n) && ` ${remedy(code)}`}{' '}
      <Text span size="xs" c="dimmed" fw={400} style={{ overflowWrap: 'anywhere' }}>
        {detail === null || code === 'passed_over' ? code : `${code} ${detail}`}
      </Text>
    </>
  );
}
