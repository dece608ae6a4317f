// A repeated record: what it means, what differs, and the bodies of the original and the resend side by side.

import { Box, Group, Stack, Table, Text, Title } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { DeliveryState } from '../../server/contract/codes.ts';
import type { Difference, RecordDetail, RecordSummary } from '../../server/contract/records.ts';
import { ForeignText } from '../components/foreign-text.tsx';
import { useStoreFormats } from '../model/selected-journal.ts';
import { indented, type Line } from './body-lines.ts';
import { BodyHead, BodyText, linesOf, ShowAll } from './body-view.tsx';
import { fitsSentence, nameOf, type Resend, resendOf } from './comparison.ts';
import { RecordLink } from './record-link.tsx';
import { type Row, rowsOf } from './side-by-side.ts';

import classes from './record.module.css';

export function ResendComparison({
  detail,
  original,
}: {
  readonly detail: RecordDetail;
  readonly original: NonNullable<RecordDetail['original']>;
}) {
  const { t } = useTranslation('record');
  const resending = resendOf(detail);
  const { differences } = detail;
  return (
    <Stack gap="lg">
      <Stack gap={6} align="flex-start">
        {resending !== undefined && <Said resending={resending} />}
        <Group gap="4px 16px">
          <RecordLink recordId={original.record.recordId}>{t('openFirst')}</RecordLink>
          {differences.length === 1 && (
            <Text size="xs" c="dimmed" className={classes.path ?? ''}>
              <ForeignText>{differences[0]?.pointer ?? ''}</ForeignText>
            </Text>
          )}
        </Group>
      </Stack>
      {differences.length > 1 && <Differences differences={differences} />}
      <Bodies detail={detail} original={original} />
    </Stack>
  );
}

const COUNTS = {
  delivered: 'countsDelivered',
  waiting: 'countsWaiting',
  held: 'countsHeld',
  'set aside': 'countsSetAside',
} as const satisfies Record<DeliveryState, string>;
const KEPT = {
  delivered: 'keptDelivered',
  waiting: 'keptWaiting',
  held: 'keptHeld',
  'set aside': 'keptSetAside',
} as const satisfies Record<DeliveryState, string>;
const MAX_NAMES = 6;

function Said({ resending: { comparison, laterMs, tills, original, resent } }: { readonly resending: Resend }) {
  const { t } = useTranslation('record');
  const formats = useStoreFormats();
  const [first, second] = tills;
  const till = second === undefined ? first : t('tills', { first, second });
  const circumstances = { till, span: formats.span(laterMs) };
  const difference = (): string => {
    switch (comparison.kind) {
      case 'same':
      case 'untold':
        return t(comparison.kind, circumstances);
      case 'changed': {
        const isShort = fitsSentence(comparison.original) && fitsSentence(comparison.resent);
        return t(isShort ? 'changed' : 'changedMuch', { ...circumstances, ...comparison });
      }
      case 'added':
        return t(fitsSentence(comparison.resent) ? 'added' : 'addedMuch', { ...circumstances, ...comparison });
      case 'left out':
        return t(fitsSentence(comparison.original) ? 'leftOut' : 'leftOutMuch', { ...circumstances, ...comparison });
      case 'named twice':
        return t('namedTwice', { ...circumstances, ...comparison });
      case 'several': {
        const names = comparison.names.slice(0, MAX_NAMES);
        const listed = names.join(', ');
        const nameList = names.length < comparison.names.length ? t('andOthers', { names: listed }) : listed;
        const n = formats.number(comparison.n);
        return t(comparison.isMore ? 'severalMore' : 'several', { ...circumstances, names: nameList, n });
      }
    }
  };
  return (
    <Text size="lg" fw={600} lh={1.4}>
      {difference()} {t(original === null ? 'counts' : COUNTS[original])} {t(resent === null ? 'kept' : KEPT[resent])}
    </Text>
  );
}

