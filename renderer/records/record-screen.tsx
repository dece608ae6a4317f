// One record, shown over its list: its content, the record that it repeats, and the progress of its delivery.

import { Alert, Box, Button, Drawer, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useLocation, useNavigate, useParams, useRouter, useRouterState } from '@tanstack/react-router';
import { TriangleAlert } from 'lucide-react';
import { type ReactNode, useCallback, useEffect } from 'react';
import { useTranslation } from 'react-i18next';

import type { RecordDetail, RecordSummary } from '../../server/contract/records.ts';
import { Problem } from '../api/client.ts';
import { journalsQuery, recordQuery } from '../api/queries.ts';
import { CopyButton } from '../components/copy-button.tsx';
import { ForeignText } from '../components/foreign-text.tsx';
import { DeliveryMark, StatusMark } from '../components/record-marks.tsx';
import { FailedScreen, LoadingScreen } from '../components/screen-fallbacks.tsx';
import { useSelectedJournal, useStoreFormats } from '../model/selected-journal.ts';
import { BodyView } from './body-view.tsx';
import { HeldNotice } from './held-notice.tsx';
import { NeighbourButtons } from './neighbours.tsx';
import { ReceiptView } from './receipt-view.tsx';
import { RecordLink } from './record-link.tsx';
import { ResendComparison } from './resend-comparison.tsx';
import { Timeline } from './timeline.tsx';

import classes from './record.module.css';

/** The width in pixels for one body, and for two bodies side by side. */
const WIDTH_PX = { one: 720, two: 1120 };

export function RecordScreen(): ReactNode {
  const { t } = useTranslation('record');
  const { t: app } = useTranslation('app');
  const { recordId } = useParams({ from: '/records/$recordId' });
  const { data: detail, error, refetch } = useQuery(recordQuery(Number(recordId)));
  const close = useClose();
  useItsJournal(detail?.record);
  const isDuplicate = detail !== undefined && detail.original !== null;
  return (
    <Drawer.Root
      opened
      data-screen
      onClose={close}
      position="right"
      size={isDuplicate ? WIDTH_PX.two : WIDTH_PX.one}
      returnFocus={false}
      transitionProps={{ duration: 0 }}
    >
      <Drawer.Overlay backgroundOpacity={0.35} />
      <Drawer.Content>
        {/* A div: the drawer's own header would be a second banner of the page. */}
        <div className={classes.header}>
          <Drawer.Title className={classes.title ?? ''}>
            {detail === undefined ? t('title') : <Heading record={detail.record} />}
          </Drawer.Title>
          <NeighbourButtons />
          <Drawer.CloseButton aria-label={app('close')} size={36} ml={0} />
        </div>
        <Drawer.Body>
          {detail !== undefined ? (
            <Sections key={detail.record.recordId} detail={detail} />
          ) : error instanceof Problem && [400, 404].includes(error.status) ? (
            <Stack align="center" py="xl">
              <Text fw={600}>{t('absent', { id: recordId })}</Text>
              <Button variant="light" onClick={close}>
                {t('toRecords')}
              </Button>
            </Stack>
          ) : error !== null ? (
            <FailedScreen error={error} reset={() => void refetch()} />
          ) : (
            <LoadingScreen />
          )}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

/**
 * Returns a function that closes the record. It goes back to the list that opened the record, at the same position. If no list
 * opened the record, it goes to the list of records.
 */
function useClose(): () => void {
  const { history } = useRouter();
  const navigate = useNavigate();
  const isFromList = useLocation({ select: ({ state }) => state.isFromList === true });
  return useCallback(() => {
    if (isFromList) history.back();
    else void navigate({ to: '/records', search: (before) => before, replace: true });
  }, [isFromList, history, navigate]);
}

/** Selects the record's own store and mode, even if the address names another journal. */
function useItsJournal(record: RecordSummary | undefined): void {
  const { data: journals } = useSuspenseQuery(journalsQuery);
  const here = useSelectedJournal();
  const navigate = useNavigate();
  const recordJournalId = journals.find(
    ({ administration, mode }) => administration === record?.administration && mode === record.mode,
  )?.id;
  // A user who just left for another store must not be sent back.
  const isStaying = useRouterState({ select: ({ location }) => location.pathname.endsWith(`/${record?.recordId}`) });
  useEffect(() => {
    if (isStaying && recordJournalId !== undefined && recordJournalId !== here?.id)
      void navigate({
        to: '.',
        search: (before) => ({ ...before, journal: recordJournalId }),
        state: (before) => before,
        replace: true,
      });
  }, [isStaying, recordJournalId, here, navigate]);
}

function Heading({ record }: { readonly record: RecordSummary }) {
  const { t } = useTranslation('record');
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <span className={classes.id}>
        <ForeignText>{record.externalId}</ForeignText>
      </span>
      <CopyButton value={record.externalId} what={t('id')} />
    </Group>
  );
}

function Sections({ detail }: { readonly detail: RecordDetail }) {
  const { t } = useTranslation('record');
  const { record, original, isIntact, isUnreadable } = detail;
  const earlier = { method: record.method ?? '', version: record.version ?? '', type: record.type };
  return (
    <Stack gap="lg">
      <Group gap="4px 16px">
        <StatusMark status={record.status} withCode />
        <DeliveryMark delivery={record.delivery} />
        <Text size="sm">
          <ForeignText>{record.type}</ForeignText>
        </Text>
        <Text size="sm" c="dimmed">
          {t('number', { id: record.recordId })} ·{' '}
          {record.interface === 'current' ? t('current') : t('earlier', earlier)}
        </Text>
      </Group>
      {!isIntact && (
        <Alert color="red" icon={<TriangleAlert size={16} aria-hidden />}>
          {t('damaged')}
        </Alert>
      )}
      {isUnreadable && (
        <Alert color="orange" icon={<TriangleAlert size={16} aria-hidden />}>
          {t('archiveUnreadable')}
        </Alert>
      )}
      {original !== null && <ResendComparison detail={detail} original={original} />}
      <HeldNotice record={record} />
      <Timeline detail={detail} />
      {original === null && !isUnreadable && <ReceiptView detail={detail} />}
      {original === null && !isUnreadable && <BodyView record={record} body={detail.body} />}
      <Repeats detail={detail} />
    </Stack>
  );
}

function Repeats({ detail: { record, repeats, hasMoreRepeats } }: { readonly detail: RecordDetail }) {
  const { t } = useTranslation('record');
  const formats = useStoreFormats();
  if (repeats.length === 0) return null;
  const counted = { count: repeats.length, n: formats.number(repeats.length) };
  return (
    <Box component="section">
      <Title order={3} size="h5" mb={4}>
        {hasMoreRepeats ? t('repeatsMore', counted) : t('repeats', counted)}
      </Title>
      <ul className={classes.repeats}>
        {repeats.map((repeat) => (
          <li key={repeat.recordId}>
            <RecordLink recordId={repeat.recordId} title={formats.exact(repeat.receivedAt)}>
              {t('later', { span: formats.span(Math.max(0, repeat.receivedAt - record.receivedAt)) })}
            </RecordLink>
            <StatusMark status={repeat.status} withCode />
            <Text size="sm" c="dimmed">
              <ForeignText>{repeat.till}</ForeignText>
            </Text>
          </li>
        ))}
      </ul>
    </Box>
  );
}
