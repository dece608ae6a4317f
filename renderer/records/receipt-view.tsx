// Shows the recognised parts of a sale as a receipt: the articles, the amount and the payment method. The receipt appears above
// the original content of the record.

import { Box, Table, Text, Title } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import type { RecordDetail } from '../../server/contract/records.ts';
import { AmountText } from '../components/amount-text.tsx';
import { ForeignText } from '../components/foreign-text.tsx';
import { receiptLines } from './receipt.ts';

import classes from './record.module.css';

const COLUMNS = ['quantity', 'price', 'total'] as const;

export function ReceiptView({ detail: { record, body, payment } }: { readonly detail: RecordDetail }) {
  const { t } = useTranslation('record');
  const lines = useMemo(() => (record.method === 'GET' ? [] : receiptLines(body)), [record.method, body]);
  const hasAmount = record.amount !== null;
  if (lines.length === 0 && !hasAmount && payment === null) return null;
  const columns = COLUMNS.filter((column) => lines.some((line) => line[column] !== null));
  return (
    <Box component="section" className={classes.receipt ?? ''} aria-label={t('receipt')}>
      <Title order={3} size="h5" mb={4}>
        {t('receipt')}
      </Title>
      {lines.length > 0 && (
        <Table withRowBorders={false} verticalSpacing={2} horizontalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('lineName')}</Table.Th>
              {columns.map((column) => (
                <Table.Th key={column} ta="right">
                  {t(`line_${column}`)}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {lines.map((line, index) => (
              // Lines have no id, so the key is their position.
              <Table.Tr key={index}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  <ForeignText>{line.name}</ForeignText>
                </Table.Td>
                {columns.map((column) => (
                  <Table.Td key={column} ta="right">
                    <ForeignText>{line[column] ?? ''}</ForeignText>
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      <dl className={classes.sums}>
        {hasAmount && (
          <div>
            <dt>{t('amount')}</dt>
            <Text component="dd" fw={700}>
              <AmountText amount={record.amount} />
            </Text>
          </div>
        )}
        {payment !== null && (
          <div>
            <dt>{t('payment')}</dt>
            <dd>
              <ForeignText>{payment}</ForeignText>
            </dd>
          </div>
        )}
      </dl>
    </Box>
  );
}
