// Bars for each day of two months, or for each hour of a week: whether each till sold, and how long each lane could send.

import { Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { TrendsView } from '../../server/contract/trends.ts';
import { ChartOrTable } from '../components/chart-or-table.tsx';
import { ForeignText } from '../components/foreign-text.tsx';
import { useStoreFormats } from '../model/selected-journal.ts';
import { hoursIn, lineSlots, type Slot, soldDays, soldHours } from './comparison.ts';
import type { Period } from './periods.ts';
import { SlotBars } from './slot-bars.tsx';

import classes from './trends.module.css';

const MINUTE_MS = 60_000;

interface UptimeProps {
  readonly view: TrendsView;
  /** The week whose hours are shown. Undefined to show all days. */
  readonly week: Period | undefined;
}

/** Shows the till with this id, or all tills if `till` is undefined. */
export function Uptime({
  till,
  timeZone,
  ...shown
}: UptimeProps & { readonly till: number | undefined; readonly timeZone: string }) {
  const { t } = useTranslation('trends');
  return (
    <Stack gap="lg">
      <TillBars {...shown} till={till} timeZone={timeZone} />
      <LineBars {...shown} />
      <Text size="sm" c="dimmed">
        {t(shown.week === undefined ? 'barsMean' : 'hourBarsMean')}
      </Text>
    </Stack>
  );
}

/** Returns a function that names a day or an hour. */
function useSlotName(isHour: boolean): (slot: Slot) => string {
  const { t } = useTranslation('trends');
  const formats = useStoreFormats();
  return ({ date, from }) =>
    isHour ? t('hourOf', { day: formats.date(date), time: formats.clock(from * 1000) }) : formats.date(date);
}

function TillBars({
  view,
  week,
  till,
  timeZone,
}: UptimeProps & { readonly till: number | undefined; readonly timeZone: string }) {
  const { t } = useTranslation('trends');
  const formats = useStoreFormats();
  const tills = view.tills
    .filter(({ id }) => till === undefined || id === till)
    .map(({ id, label }) => ({
      id,
      label,
      slots: week === undefined ? soldDays(view, id) : soldHours(view, week, id, timeZone),
    }));
  const nameOf = useSlotName(week !== undefined);
  const [first] = tills;
  if (first === undefined || first.slots.length === 0) return null;
  return (
    <ChartOrTable
      title={t(week === undefined ? 'tillDays' : 'tillHours')}
      headings={[t(week === undefined ? 'day' : 'hour'), ...tills.map(({ label }) => label)]}
      rows={first.slots.map(({ slot }, index) => ({
        name: nameOf(slot),
        numbers: tills.map(({ slots }) => slots[index]?.sales ?? 0),
      }))}
      isText
    >
      {tills.map(({ id, label, slots }) => {
        const open = formats.number(slots.filter(({ state }) => state !== 'closed').length);
        const n = formats.number(slots.filter(({ state }) => state === 'sold').length);
        return (
          <div key={id} className={classes.row}>
            <Text span className={classes.name ?? ''}>
              <ForeignText>{label}</ForeignText>
            </Text>
            <SlotBars
              summary={t(week === undefined ? 'tillDaysOf' : 'tillHoursOf', { till: label, n, open })}
              bars={slots.map(({ slot, sales, state }) => {
                const day = nameOf(slot);
                if (state === 'closed') return { slot, share: null, words: t('closed', { day }) };
                if (state === 'silent') return { slot, share: 0, words: t('soldNot', { day }) };
                return { slot, share: 1, words: t('soldThat', { day, n: formats.number(sales) }) };
              })}
            />
            <Text span size="sm" c="dimmed" ta="right">
              {t(week === undefined ? 'daysSold' : 'hoursSold', { n, open })}
            </Text>
          </div>
        );
      })}
    </ChartOrTable>
  );
}

function LineBars({ view, week }: UptimeProps) {
  const { t } = useTranslation('trends');
  const { t: lanes } = useTranslation('upstream');
  const formats = useStoreFormats();
  /** Rounded down, so that even a short outage gives less than 100 %. */
  const percentOf = (share: number): string => formats.percent(Math.floor(share * 1000) / 1000);
  const shown = week === undefined ? view.days : hoursIn(view.days, week);
  const lines = view.lanes.map(({ id, interface: by }) => ({ id, name: lanes(by), slots: lineSlots(view, shown, id) }));
  const nameOf = useSlotName(week !== undefined);
  const [first] = lines;
  if (first === undefined || first.slots.length === 0) return null;
  return (
    <ChartOrTable
      title={t('lineDays')}
      headings={[t(week === undefined ? 'day' : 'hour'), ...lines.map(({ name }) => t('minutesDown', { line: name }))]}
      rows={first.slots.map(({ slot }, index) => ({
        name: nameOf(slot),
        numbers: lines.map(({ slots }) => Math.round((slots[index]?.downMs ?? 0) / MINUTE_MS)),
      }))}
      isText
    >
      {lines.map(({ id, name, slots }) => {
        const share = slots.reduce((sum, slot) => sum + slot.share, 0) / slots.length;
        const up = t('lineUp', { percent: percentOf(share) });
        return (
          <div key={id} className={classes.row}>
            <Text span>{name}</Text>
            <SlotBars
              summary={`${name}: ${up}`}
              bars={slots.map((each) => {
                const said = { day: nameOf(each.slot), percent: percentOf(each.share) };
                const words =
                  each.downMs === 0 ? t('upThat', said) : t('upSpan', { ...said, span: formats.span(each.downMs) });
                return { slot: each.slot, share: each.share, words };
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
