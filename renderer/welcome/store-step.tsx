// The page that asks about the store if one of its tills already has a key. For example, somebody made that key on the command
// line.

import { Stack } from '@mantine/core';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';

import { useAct } from '../api/act.ts';
import { ErrorAlert } from '../components/error-alert.tsx';
import { Answers, type Place, Question } from './question.tsx';
import { type KnownStore, STORE_FIELDS, StoreFields, useStoreForm } from './store-form.tsx';

export function StoreStep({
  place,
  known,
  onDone,
}: {
  readonly place: Place;
  readonly known: KnownStore;
  readonly onDone: (administration: string) => void;
}) {
  const { t } = useTranslation('welcome');
  const form = useStoreForm(known);
  const save = useAct(form.save);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (form.check() && !save.isPending) save.mutate(undefined, { onSuccess: onDone });
  };
  return (
    <Question place={place} title={t('storeTitle')}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <StoreFields form={form} error={save.error} />
          <ErrorAlert error={save.error} fields={STORE_FIELDS} />
          <Answers word={t('continue')} isPending={save.isPending} />
        </Stack>
      </form>
    </Question>
  );
}
