// The first question: the store's name, its time zone, and when its day starts.

import { Select, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { MAX_NAME_LENGTH } from '../../server/contract/codes.ts';
import {
  type AdministrationChangeRequest,
  type AdministrationView,
  FIRST_START,
  type NewAdministrationRequest,
} from '../../server/contract/setup.ts';
import { machineZone } from '../../server/lib/calendar.ts';
import { useAct } from '../api/act.ts';
import { send } from '../api/client.ts';
import { ErrorAlert, fieldErrorOf } from '../components/error-alert.tsx';
import { TimeZoneSelect } from '../components/time-zone-select.tsx';
import { DAY_STARTS } from '../lib/time-of-day.ts';
import { Answers, type Place, Question } from './question.tsx';

const FIELDS = ['name', 'timeZone', 'dayStartsAt'];

export function StoreStep({
  place,
  existing,
  isZoneChosen,
  onDone,
  onSkip,
}: {
  readonly place: Place;
  /** The store may exist already, perhaps with the name of the first start. */
  readonly existing: AdministrationView | undefined;
  /** Otherwise the zone of this browser comes first: the gateway's machine may be set to UTC. */
  readonly isZoneChosen: boolean;
  readonly onDone: (administration: string) => void;
  readonly onSkip: () => void;
}) {
  const { t } = useTranslation('welcome');
  const [name, setName] = useState(
    existing?.name === FIRST_START.administration ? t('unnamed') : (existing?.name ?? ''),
  );
  const [timeZone, setTimeZone] = useState(existing !== undefined && isZoneChosen ? existing.timeZone : machineZone());
  const [dayStartsAt, setDayStartsAt] = useState(existing?.dayStartsAt ?? 0);
  const [isMissing, setMissing] = useState(false);
  const wanted = { name: name.trim(), timeZone, dayStartsAt };
  const save = useAct(() =>
    existing === undefined
      ? send<AdministrationView>('POST', 'administrations', wanted satisfies NewAdministrationRequest)
      : send<AdministrationView>(
          'PATCH',
          `administrations/${encodeURIComponent(existing.name)}`,
          wanted satisfies AdministrationChangeRequest,
        ),
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const isSame =
      wanted.name === existing?.name && timeZone === existing.timeZone && dayStartsAt === existing.dayStartsAt;
    if (wanted.name === '') setMissing(true);
    else if (isSame) onDone(wanted.name);
    else save.mutate(undefined, { onSuccess: (saved) => onDone(saved.name) });
  };
  return (
    <Question place={place} title={t('storeTitle')}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <TextInput
            label={t('storeName')}
            description={t('storeNameHelp')}
            placeholder={t('storeExample')}
            value={name}
            maxLength={MAX_NAME_LENGTH}
            error={isMissing ? t('storeMissing') : fieldErrorOf(save.error, 'name')}
            onChange={(event) => {
              setName(event.currentTarget.value);
              setMissing(false);
              save.reset();
            }}
          />
          <div>
            <TimeZoneSelect
              value={timeZone}
              onChange={setTimeZone}
              label={t('timeZone')}
              error={fieldErrorOf(save.error, 'timeZone')}
            />
            <Text size="xs" c="dimmed" mt={5}>
              {t('timeZoneHelp')}
            </Text>
          </div>
          <Select
            label={t('dayStartsAt')}
            description={t('dayStartsAtHelp')}
            data={DAY_STARTS}
            value={String(dayStartsAt)}
            onChange={(minutes) => minutes !== null && setDayStartsAt(Number(minutes))}
            searchable
            allowDeselect={false}
            error={fieldErrorOf(save.error, 'dayStartsAt')}
          />
          <ErrorAlert error={save.error} fields={FIELDS} />
          <Answers word={t('continue')} isPending={save.isPending} {...(existing === undefined && { onSkip })} />
        </Stack>
      </form>
    </Question>
  );
}
