// The form for a declared total of a day. The total is for the whole day, one type or one till. It has a number of sales, and
// optional amounts.

import { Group, type InputWrapperProps, Modal, Radio, Select, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { type Amount, hasSum } from '../../server/contract/amounts.ts';
import type { DayView } from '../../server/contract/days.ts';
import type { Till } from '../../server/contract/setup.ts';
import { tillsQuery } from '../api/queries.ts';
import { DialogForm } from '../components/dialog-form.tsx';
import { fieldErrorOf } from '../components/error-alert.tsx';
import { ForeignText } from '../components/foreign-text.tsx';
import { locale } from '../locales/words.ts';
import { decimalSignOf, readTypedAmount } from './typed-amount.ts';
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
  const [amounts, setAmounts] = useState<readonly TypedAmount[]>(() => startAmounts(view));
  const [isWrong, setWrong] = useState(false);
  const declare = useDeclare(journalId, view.day.date);
  const of = { type: type === ALL ? null : type, tillId: till === ALL ? null : Number(till) };
  const types = [...new Set(view.rows.filter((row) => row.interface === 'current').map((row) => row.type))];
  const submit = (): void => {
    const read = readAmounts(amounts);
    const isCount = /^\s*\d{1,9}\s*$/.test(count);
    if (isCount && read !== undefined)
      declare.mutate({ of, records: Number(count), amounts: read }, { onSuccess: onClose });
    else setWrong(true);
  };
  return (
    <Modal opened onClose={onClose} title={t('declareTitle')} closeButtonProps={{ 'aria-label': t('app:close') }}>
      <DialogForm
        act={t('declareSave')}
        isPending={declare.isPending}
        error={declare.error}
        fields={['records', 'amounts']}
        onSubmit={submit}
        onClose={onClose}
      >
        <Text>{t('declareMeans')}</Text>
        <TextInput
          label={t('count')}
          inputMode="numeric"
          value={count}
          onChange={(event) => {
            setCount(event.currentTarget.value);
            setWrong(false);
          }}
          error={isWrong && !/^\s*\d{1,9}\s*$/.test(count) ? t('countForm') : fieldErrorOf(declare.error, 'records')}
          data-autofocus
          withAsterisk
        />
        {amounts.map((amount, index) => (
          <AmountField
            key={index}
            amount={amount}
            isWrong={isWrong}
            onChange={(changed) => {
              setAmounts(amounts.with(index, changed));
              setWrong(false);
            }}
          />
        ))}
        <Select
          label={t('type')}
          data={[{ value: ALL, label: t('anyType') }, ...types]}
          value={type}
          onChange={(value) => setType(value ?? ALL)}
          allowDeselect={false}
        />
        <TillChoice tills={tills} value={till} onChange={setTill} />
      </DialogForm>
    </Modal>
  );
}

/** Maximum tills that are shown at once. With more tills, the choice is a select. */
const MAX_SHOWN_TILLS = 6;

/** A report is usually for one till, so choosing one of a few tills takes one click. */
function TillChoice({
  tills,
  value,
  onChange,
}: {
  readonly tills: readonly Till[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const { t } = useTranslation('day');
  const choices = [
    { value: ALL, label: t('anyTill') },
    ...tills.map(({ id, label }) => ({ value: String(id), label })),
  ];
  if (tills.length > MAX_SHOWN_TILLS)
    return (
      <Select
        label={t('till')}
        data={choices}
        value={value}
        onChange={(chosen) => onChange(chosen ?? ALL)}
        allowDeselect={false}
      />
    );
  return (
    <Radio.Group label={t('till')} value={value} onChange={onChange}>
      <Group gap="8px 16px" mt={4}>
        {choices.map((choice) => (
          <Radio key={choice.value} value={choice.value} label={<ForeignText>{choice.label}</ForeignText>} />
        ))}
      </Group>
    </Radio.Group>
  );
}

/** One amount as the user typed it. An empty `text` declares no amount. */
interface TypedAmount {
  readonly currency: string;
  readonly text: string;
}

/**
 * Returns an empty amount for each known currency of the day. If no currency is known, returns one amount, and the user types
 * its currency.
 */
function startAmounts({ day }: DayView): TypedAmount[] {
  const known = new Set(
    [...(day.amounts ?? []).filter(hasSum), ...day.declaredAmounts].map(({ currency }) => currency ?? ''),
  );
  return (known.size === 0 ? [''] : [...known]).map((currency) => ({ currency, text: '' }));
}

/** Returns undefined if a text is not a valid amount, or if two amounts have the same currency. */
function readAmounts(typed: readonly TypedAmount[]): readonly Amount[] | undefined {
  const filled = typed.filter(({ text }) => text.trim() !== '');
  const read = filled.flatMap(({ currency, text }) => {
    const value = readTypedAmount(text, locale);
    const code = currency.trim().toUpperCase();
    return value === undefined || !/^([A-Z]{3})?$/.test(code) ? [] : [{ currency: code === '' ? null : code, value }];
  });
  const isRepeated = new Set(read.map(({ currency }) => currency)).size < read.length;
  return read.length < filled.length || isRepeated ? undefined : read;
}

/** Puts descriptions below the fields, because one of them may take two lines and the fields stand side by side. */
const BELOW: NonNullable<InputWrapperProps['inputWrapperOrder']> = ['label', 'input', 'description', 'error'];

function AmountField({
  amount,
  isWrong,
  onChange,
}: {
  readonly amount: TypedAmount;
  readonly isWrong: boolean;
  readonly onChange: (amount: TypedAmount) => void;
}) {
  const { t } = useTranslation('day');
  const { currency, text } = amount;
  const isUnread = isWrong && readAmounts([amount]) === undefined;
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      <TextInput
        label={t('amount')}
        description={t('amountHint')}
        inputWrapperOrder={BELOW}
        inputMode="decimal"
        value={text}
        onChange={(event) => onChange({ ...amount, text: event.currentTarget.value })}
        error={isUnread ? t('amountForm', { example: `12${decimalSignOf(locale)}50` }) : undefined}
        flex={1}
      />
      <TextInput
        label={t('currency')}
        description="EUR, CHF"
        inputWrapperOrder={BELOW}
        value={currency}
        maxLength={3}
        autoComplete="off"
        onChange={(event) => onChange({ ...amount, currency: event.currentTarget.value })}
        w={110}
      />
    </Group>
  );
}
