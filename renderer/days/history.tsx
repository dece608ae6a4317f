// The history of a day's verdict, newest first.

import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { DayEntry } from '../../server/contract/days.ts';
import { VerdictMark } from '../components/verdict-mark.tsx';
import { shortReason } from '../model/day-state.ts';
import { useStoreFormats } from '../model/selected-journal.ts';
import { Section } from './section.tsx';
import { ShortList } from './short-list.tsx';

import classes from './days.module.css';

export function History({ entries }: { readonly entries: readonly DayEntry[] }) {
  const { t } = useTranslation('day');
  const formats = useStoreFormats();
  if (entries.length === 0) return null;
  return (
    <Section name={t('history')}>
      <ShortList label={t('history')} items={entries} keyOf={({ kind, at }) => `${kind} ${at}`}>
        {(entry) => (
          <>
            <Text size="sm" c="dimmed" component="time" title={formats.exact(entry.at)} className={classes.when ?? ''}>
              {formats.time(entry.at)}
            </Text>
            {entry.kind === 'verdict' ? <Judged entry={entry} /> : <Signed entry={entry} />}
          </>
        )}
      </ShortList>
    </Section>
  );
}

function Judged({ entry }: { readonly entry: Extract<DayEntry, { kind: 'verdict' }> }) {
  const { t } = useTranslation('day');
  const { t: reasons } = useTranslation('reasonShort');
  const formats = useStoreFormats();
  const said = (n: number | null): string => (n === null ? '–' : formats.number(n));
  const { here, upstream, declared, verdict, isProvisional } = entry;
  const about = [isProvisional ? t('provisionally') : undefined, shortReason(entry, reasons, formats)];
  return (
    <>
      <VerdictMark state={verdict} />
      <Text size="sm">{about.filter((each) => each !== undefined).join(', ')}</Text>
      <Text size="sm" c="dimmed">
        {t('numbers', { here: said(here), upstream: said(upstream), declared: said(declared) })}
      </Text>
    </>
  );
}

function Signed({ entry: { kind, name, note } }: { readonly entry: Exclude<DayEntry, { kind: 'verdict' }> }) {
  const { t } = useTranslation('day');
  return (
    <Text size="sm" className={classes.told ?? ''}>
      {t(kind === 'signed off' ? 'historySigned' : 'historyUnsigned', { name })}
      {note !== '' && ` ${t('quoted', { note })}`}
    </Text>
  );
}
