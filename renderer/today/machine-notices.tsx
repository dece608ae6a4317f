// Damage to the data, and a disk that is nearly full.

import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { type RecordDamage, type IndexDamage, MAX_TOLD_DISK_DAYS } from '../../server/contract/machine.ts';
import type { OverviewView } from '../../server/contract/overview.ts';
import { StateMark } from '../components/state-mark.tsx';
import { useStoreFormats } from '../model/selected-journal.ts';
import { lowDiskOf, walDamageOf } from './headline.ts';

/** `isDamageHeadline` says whether the headline already gives the number of damaged records. */
export function MachineNotices({
  overview,
  isDamageHeadline,
}: {
  readonly overview: OverviewView;
  readonly isDamageHeadline: boolean;
}) {
  const { damaged, indexFault } = overview.machine;
  return (
    <>
      <WalDamage overview={overview} />
      <DamagedRecords damaged={damaged} isHeadline={isDamageHeadline} />
      <IndexFault fault={indexFault} />
      <LowDisk overview={overview} />
    </>
  );
}

/** Says what damaged records mean and lists them. Leaves out their number if the headline already gives it. */
function DamagedRecords({
  damaged,
  isHeadline,
}: {
  readonly damaged: RecordDamage | null;
  readonly isHeadline: boolean;
}) {
  const { t } = useTranslation('today');
  const formats = useStoreFormats();
  if (damaged === null) return null;
  const { count, foundAt, recordIds } = damaged;
  const what = isHeadline ? '' : `${t('damaged', { count, n: formats.number(count) })} `;
  return (
    <StateMark tone="bad">
      {what + t('damagedMeans', { count, time: formats.exact(foundAt), records: recordIds.join(', ') })}
    </StateMark>
  );
}

function IndexFault({ fault }: { readonly fault: IndexDamage | null }) {
  const { t } = useTranslation('today');
  const formats = useStoreFormats();
  return fault && <StateMark tone="bad">{t('indexFault', { time: formats.exact(fault.foundAt) })}</StateMark>;
}

/** Reports damage to the write-ahead log, until somebody moves the copies of the log away. */
function WalDamage({ overview }: { readonly overview: OverviewView }) {
  const { t } = useTranslation('walDamage');
  const formats = useStoreFormats();
  const damage = walDamageOf(overview);
  if (damage === undefined) return null;
  const { kind, foundAt, folder, missing, tone } = damage;
  const time = formats.exact(foundAt);
  const said = t(kind, { time, count: missing, n: formats.number(missing) });
  return (
    <div>
      <StateMark tone={tone}>{said}</StateMark>
      <Text size="sm" c="dimmed">
        {t('end', { folder })}
      </Text>
    </div>
  );
}

function LowDisk({ overview }: { readonly overview: OverviewView }) {
  const { t } = useTranslation('today');
  const formats = useStoreFormats();
  const disk = lowDiskOf(overview);
  if (disk === undefined) return null;
  const free = formats.space(disk.freeBytes);
  const days = disk.daysLeft;
  return (
    <StateMark tone="differs">
      {days === null || days > MAX_TOLD_DISK_DAYS
        ? t('diskLow', { free })
        : t('diskLowDays', { free, count: days, n: formats.number(days) })}
    </StateMark>
  );
}
