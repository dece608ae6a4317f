// The number of waiting records in the last 24 hours, as a curve or a table.

import { AreaChart } from '@mantine/charts';
import { useTranslation } from 'react-i18next';

import type { WaitingSample } from '../../server/contract/lanes.ts';
import { ChartOrTable } from '../components/chart-or-table.tsx';
import { roundTicks } from '../lib/chart-ticks.ts';
import { useNow } from '../lib/use-now.ts';
import { useStoreFormats } from '../model/selected-journal.ts';
import { hourlyPeaks, downsample, lastDay } from './waiting-samples.ts';

export default function WaitingCurve({ samples }: { readonly samples: readonly WaitingSample[] }) {
  const { t } = useTranslation('upstream');
  const formats = useStoreFormats();
  const now = useNow();
  const { from, ticks } = lastDay(now);
  const points = downsample(samples).map(({ at, waiting }) => ({ at, waiting }));
  const numbers = roundTicks(Math.max(0, ...points.map(({ waiting }) => waiting)));
  return (
    <ChartOrTable
      title={t('curve')}
      headings={[t('hourFrom'), t('mostWaiting')]}
      rows={hourlyPeaks(samples).map(({ at, waiting }) => ({
        name: formats.time(at),
        exact: formats.exact(at),
        numbers: [waiting],
      }))}
    >
      <AreaChart
        h={180}
        data={points}
        dataKey="at"
        series={[{ name: 'waiting', label: t('waitingHere'), color: 'var(--cf-waiting)' }]}
        curveType="linear"
        withDots={false}
        areaProps={{ isAnimationActive: false }}
        xAxisProps={{
          type: 'number',
          scale: 'time',
          domain: [from, now],
          ticks: [...ticks],
          interval: 0,
          tickFormatter: (at: number) => formats.clock(at),
        }}
        yAxisProps={{ ticks: numbers, domain: [0, numbers.at(-1) ?? 1], interval: 0 }}
        areaChartProps={{ accessibilityLayer: false }}
        tooltipProps={{ labelFormatter: (at) => (typeof at === 'number' ? formats.time(at) : '') }}
        valueFormatter={formats.number}
      />
    </ChartOrTable>
  );
}