function Differences({ differences }: { readonly differences: readonly Difference[] }) {
  const { t } = useTranslation('record');
  return (
    <Box component="section">
      <Title order={3} size="h5" mb={4}>
        {t('differences')}
      </Title>
      <Table className={classes.differences ?? ''} layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('what')}</Table.Th>
            <Table.Th>{t('first')}</Table.Th>
            <Table.Th>{t('thenWas')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {differences.map(({ pointer, original, resent }) => (
            <Table.Tr key={pointer}>
              <Table.Td>
                <Text size="sm" fw={600}>
                  <ForeignText>{nameOf(pointer)}</ForeignText>
                </Text>
                <Text size="xs" c="dimmed" className={classes.path ?? ''}>
                  <ForeignText>{pointer}</ForeignText>
                </Text>
              </Table.Td>
              <Table.Td>
                <Value text={original} />
              </Table.Td>
              <Table.Td>
                <Value text={resent} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  );
}

const MAX_VALUE_LENGTH = 300;

function Value({ text }: { readonly text: string | null }) {
  const { t } = useTranslation('record');
  if (text === null)
    return (
      <Text size="sm" c="dimmed">
        {t('nothing')}
      </Text>
    );
  return <BodyText text={text} longest={MAX_VALUE_LENGTH} isInTable />;
}

/** Maximum rows before the user clicks "show more". */
const MAX_ROWS = 1000;

function Bodies({
  detail: { record, body, differences },
  original,
}: {
  readonly detail: RecordDetail;
  readonly original: NonNullable<RecordDetail['original']>;
}) {
  const { t } = useTranslation('record');
  const [isRaw, setRaw] = useState(false);
  const rows = useMemo(() => {
    const [first, then] = [unwrapped(original.record, original.body), unwrapped(record, body)];
    const pointers = differences.map(({ pointer }) => pointer);
    return first === undefined || then === undefined ? undefined : rowsOf(first, then, pointers);
  }, [original, record, body, differences]);
  return (
    <Box component="section">
      <BodyHead record={record} body={body} isRaw={isRaw} setRaw={setRaw} pretty={t('sideBySide')} />
      {isRaw || rows === undefined ? (
        <div className={classes.pair}>
          <div>
            <Side name={t('original')} record={original.record} />
            <BodyText text={original.body} />
          </div>
          <div>
            <Side name={t('resent')} record={record} />
            <BodyText text={body} />
          </div>
        </div>
      ) : (
        <SideBySide rows={rows} original={original.record} resent={record} />
      )}
    </Box>
  );
}

/**
 * The lines of a body. On the earlier interface, differences name a parameter without its wrapper object `data`, so the
 * pointers of the lines leave out `data` too.
 */
function unwrapped(record: RecordSummary, body: string): readonly Line[] | undefined {
  const lines = linesOf(record, body);
  const isWrapped = record.method === 'POST' && lines?.[1]?.pointer === '/data' && lines.at(-2)?.pointer === '/data';
  if (!isWrapped) return lines;
  return lines.map((line) => ({ ...line, pointer: line.pointer.replace(/^\/data(?=\/)/, '') }));
}

function Side({ name, record }: { readonly name: string; readonly record: RecordSummary }) {
  const formats = useStoreFormats();
  return (
    <Text size="sm" className={classes.side ?? ''}>
      <strong>{name}</strong>{' '}
      <span title={formats.exact(record.receivedAt)}>{formats.timeToSecond(record.receivedAt)}</span>
      {' · '}
      <ForeignText>{record.till}</ForeignText>
    </Text>
  );
}

function SideBySide({
  rows,
  original,
  resent,
}: {
  readonly rows: readonly Row[];
  readonly original: RecordSummary;
  readonly resent: RecordSummary;
}) {
  const { t } = useTranslation('record');
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? rows : rows.slice(0, MAX_ROWS);
  return (
    <>
      <div className={classes.sides}>
        <Side name={t('original')} record={original} />
        <Side name={t('resent')} record={resent} />
      </div>
      <div className={classes.rows}>
        {shown.map((row, i) => (
          // The index identifies a row, because the order never changes.
          <div key={i} className={classes.bodyRow} data-differs={row.isDifferent || undefined}>
            <Half line={row.original} isDifferent={row.isDifferent} side="original" />
            <Half line={row.resent} isDifferent={row.isDifferent} side="resent" />
          </div>
        ))}
      </div>
      {shown.length < rows.length && <ShowAll onClick={() => setWhole(true)}>{t('cut')}</ShowAll>}
    </>
  );
}

function Half({
  line,
  isDifferent,
  side,
}: {
  readonly line: Line | undefined;
  readonly isDifferent: boolean;
  readonly side: 'original' | 'resent';
}) {
  const { t } = useTranslation('record');
  return (
    <pre className={classes.half} data-side={side} data-empty={line === undefined || undefined}>
      {isDifferent && line !== undefined && (
        <>
          <span className={classes.mark} role="img" aria-label={t('differs')}>
            ≠
          </span>
          <span className={classes.whose}>{t(side)}</span>
        </>
      )}
      <ForeignText>{line === undefined ? '' : indented(line)}</ForeignText>
    </pre>
  );
}
