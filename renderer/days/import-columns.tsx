// The form that gives each column of a file its meaning. The gateway suggests meanings, and the user confirms or changes them.

import { NativeSelect, SimpleGrid, Table, Text, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import {
  DATE_ORDERS,
  DECIMAL_SIGNS,
  DECLARED_ROLES,
  type DeclaredChoice,
  type DeclaredImport,
  type DeclaredRole,
} from '../../server/contract/declared-totals.ts';
import { ForeignText } from '../components/foreign-text.tsx';
import { chooseColumn, columnNames, isComplete } from './declared-choice.ts';
import { Section } from './section.tsx';

/** The value of the options "no column" and "as in the file". */
const NONE = '';

export function ImportColumns({
  seen,
  choice,
  onChange,
}: {
  readonly seen: DeclaredImport;
  readonly choice: DeclaredChoice;
  readonly onChange: (choice: DeclaredChoice) => void;
}) {
  const { t } = useTranslation('importing');
  const { columns, dateOrder, decimalSign, currency } = choice;
  const names = columnNames(seen).map((name, column) => name ?? t('unnamed', { n: column + 1 }));
  const needed = (role: DeclaredRole): boolean =>
    role === 'day' || (role === 'count' && columns.id === null) || (role === 'id' && columns.count === null);
  /** Returns the choice with one optional member removed. */
  const without = (name: 'dateOrder' | 'decimalSign' | 'currency'): DeclaredChoice => {
    const { [name]: _, ...rest } = choice;
    return rest;
  };
  return (
    <Section name={t('columns')} id="columns">
      <Text>{t('columnsMean')}</Text>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm">
        {DECLARED_ROLES.map((role) => (
          <NativeSelect
            key={role}
            label={t(role)}
            value={columns[role] === null ? NONE : String(columns[role])}
            onChange={({ currentTarget: { value } }) =>
              onChange({ ...choice, columns: chooseColumn(columns, role, value === NONE ? null : Number(value)) })
            }
            data={[
              { value: NONE, label: t('noColumn') },
              ...names.map((name, column) => ({ value: String(column), label: name })),
            ]}
            error={!isComplete(columns) && columns[role] === null && needed(role) ? t('chooseColumn') : undefined}
          />
        ))}
        <NativeSelect
          label={t('dateOrder')}
          value={dateOrder ?? NONE}
          onChange={({ currentTarget: { value } }) => {
            const chosen = DATE_ORDERS.find((each) => each === value);
            onChange(chosen === undefined ? without('dateOrder') : { ...choice, dateOrder: chosen });
          }}
          data={[
            { value: NONE, label: t('asInFile') },
            ...DATE_ORDERS.map((value) => ({ value, label: t(value === 'day first' ? 'dayFirst' : 'monthFirst') })),
          ]}
        />
        {columns.amount !== null && (
          <>
            <NativeSelect
              label={t('decimalSign')}
              value={decimalSign ?? NONE}
              onChange={({ currentTarget: { value } }) => {
                const chosen = DECIMAL_SIGNS.find((each) => each === value);
                onChange(chosen === undefined ? without('decimalSign') : { ...choice, decimalSign: chosen });
              }}
              data={[
                { value: NONE, label: t('asInFile') },
                ...DECIMAL_SIGNS.map((value) => ({ value, label: t(value === ',' ? 'commaSign' : 'pointSign') })),
              ]}
            />
            <CurrencyField
              currency={currency}
              onChange={(code) => onChange(code === undefined ? without('currency') : { ...choice, currency: code })}
            />
          </>
        )}
      </SimpleGrid>
      <Table.ScrollContainer minWidth={400} tabIndex={0} aria-label={t('firstRows')} role="region">
        <Table verticalSpacing={4} horizontalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              {names.map((name, column) => (
                <Table.Th key={column}>
                  <ForeignText>{name}</ForeignText>
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {seen.sample.map((row, index) => (
              <Table.Tr key={index}>
                {names.map((_, column) => (
                  <Table.Td key={column}>
                    <ForeignText>{row[column] ?? ''}</ForeignText>
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Section>
  );
}

/** A field for a currency. Calls `onChange` only when it has a complete currency code or is empty. */
function CurrencyField({
  currency,
  onChange,
}: {
  readonly currency: string | undefined;
  readonly onChange: (currency: string | undefined) => void;
}) {
  const { t } = useTranslation('importing');
  return (
    <TextInput
      label={t('currencyOfAll')}
      placeholder="EUR"
      defaultValue={currency ?? ''}
      maxLength={3}
      autoComplete="off"
      onChange={({ currentTarget: { value } }) => {
        const code = value.trim().toUpperCase();
        if (code === '') onChange(undefined);
        else if (/^[A-Z]{3}$/.test(code)) onChange(code);
      }}
    />
  );
}
