// The filter for the time of sale: one or more store days, or a range in minutes, in the store's zone.

import { Button, Group, Popover, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { JournalView } from '../../server/contract/setup.ts';
import { addDays } from '../../server/lib/calendar.ts';
import { clockAt, datesOfRange, instantOf, storeDayOf } from '../../server/store-day.ts';
import type { RecordSearch } from '../model/search-parameters.ts';
import { useStoreFormats } from '../model/selected-journal.ts';
import { todayOf } from '../model/today.ts';
import { ChipButton, type FilterProps, RemovableChip } from './filter-chip.tsx';

export function DayFilter({ filter, change, store }: FilterProps & { readonly store: JournalView }) {
  const { t } = useTranslation('records');
  const [isOpen, setOpen] = useState(false);
  const value = useSaidRange(filter, store);
  const choose = (range: Pick<RecordSearch, 'from' | 'to'>): void => {
    change({ from: range.from, to: range.to });
    setOpen(false);
  };
  return (
    <RemovableChip name={t('sold')} value={value} onRemove={() => change({ from: undefined, to: undefined })}>
      <Popover opened={isOpen} onChange={setOpen} position="bottom-start" trapFocus returnFocus shadow="md">
        <Popover.Target>
          <ChipButton name={t('sold')} value={value} onClick={() => setOpen(!isOpen)} />
        </Popover.Target>
        <Popover.Dropdown>
          <RangeForm filter={filter} store={store} choose={choose} />
        </Popover.Dropdown>
      </Popover>
    </RemovableChip>
  );
}

function useSaidRange({ from, to }: RecordSearch, store: JournalView): string | undefined {
  const { t } = useTranslation('records');
  const formats = useStoreFormats();
  const today = todayOf(store);
  const dayText = (day: string): string =>
    day === today ? t('today') : day === addDays(today, -1) ? t('yesterday') : formats.date(day);
  if (from === undefined) return to === undefined ? undefined : t('until', { to: formats.time(to * 1000) });
  if (to === undefined) return t('fromOn', { from: formats.time(from * 1000) });
  const days = datesOfRange({ from, to }, store.dayRules);
  if (days === undefined) return t('range', { from: formats.time(from * 1000), to: formats.time(to * 1000) });
  return days.first === days.last
    ? dayText(days.first)
    : t('range', { from: dayText(days.first), to: dayText(days.last) });
}

/** The values of the form's fields: dates as YYYY-MM-DD; times as HH:MM or empty. */
interface Fields {
  readonly firstDay: string;
  readonly firstTime: string;
  readonly lastDay: string;
  readonly lastTime: string;
}

function fieldsOf({ from, to }: RecordSearch, store: JournalView): Fields {
  const days = from === undefined || to === undefined ? undefined : datesOfRange({ from, to }, store.dayRules);
  if (days !== undefined) return { firstDay: days.first, firstTime: '', lastDay: days.last, lastTime: '' };
  const first = from === undefined ? undefined : clockAt(from, store.timeZone);
  const last = to === undefined ? undefined : clockAt(to, store.timeZone);
  return {
    firstDay: first?.date ?? '',
    firstTime: first?.time ?? '',
    lastDay: last?.date ?? '',
    lastTime: last?.time ?? '',
  };
}

function RangeForm({
  filter,
  store,
  choose,
}: {
  readonly filter: RecordSearch;
  readonly store: JournalView;
  readonly choose: (range: Pick<RecordSearch, 'from' | 'to'>) => void;
}) {
  const { t } = useTranslation('records');
  const [fields, setFields] = useState(() => fieldsOf(filter, store));
  const [fault, setFault] = useState<'noDay' | 'reversed'>();
  const set = (name: keyof Fields) => (event: FormEvent<HTMLInputElement>) => {
    setFields({ ...fields, [name]: event.currentTarget.value });
    setFault(undefined);
  };
  const today = todayOf(store);
  const dayOf = (date: string) => storeDayOf(date, store.dayRules);
  const chooseDays = (first: string, last: string): void => {
    const [begin, end] = [dayOf(first), dayOf(last)];
    if (begin !== undefined && end !== undefined) choose({ from: begin.from, to: end.to });
  };

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const { firstDay, firstTime, lastTime } = fields;
    const lastDay = fields.lastDay || firstDay;
    const [first, last] = [dayOf(firstDay), dayOf(lastDay)];
    if (first === undefined || last === undefined) return setFault('noDay');
    const from = firstTime === '' ? first.from : instantOf(first.date, minutes(firstTime), store.timeZone);
    const to = lastTime === '' ? last.to : instantOf(last.date, minutes(lastTime), store.timeZone);
    if (from >= to) return setFault('reversed');
    choose({ from, to });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <Group gap={4}>
          {(
            [
              ['chooseToday', today, today],
              ['chooseYesterday', addDays(today, -1), addDays(today, -1)],
              ['chooseWeek', addDays(today, -6), today],
            ] as const
          ).map(([name, first, last]) => (
            <Button key={name} variant="light" size="sm" px="sm" onClick={() => chooseDays(first, last)}>
              {t(name)}
            </Button>
          ))}
        </Group>
        <Group gap="xs" wrap="nowrap" align="flex-start">
          <TextInput
            type="date"
            size="sm"
            flex={1}
            label={t('firstDay')}
            value={fields.firstDay}
            onChange={set('firstDay')}
            error={fault === 'noDay' && t('noDay')}
          />
          <TextInput
            type="time"
            size="sm"
            label={t('firstTime')}
            value={fields.firstTime}
            onChange={set('firstTime')}
          />
        </Group>
        <Group gap="xs" wrap="nowrap" align="flex-start">
          <TextInput
            type="date"
            size="sm"
            flex={1}
            label={t('lastDay')}
            value={fields.lastDay}
            onChange={set('lastDay')}
            error={fault === 'reversed' && t('reversed')}
          />
          <TextInput type="time" size="sm" label={t('lastTime')} value={fields.lastTime} onChange={set('lastTime')} />
        </Group>
        <Text size="xs" c="dimmed" maw={300}>
          {t('zone', { zone: store.timeZone })}
        </Text>
        <Button type="submit" size="sm">
          {t('show')}
        </Button>
      </Stack>
    </form>
  );
}

function minutes(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour * 60 + minute;
}
