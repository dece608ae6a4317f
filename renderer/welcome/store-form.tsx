// The part of a form that asks for the store's name, its time zone and the start of its day.

import { Select, SimpleGrid, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { MAX_NAME_LENGTH } from '../../server/contract/codes.ts';
import {
  type AdministrationChangeRequest,
  type AdministrationView,
  FIRST_START,
  type NewAdministrationRequest,
} from '../../server/contract/setup.ts';
import { machineZone } from '../../server/lib/calendar.ts';
import { send } from '../api/client.ts';
import { fieldErrorOf } from '../components/error-alert.tsx';
import { TimeZoneSelect } from '../components/time-zone-select.tsx';
import { DAY_STARTS } from '../lib/time-of-day.ts';

/** Names of request fields. The form shows the errors of these fields beside its inputs. */
export const STORE_FIELDS: readonly string[] = ['name', 'timeZone', 'dayStartsAt'];

export interface KnownStore {
  /** The store, if it already exists. It may still have the name that the first start gave it. */
  readonly existing: AdministrationView | undefined;
  /**
   * Whether somebody chose the store's time zone. If not, the form suggests the zone of the browser, because the gateway's
   * machine may be set to UTC.
   */
  readonly isZoneChosen: boolean;
}

type Draft = Pick<AdministrationView, 'name' | 'timeZone' | 'dayStartsAt'>;

export interface StoreForm {
  readonly draft: Draft;
  readonly isNameMissing: boolean;
  readonly change: (changed: Partial<Draft>) => void;
  /** Returns whether the store's name is filled in. If it is not, the form shows an error. */
  readonly check: () => boolean;
  /** Saves the changed fields and returns the store's name. It is safe to call this twice. */
  readonly save: () => Promise<string>;
}

export function useStoreForm({ existing, isZoneChosen }: KnownStore): StoreForm {
  const { t } = useTranslation('welcome');
  const [draft, setDraft] = useState<Draft>({
    name: existing?.name === FIRST_START.administration ? t('unnamed') : (existing?.name ?? ''),
    timeZone: existing !== undefined && isZoneChosen ? existing.timeZone : machineZone(),
    dayStartsAt: existing?.dayStartsAt ?? 0,
  });
  const [isNameMissing, setNameMissing] = useState(false);
  const [stored, setStored] = useState<Draft | undefined>(existing);
  const wanted = { ...draft, name: draft.name.trim() };
  return {
    draft,
    isNameMissing,
    change(changed) {
      setDraft({ ...draft, ...changed });
      setNameMissing(false);
    },
    check() {
      setNameMissing(wanted.name === '');
      return wanted.name !== '';
    },
    async save() {
      const { name, timeZone, dayStartsAt } = wanted;
      if (name === stored?.name && timeZone === stored.timeZone && dayStartsAt === stored.dayStartsAt) return name;
      const saved = await (stored === undefined
        ? send<AdministrationView>('POST', 'administrations', wanted satisfies NewAdministrationRequest)
        : send<AdministrationView>(
            'PATCH',
            `administrations/${encodeURIComponent(stored.name)}`,
            wanted satisfies AdministrationChangeRequest,
          ));
      setStored(saved);
      return saved.name;
    },
  };
}

export function StoreFields({
  form: { draft, isNameMissing, change },
  error,
}: {
  readonly form: StoreForm;
  readonly error: Error | null;
}) {
  const { t } = useTranslation('welcome');
  return (
    <>
      <TextInput
        label={t('storeName')}
        placeholder={t('storeExample')}
        value={draft.name}
        maxLength={MAX_NAME_LENGTH}
        error={isNameMissing ? t('storeMissing') : fieldErrorOf(error, 'name')}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing="md">
        <TimeZoneSelect
          value={draft.timeZone}
          onChange={(timeZone) => change({ timeZone })}
          label={t('timeZone')}
          error={fieldErrorOf(error, 'timeZone')}
        />
        <Select
          label={t('dayStartsAt')}
          description={t('dayStartsAtHelp')}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          data={DAY_STARTS}
          value={String(draft.dayStartsAt)}
          onChange={(minutes) => minutes !== null && change({ dayStartsAt: Number(minutes) })}
          searchable
          allowDeselect={false}
          error={fieldErrorOf(error, 'dayStartsAt')}
        />
      </SimpleGrid>
    </>
  );
}
