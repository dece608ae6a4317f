// Bars for each day: whether each till sold, and how long each lane could send.

import { Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { TrendsView } from '../../server/contract/trends.ts';
import { ChartOrTable } from '../components/chart-or-table.tsx';
import { ForeignText } from '../components/foreign-text.tsx';
import { useStoreFormats } from '../model/selected-journal.ts';
import { lineDays, soldDays } from './comparison.ts';
import { DayBars } from './day-bars.tsx';

import classes from './trends.module.css';

const MINUTE_MS = 60_000;

/** Shows the till with this id, or all tills if `till` is undefined. */
export function Uptime({ view, till }: { readonly view: TrendsView; readonly till: number | undefined }) {
  const { t } = useTranslation('trends');
  return (
    <Stack gap="lg">
      <TillBars view={view} till={till} />
      <LineBars view={view} />
      <Text size="sm" c="dimmed">
        {t('barsMean')}
      </Text>
    </Stack>
  );
}

function TillBars({ view, till }: { readonly view: TrendsView; readonly till: number | undefined }) {
  const { t } = useTranslation('trends');
  const formats = useStoreFormats();
  const tills = view.tills
    .filter(({ id }) => till === undefined || id === till)
    .map(({ id, label }) => ({ id, label, days: soldDays(view, id) }));
  const dates = tills[0]?.days ?? [];
  if (dates.length === 0) return null;
  return (
    <ChartOrTable
      title={t('tillDays')}
      headings={[t('day'), ...tills.map(({ label }) => label)]}
      rows={dates.map(({ date }, index) => ({
        name: formats.date(date),
        numbers: tills.map(({ days }) => days[index]?.sales ?? 0),
      }))}
      isText
    >
      {tills.map(({ id, label, days }) => {
        const open = formats.number(days.filter(({ state }) => state !== 'closed').length);
        const n = formats.number(days.filter(({ state }) => state === 'sold').length);
        return (
          <div key={id} className={classes.row}>
            <Text span className={classes.name ?? ''}>
              <ForeignText>{label}</ForeignText>
            </Text>
            <DayBars
              summary={t('tillDaysOf', { till: label, n, open })}
              bars={days.map(({ date, sales, state }) => {
                const day = formats.date(date);
                if (state === 'closed') return { date, share: null, words: t('closed', { day }) };
                if (state === 'silent') return { date, share: 0, words: t('soldNot', { day }) };
                return { date, share: 1, words: t('soldThat', { day, n: formats.number(sales) }) };
              })}
            />
            <Text span size="sm" c="dimmed" ta="right">
              {t('daysSold', { n, open })}
            </Text>
          </div>
        );
      })}
    </ChartOrTable>
  );
}

function LineBars({ view }: { readonly view: TrendsView }) {
  const { t } = useTranslation('trends');
  const { t: lanes } = useTranslation('upstream');
  const formats = useStoreFormats();
  /** Rounded down, so that even a short outage gives less than 100 %. */
  const percentOf = (share: number): string => formats.percent(Math.floor(share * 1000) / 1000);
  const lines = view.lanes.map(({ id, interface: by }) => ({ id, name: lanes(by), days: lineDays(view, id) }));
  const dates = lines[0]?.days ?? [];
  if (dates.length === 0) return null;
  return (
    <ChartOrTable
      title={t('lineDays')}
      headings={[t('day'), ...lines.map(({ name }) => t('minutesDown', { line: name }))]}
      rows={dates.map(({ date }, index) => ({
        name: formats.date(date),
        numbers: lines.map(({ days }) => Math.round((days[index]?.downMs ?? 0) / MINUTE_MS)),
      }))}
      isText
    >
      {lines.map(({ id, name, days }) => {
        const share = days.reduce((sum, day) => sum + day.share, 0) / days.length;
        const up = t('lineUp', { percent: percentOf(share) });
        return (
          <div key={id} className={classes.row}>
            <Text span>{name}</Text>
            <DayBars
              summary={`${name}: ${up}`}
              bars={days.map((each) => {
                const said = { day: formats.date(each.date), percent: percentOf(each.share) };
                const words =
                  each.downMs === 0 ? t('upThat', said) : t('upSpan', { ...said, span: formats.span(each.downMs) });
                return { date: each.date, share: each.share, words };
              })}
            />
            <Text span size="sm" c="dimmed" ta="right">
              {up}
            </Text>
          </div>
        );
      })}
    </ChartOrTable>
  );
}
