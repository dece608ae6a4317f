// The numbers of a lane. Numbers of records link to the records.

import { SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import type { DeliveryState } from '../../server/contract/codes.ts';
import type { LaneView } from '../../server/contract/lanes.ts';
import { CountLink } from '../components/count-link.tsx';
import { useNow } from '../lib/use-now.ts';
import { useStoreFormats } from '../model/selected-journal.ts';
import type { Tone } from '../theme/theme.ts';
import { estimateEmptyMs } from './lane-state.ts';

import classes from '../components/count-link.module.css';

export function LaneNumbers({ lane, isOnly }: { readonly lane: LaneView; readonly isOnly: boolean }) {
  const { t } = useTranslation('upstream');
  const formats = useStoreFormats();
  const { deliveries, oldestWaitingAt, deliveredAt, perSecond, state } = lane;
  const now = useNow();
  const leftMs = estimateEmptyMs(lane);

  const counted = (delivery: DeliveryState, word: string, tone?: Tone): ReactNode => (
    <CountLink
      n={deliveries[delivery]}
      word={word}
      {...(tone !== undefined && { tone })}
      to="/records"
      search={isOnly ? { delivery } : { delivery, interface: lane.interface }}
    />
  );

  return (
    <SimpleGrid cols={{ base: 2, xs: 3, md: 6 }} spacing="xs">
      {counted('waiting', t('waitingHere', { count: deliveries.waiting }), 'waiting')}
      <Fact
        value={
          oldestWaitingAt === null ? '–' : t('oldestFor', { span: formats.span(Math.max(0, now - oldestWaitingAt)) })
        }
        word={t('oldest')}
        {...(oldestWaitingAt !== null && { title: formats.exact(oldestWaitingAt) })}
      />
      <Fact
        value={
          state === 'running'
            ? formats.number(perSecond < 10 ? Math.round(perSecond * 10) / 10 : Math.round(perSecond))
            : '–'
        }
        word={leftMs === undefined ? t('perSecond') : t('perSecondEmpty', { span: formats.span(leftMs) })}
      />
      {counted('delivered', t('delivered'))}
      {counted('held', t('held'), 'bad')}
      {counted('set aside', t('setAsideCount'))}
      {deliveredAt !== null && (
        <Text size="sm" c="dimmed" title={formats.exact(deliveredAt)} style={{ gridColumn: '1 / -1' }}>
          {t('lastDelivery', { time: formats.time(deliveredAt) })}
        </Text>
      )}
    </SimpleGrid>
  );
}

function Fact({ value, word, title }: { readonly value: string; readonly word: string; readonly title?: string }) {
  return (
    <div className={classes.count} style={{ borderRadius: 6 }} title={title}>
      <Text component="span" fz={24} fw={600} lh={1.2}>
        {value}
      </Text>
      <span>{word}</span>
    </div>
  );
}
