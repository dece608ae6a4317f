// A body as it was received: indented or raw.

import { Box, Button, Group, SegmentedControl, Text, Title } from '@mantine/core';
import { Download } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { RecordSummary } from '../../server/contract/records.ts';
import { addressOf } from '../api/client.ts';
import { CopyButton } from '../components/copy-button.tsx';
import { indented, type Line, linesOfJson, linesOfQuery } from './body-lines.ts';

import classes from './record.module.css';

/** Maximum characters before "show more". A body may have a megabyte. */
const MAX_CHARACTERS = 60_000;

/** The lines of a record's body. Undefined if the body is neither JSON nor a query string. */
export function linesOf(record: Pick<RecordSummary, 'method'>, body: string): readonly Line[] | undefined {
  return record.method === 'GET' ? linesOfQuery(body) : linesOfJson(body);
}

export function BodyView({ record, body }: { readonly record: RecordSummary; readonly body: string }) {
  const { t } = useTranslation('record');
  const [isRaw, setRaw] = useState(false);
  const pretty = useMemo(() => linesOf(record, body)?.map(indented).join('\n'), [record, body]);
  return (
    <Box component="section">
      <BodyHead record={record} body={body} isRaw={isRaw} setRaw={setRaw} pretty={t('pretty')} />
      <BodyText text={isRaw || pretty === undefined ? body : pretty} />
    </Box>
  );
}

export function BodyHead({
  record,
  body,
  isRaw,
  setRaw,
  pretty,
}: {
  readonly record: RecordSummary;
  readonly body: string;
  readonly isRaw: boolean;
  readonly setRaw: (isRaw: boolean) => void;
  /** The label of the readable view. */
  readonly pretty: string;
}) {
  const { t } = useTranslation('record');
  return (
    <Group justify="space-between" gap="xs" mb={6}>
      <Title order={3} size="h5">
        {t('body')}
      </Title>
      <Group gap={4}>
        <SegmentedControl
          size="sm"
          aria-label={t('body')}
          value={isRaw ? 'raw' : 'pretty'}
          onChange={(value) => setRaw(value === 'raw')}
          data={[
            { value: 'pretty', label: pretty },
            { value: 'raw', label: t('raw') },
          ]}
        />
        <CopyButton value={body} what={t('bodyText')} />
        <Button
          component="a"
          href={addressOf(`records/${record.recordId}/body`)}
          download={`record-${record.recordId}.${record.method === 'GET' ? 'txt' : 'json'}`}
          variant="subtle"
          size="sm"
          px="xs"
          leftSection={<Download size={16} aria-hidden />}
        >
          {t('download')}
        </Button>
      </Group>
    </Group>
  );
}

export function BodyText({
  text,
  longest = MAX_CHARACTERS,
  isInTable = false,
}: {
  readonly text: string;
  readonly longest?: number;
  readonly isInTable?: boolean;
}) {
  const { t } = useTranslation('record');
  const [isWhole, setWhole] = useState(false);
  const isCut = !isWhole && text.length > longest;
  return (
    <>
      <pre className={isInTable ? classes.value : classes.body}>{isCut ? `${text.slice(0, longest)} …` : text}</pre>
      {isCut && <ShowAll onClick={() => setWhole(true)}>{t('cut')}</ShowAll>}
    </>
  );
}

export function ShowAll({ onClick, children }: { readonly onClick: () => void; readonly children: string }) {
  const { t } = useTranslation('record');
  return (
    <Group gap="xs" mt={4}>
      <Text size="sm" c="dimmed">
        {children}
      </Text>
      <Button variant="subtle" size="sm" onClick={onClick}>
        {t('showAll')}
      </Button>
    </Group>
  );
}
