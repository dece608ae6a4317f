// Sales per quarter hour, with the outages of the day shaded and the conflicts marked; the same as a table.

import { BarChart } from '@mantine/charts';
import { useTranslation } from 'react-i18next';
import { ReferenceArea } from 'recharts';

import type { OverviewView } from '../../server/contract.ts';
import { useStoreFormats } from '../app/journal.tsx';
import { ChartOrTable } from '../parts/chart-or-table.tsx';

const QUARTER = 900;

export default function QuarterChart({ overview }: { readonly overview: OverviewView }) {
  const { t } = useTranslation('today');
  const formats = useStoreFormats();
  const { quarters, outages, now } = overview;
  const first = quarters[0]?.startsAt ?? 0;
  const last = Math.max(quarters.at(-1)?.startsAt ?? 0, Math.floor(now / 1000 / QUARTER) * QUARTER);
  const byStart = new Map(quarters.map((quarter) => [quarter.startsAt, quarter.records]));
  const rows = Array.from({ length: Math.min(100, (last - first) / QUARTER + 1) }, (_, i) => {
    const startsAt = first + i * QUARTER;
    const records = byStart.get(startsAt);
    return { startsAt, time: formats.clock(startsAt * 1000), sales: records?.NEW ?? 0, conflicts: records?.ERROR ?? 0 };
  });
  /** The bar in which an instant lies. */
  const barOf = (at: number): string | undefined => {
    const index = Math.floor((at / 1000 - first) / QUARTER);
    return rows[Math.min(Math.max(index, 0), rows.length - 1)]?.time;
  };
  const shaded = outages.filter(({ state, to }) => state !== 'paused' && (to ?? now) / 1000 >= first);

  return (
    <ChartOrTable
      title={t('perQuarter')}
      headings={[t('from'), t('sales'), t('conflicts')]}
      rows={rows.map(({ startsAt, time, sales, conflicts }) => ({
        name: time,
        exact: formats.exact(startsAt * 1000),
        numbers: [sales, conflicts],
      }))}
    >
      <BarChart
        h={220}
        data={rows}
        dataKey="time"
        type="stacked"
        series={[
          { name: 'sales', label: t('sales'), color: 'var(--mantine-primary-color-filled)' },
          { name: 'conflicts', label: t('conflicts'), color: 'var(--cf-differs)' },
        ]}
        withLegend={shaded.length > 0 || rows.some(({ conflicts }) => conflicts > 0)}
        barProps={{ isAnimationActive: false, maxBarSize: 48 }}
        valueFormatter={formats.number}
      >
        {shaded.map(({ laneId, from, to }) => (
          <ReferenceArea
            key={`${laneId} ${from}`}
            {...{ x1: barOf(from) ?? '', x2: barOf(to ?? now) ?? '' }}
            fill="var(--cf-unknown)"
            fillOpacity={0.22}
            label={t('outage')}
          />
        ))}
      </BarChart>
    </ChartOrTable>
  );
}
