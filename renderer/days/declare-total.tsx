// A form that declares a total for a day: in all, of a type, or of a till.

import { Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { DayView } from '../../server/contract/days.ts';
import { tillsQuery } from '../api/queries.ts';
import { ErrorAlert, fieldErrorOf } from '../components/error-alert.tsx';
import { useDeclare } from './use-declare.ts';

/** The value of the option "all" in a select. */
const ALL = '';

export function DeclareTotal({
  view,
  journalId,
  onClose,
}: {
  readonly view: DayView;
  readonly journalId: number;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation(['day', 'app']);
  const { data: tills = [] } = useQuery(tillsQuery(journalId));
  const [type, setType] = useState(ALL);
  const [till, setTill] = useState(ALL);
  const [count, setCount] = useState('');
  const [isWrong, setWrong] = useState(false);
  const declare = useDeclare(journalId, view.day.date);
  const of = { type: type === ALL ? null : type, tillId: till === ALL ? null : Number(till) };
  const types = [...new Set(view.rows.filter((row) => row.interface === 'current').map((row) => row.type))];
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (/^\s*\d{1,9}\s*$/.test(count)) declare.mutate({ of, records: Number(count) }, { onSuccess: onClose });
    else setWrong(true);
  };
  return (
    <Modal opened onClose={onClose} title={t('declareTitle')} closeButtonProps={{ 'aria-label': t('app:close') }}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <Text>{t('declareMeans')}</Text>
          <TextInput
            label={t('count')}
            inputMode="numeric"
            value={count}
            onChange={(event) => {
              setCount(event.currentTarget.value);
              setWrong(false);
            }}
            error={isWrong ? t('countForm') : fieldErrorOf(declare.error, 'records')}
            data-autofocus
            withAsterisk
          />
          <Select
            label={t('type')}
            data={[{ value: ALL, label: t('anyType') }, ...types]}
            value={type}
            onChange={(value) => setType(value ?? ALL)}
            allowDeselect={false}
          />
          <Select
            label={t('till')}
            data={[
              { value: ALL, label: t('anyTill') },
              ...tills.map(({ id, label }) => ({ value: String(id), label })),
            ]}
            value={till}
            onChange={(value) => setTill(value ?? ALL)}
            allowDeselect={false}
          />
          <ErrorAlert error={declare.error} fields={['records']} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('app:cancel')}
            </Button>
            <Button type="submit" loading={declare.isPending}>
              {t('declareSave')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
