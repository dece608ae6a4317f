// The timeline of a record: sold, arrived, on disk, upstream. The time of sale is by the till's clock, all other times are by
// the gateway's clock.

import { Box, Text, Title } from '@mantine/core';
import { Archive, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import type { Delivery, RecordDetail, RecordSummary } from '../../server/contract/records.ts';
import { CauseText } from '../components/cause-text.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { useStoreFormats } from '../model/selected-journal.ts';
import type { Tone } from '../theme/theme.ts';

import classes from './record.module.css';

export function Timeline({ detail: { record, isIntact, isUnreadable } }: { readonly detail: RecordDetail }) {
  const { t } = useTranslation('record');
  const formats = useStoreFormats();
  return (
    <Box component="section">
      <Title order={3} size="h5" mb={6}>
        {t('way')}
      </Title>
      <ol className={classes.way}>
        <Step name={t('soldAt')} at={record.soldAt * 1000}>
          {t('soldBy', { till: record.till })}
        </Step>
        <Step name={t('arrivedAt')} at={record.receivedAt}>
          <Lateness record={record} />
        </Step>
        {isIntact ? (
          <Step name={t('onDisk')}>{!isUnreadable && t('beforeAnswer', { size: formats.bytes(record.bytes) })}</Step>
        ) : (
          <Step name={t('damagedOnDisk')} tone="bad" />
        )}
        <LastStep record={record} />
      </ol>
    </Box>
  );
}

function Step({
  name,
  at = null,
  tone,
  Icon,
  children,
}: {
  readonly name: string;
  readonly at?: number | null;
  /** Set on the step that decides the record's state. */
  readonly tone?: Tone;
  readonly Icon?: LucideIcon;
  readonly children?: ReactNode;
}) {
  const formats = useStoreFormats();
  return (
    <li data-tone={tone}>
      <span className={classes.step}>
        {tone === undefined ? (
          <Text fw={600}>{name}</Text>
        ) : (
          <StateMark tone={tone} {...(Icon !== undefined && { Icon })}>
            {name}
          </StateMark>
        )}
        {at !== null && <time title={formats.exact(at)}>{formats.timeToSecond(at)}</time>}
      </span>
      <Text component="div" size="sm" c="dimmed">
        {children}
      </Text>
    </li>
  );
}

/** The delay between sale and arrival is shown only if it is longer than this. */
const MIN_DELAY_SHOWN_MS = 10_000;

function Lateness({ record }: { readonly record: RecordSummary }) {
  const { t } = useTranslation('record');
  const formats = useStoreFormats();
  const ms = record.receivedAt - record.soldAt * 1000;
  const span = formats.span(Math.abs(ms));
  if (record.clock !== undefined) return <StateMark tone="differs">{t(record.clock, { span })}</StateMark>;
  return ms > MIN_DELAY_SHOWN_MS ? t('arrivedAfter', { span }) : null;
}

function LastStep({ record: { delivery, status } }: { readonly record: RecordSummary }) {
  const { t } = useTranslation('record');
  if (delivery === null) return <Step name={t('notForwarded')}>{status === 'NEW' ? null : t('onlyFirst')}</Step>;
  switch (delivery.state) {
    case 'waiting':
      return (
        <Step name={t('waits')} tone="waiting">
          <Tries delivery={delivery} />
          {delivery.cause !== null && (
            <div>
              <CauseText cause={delivery.cause} />
            </div>
          )}
        </Step>
      );
    case 'delivered':
      return (
        <Step name={t('answeredAt')} at={delivery.answeredAt} tone="fine">
          <Tries delivery={delivery} />
          {delivery.upstreamStatus === 'IGNORED' && <div>{t('hadIt')}</div>}
          {delivery.upstreamStatus === 'ERROR' && <StateMark tone="differs">{t('conflictThere')}</StateMark>}
        </Step>
      );
    case 'held':
      return (
        <Step
          name={delivery.answerStatus === null ? t('heldHere') : t('refusedAt')}
          at={delivery.answeredAt}
          tone="bad"
        >
          <Tries delivery={delivery} />
        </Step>
      );
    case 'set aside':
      return (
        <Step name={t('setAside')} tone="unknown" Icon={Archive}>
          {delivery.reason !== null && t('reason', { reason: delivery.reason })}
        </Step>
      );
  }
}

function Tries({ delivery: { attempts, answerStatus } }: { readonly delivery: Delivery }) {
  const { t } = useTranslation('record');
  const formats = useStoreFormats();
  const facts = [
    attempts > 0 ? t('tries', { count: attempts, n: formats.number(attempts) }) : undefined,
    answerStatus === null ? undefined : t('answerCode', { code: answerStatus }),
  ];
  return facts.filter((each) => each !== undefined).join(', ');
}
