// The status and the delivery of a record in plain words. The status can also show its technical word.

import { Text } from '@mantine/core';
import { Archive, type LucideIcon, Repeat2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';

import type { DeliveryState, Status } from '../../server/contract/codes.ts';
import type { Delivery } from '../../server/contract/records.ts';
import type { Tone } from '../theme/theme.ts';
import { StateMark } from './state-mark.tsx';

const TONE_OF_STATUS: Record<Status, Tone> = { NEW: 'fine', IGNORED: 'unknown', ERROR: 'differs' };
const TONE_OF_DELIVERY: Record<DeliveryState, Tone> = {
  waiting: 'waiting',
  delivered: 'fine',
  held: 'bad',
  'set aside': 'unknown',
};

const ICONS: Partial<Record<Status | DeliveryState, LucideIcon>> = { IGNORED: Repeat2, 'set aside': Archive };

export function StatusMark({
  status,
  withCode = false,
  isInList = false,
}: {
  readonly status: Status;
  readonly withCode?: boolean;
  /** True in a list, where only conflicts are shown in bold. */
  readonly isInList?: boolean;
}) {
  const { t } = useTranslation('status');
  return (
    <StateMark tone={TONE_OF_STATUS[status]} isPlain={isInList && status !== 'ERROR'} {...iconOf(status)}>
      {t(status)}
      {withCode && <Code>{status}</Code>}
    </StateMark>
  );
}

/** `delivery` is null for a record that is not forwarded. */
export function DeliveryMark({
  delivery,
  isInList = false,
}: {
  readonly delivery: Pick<Delivery, 'state' | 'upstreamStatus'> | null;
  readonly isInList?: boolean;
}) {
  const { t } = useTranslation('delivery');
  if (delivery === null)
    return (
      <Text component="span" size="sm" c="dimmed">
        {t('none')}
      </Text>
    );
  if (delivery.upstreamStatus === 'ERROR') return <StateMark tone="differs">{t('conflictThere')}</StateMark>;
  return (
    <StateMark
      tone={TONE_OF_DELIVERY[delivery.state]}
      isPlain={isInList && delivery.state !== 'held'}
      {...iconOf(delivery.state)}
    >
      {t(delivery.state)}
    </StateMark>
  );
}

function iconOf(state: Status | DeliveryState): { readonly Icon?: LucideIcon } {
  const Icon = ICONS[state];
  return Icon === undefined ? {} : { Icon };
}

function Code({ children }: { readonly children: string }) {
  return (
    <Text component="span" size="xs" fw={400} c="dimmed">
      {' '}
      {children}
    </Text>
  );
}
