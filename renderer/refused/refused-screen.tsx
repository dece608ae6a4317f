// Refused: which calls were refused, from whom and why, and how to fix it. One sentence per reason; technical details are
// collapsed.

import { Box, Code, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { History } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { ERROR_CODES } from '../../server/contract/codes.ts';
import type { RefusalGroup } from '../../server/contract/records.ts';
import { refusalsQuery, sessionQuery } from '../api/queries.ts';
import { CopyButton } from '../components/copy-button.tsx';
import { ForeignText } from '../components/foreign-text.tsx';
import { LinkButton } from '../components/link-button.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { useSelectedJournal, useStoreFormats } from '../model/selected-journal.ts';
import { faultKeyOf, fieldOf, isContinuing, plainAddress, remedyOf, textKeyOf, whenOf } from './refusals.ts';

import classes from './refused.module.css';

export function RefusedScreen(): ReactNode {
  const journal = useSelectedJournal();
  return journal === undefined ? <NothingRefused /> : <Refused journalId={journal.id} />;
}

function NothingRefused({ from }: { readonly from?: number | undefined }) {
  const { t } = useTranslation('refused');
  return (
    <Stack gap={6}>
      <Title order={2} size="h3" fw={600}>
        <StateMark tone="fine" size="xl">
          {t(from === undefined ? 'none' : 'noneSince')}
        </StateMark>
      </Title>
      <Text c="dimmed">{t('noneHint')}</Text>
      {from !== undefined && <Since from={from} />}
    </Stack>
  );
}

/** The start of the shown period, and a link that shows all. */
function Since({ from }: { readonly from: number }) {
  const { t } = useTranslation('refused');
  const formats = useStoreFormats();
  return (
    <Group gap="xs">
      <Text title={formats.exact(from * 1000)}>{t('shownSince', { time: formats.time(from * 1000) })}</Text>
      <LinkButton to="/refused" search={{}} variant="light" size="xs">
        {t('showAll')}
      </LinkButton>
    </Group>
  );
}

function Refused({ journalId }: { readonly journalId: number }) {
  const { t } = useTranslation('refused');
  const formats = useStoreFormats();
  const { from } = useSearch({ from: '/refused' });
  const { data: groups, dataUpdatedAt: now } = useSuspenseQuery(refusalsQuery(journalId, from));
  if (groups.length === 0) return <NothingRefused from={from} />;
  const going = groups.filter((group) => isContinuing(group, now)).length;
  return (
    <Stack gap="md" className={classes.screen ?? ''}>
      <Stack gap={6}>
        <Title order={2} size="h3" fw={600} aria-live="polite">
          {going === 0 ? t('nothingNow') : t('now', { count: going, n: formats.number(going) })}
        </Title>
        <Text c="dimmed">{t('hint')}</Text>
        {from !== undefined && <Since from={from} />}
      </Stack>
      {groups.map((group) => (
        <Cause key={`${group.code} ${group.keyId} ${group.address}`} group={group} now={now} />
      ))}
    </Stack>
  );
}

function Cause({ group, now }: { readonly group: RefusalGroup; readonly now: number }) {
  const { t } = useTranslation('refused');
  const { t: sentences } = useTranslation('refusal');
  const { t: means } = useTranslation('refusalMeans');
  const { t: remedy } = useTranslation('refusalRemedy');
  const formats = useStoreFormats();
  const { code, till, calls, firstAt, lastAt } = group;
  const word = textKeyOf(code);
  const sentence = sentences(word, {
    who: till ?? t('somebody', { address: plainAddress(group.address) }),
    when: t(whenOf(group, now), { from: formats.time(firstAt), to: formats.time(lastAt) }),
    calls: t('calls', { count: calls, n: formats.number(calls) }),
  });
  const title = `${formats.exact(firstAt)} – ${formats.exact(lastAt)}`;
  return (
    <Paper component="article" withBorder p="md" pb={6}>
      <Stack gap={8} align="flex-start">
        <Title order={3} size="md" title={title}>
          {isContinuing(group, now) ? (
            <StateMark tone="bad" size="md">
              {sentence}
            </StateMark>
          ) : (
            <StateMark tone="unknown" size="md" Icon={History}>
              {sentence}
            </StateMark>
          )}
        </Title>
        <Text>{means(word)}</Text>
        <Text>
          <strong>{t('whatToDo')}</strong> {remedy(word)}
        </Text>
        <Remedy group={group} />
        <Technical group={group} />
      </Stack>
    </Paper>
  );
}

function Remedy({ group: { code, detail, path, faults } }: { readonly group: RefusalGroup }) {
  const { t } = useTranslation('refused');
  const { data: session } = useQuery(sessionQuery);
  switch (remedyOf(code)) {
    case 'keys':
      return (
        <LinkButton to="/tills" variant="light" size="sm">
          {t('toTills')}
        </LinkButton>
      );
    case 'upstream':
      return (
        <LinkButton to="/upstream" variant="light" size="sm">
          {t('toUpstream')}
        </LinkButton>
      );
    case 'field':
      return detail === '' ? null : (
        <>
          <Faults faults={faults} />
          <Group gap="4px 8px">
            <Text>{t('itWas')}</Text>
            <Group gap={0} wrap="nowrap">
              {/* Suppliers of tills read English, whatever language the shop speaks. */}
              <Code lang="en" className={classes.address ?? ''}>
                {detail}
              </Code>
              <CopyButton value={detail} what={t('theMessage')} />
            </Group>
          </Group>
        </>
      );
    case 'address': {
      const address = `${session?.apiUrl ?? ''}/v1/raw_transactions`;
      return (
        <Group gap="4px 8px">
          <Text>{t('called', { path })}</Text>
          <Group gap={0} wrap="nowrap">
            <Code className={classes.address ?? ''}>{address}</Code>
            <CopyButton value={address} what={t('theAddress')} />
          </Group>
        </Group>
      );
    }
    case undefined:
      return null;
  }
}

/** Names the faulty fields in the user's language. */
function Faults({ faults }: Pick<RefusalGroup, 'faults'>) {
  const { t } = useTranslation('refused');
  const { t: words } = useTranslation('refusalFault');
  const known = faults.flatMap((fault) => {
    const key = faultKeyOf(fault);
    return key === undefined ? [] : [{ field: fieldOf(fault), words: words(key) }];
  });
  if (known.length === 0) return null;
  return (
    <ul className={classes.faults}>
      {known.map((fault) => (
        <li key={`${fault.field} ${fault.words}`}>
          {fault.field === '' ? (
            t('theCall')
          ) : (
            <Code className={classes.address ?? ''}>
              <ForeignText>{fault.field}</ForeignText>
            </Code>
          )}{' '}
          {fault.words}
        </li>
      ))}
    </ul>
  );
}

function Technical({ group }: { readonly group: RefusalGroup }) {
  const { t } = useTranslation('refused');
  const rows = [
    [t('code'), group.code],
    // A call without a method was no valid HTTP. It may have got no answer, so no status is shown.
    [t('answer'), group.method === '' ? '' : String(ERROR_CODES[group.code].status)],
    [t('call'), `${group.method} ${group.path}`.trim()],
    [t('from'), plainAddress(group.address)],
    [t('detail'), group.detail],
    [t('excerpt'), group.excerpt],
  ];
  return (
    <details className={classes.fold}>
      <summary>{t('fold')}</summary>
      <dl className={classes.technical}>
        {rows
          .filter(([, value]) => value !== '')
          .map(([name, value]) => (
            <Box key={name} component="div">
              <dt>{name}</dt>
              <dd>
                <ForeignText>{value ?? ''}</ForeignText>
              </dd>
            </Box>
          ))}
      </dl>
      {group.excerpt !== '' && (
        <Text size="xs" c="dimmed">
          {t('masked')}
        </Text>
      )}
    </details>
  );
}
