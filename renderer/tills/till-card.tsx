// A till: its last call, its week, and its keys.

import { Button, Group, Menu, Paper, Stack, Text, Title } from '@mantine/core';
import { Ban, ClipboardCheck, Ellipsis, KeyRound, Printer, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { KeyView, Till } from '../../server/contract/setup.ts';
import { ForeignText } from '../components/foreign-text.tsx';
import { LinkButton } from '../components/link-button.tsx';
import { ManagerButton } from '../components/manager-button.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { useNow } from '../lib/use-now.ts';
import { useIsManager, useSelectedJournal, useStoreFormats } from '../model/selected-journal.ts';
import { keyState, lastCallAt } from './key-state.ts';
import { UnusualForms } from './unusual-forms.tsx';
import { WeekBars } from './week-bars.tsx';

import classes from './till-card.module.css';

export interface KeyActs {
  readonly onRotate: (key: KeyView) => void;
  readonly onRevoke: (key: KeyView) => void;
  readonly onPrint: (key: KeyView) => void;
  readonly onNewKey: () => void;
}

export function TillCard({ till, ...acts }: KeyActs & { readonly till: Till }) {
  const { t } = useTranslation('tills');
  const formats = useStoreFormats();
  const [areEndedShown, setEndedShown] = useState(false);
  const now = useNow();
  const calledAt = lastCallAt(till);
  const sold = till.week.reduce((sum, day) => sum + day, 0);
  const ended = till.keys.filter((key) => keyState(key, till.keys, now).kind === 'ended');
  const working = till.keys.filter((key) => !ended.includes(key)).toReversed();
  return (
    <Paper withBorder component="section" aria-label={till.label}>
      <Group justify="space-between" p="md" pb="sm" wrap="nowrap" align="flex-start">
        <div>
          <Title order={3} size="h4" style={{ overflowWrap: 'anywhere' }}>
            <ForeignText>{till.label}</ForeignText>
          </Title>
          <Text size="sm" c="dimmed" {...(calledAt !== null && { title: formats.exact(calledAt) })}>
            {calledAt === null ? t('neverCalled') : t('lastCall', { time: formats.time(calledAt) })}
          </Text>
        </div>
        <Stack gap={2} align="flex-end" style={{ flex: 'none' }}>
          <WeekBars week={till.week} />
          <Text size="xs" c="dimmed">
            {t('sold', { count: sold, n: formats.number(sold) })}
          </Text>
        </Stack>
      </Group>
      {till.unusualForms.length > 0 && <UnusualForms forms={till.unusualForms} />}
      <ul className={classes.keys} aria-label={t('keysOf', { till: till.label })}>
        {working.map((key) => (
          <KeyRow key={key.id} shown={key} till={till} {...acts} />
        ))}
        {working.length === 0 && (
          <li className={classes.key}>
            <div className={classes.about}>
              <StateMark tone="unknown">{t('noKey')}</StateMark>
            </div>
            <ManagerButton variant="light" onClick={acts.onNewKey}>
              {t('makeKey')}
            </ManagerButton>
          </li>
        )}
        {areEndedShown && ended.map((key) => <KeyRow key={key.id} shown={key} till={till} {...acts} />)}
      </ul>
      <CertifyLink keys={working} />
      {ended.length > 0 && (
        <Button
          variant="subtle"
          color="gray"
          m={4}
          onClick={() => setEndedShown(!areEndedShown)}
          aria-expanded={areEndedShown}
        >
          {t(areEndedShown ? 'hideEnded' : 'showEnded', { count: ended.length, n: formats.number(ended.length) })}
        </Button>
      )}
    </Paper>
  );
}

/**
 * A link that starts a certification. Shown to managers, in test mode only. Selects the key with the latest use, because the
 * till most likely uses that key.
 */
function CertifyLink({ keys }: { readonly keys: readonly KeyView[] }) {
  const { t } = useTranslation('certify');
  const isManager = useIsManager();
  const isTest = useSelectedJournal()?.mode === 'test';
  const [key] = keys.toSorted((a, b) => (b.lastUsedAt ?? 0) - (a.lastUsedAt ?? 0));
  if (!isManager || !isTest || key === undefined) return null;
  return (
    <LinkButton
      to="/tills/certify"
      search={{ key: key.id }}
      variant="subtle"
      m={4}
      leftSection={<ClipboardCheck size={16} aria-hidden />}
    >
      {t('certify')}
    </LinkButton>
  );
}

function KeyRow({ shown: key, till, ...acts }: KeyActs & { readonly shown: KeyView; readonly till: Till }) {
  const { t } = useTranslation('tills');
  const formats = useStoreFormats();
  const state = keyState(key, till.keys, useNow());
  const name = t('keyNumber', { id: key.id });
  return (
    <li className={classes.key}>
      <div className={classes.about}>
        <Group gap={8}>
          <Text fw={600}>{name}</Text>
          <KeyMark state={state} />
        </Group>
        <Text size="sm" c="dimmed">
          <span title={formats.exact(key.createdAt)}>
            {t(key.isAdopted ? 'takenOver' : 'created', { time: formats.time(key.createdAt) })}
          </span>
          {' · '}
          {key.lastUsedAt === null ? (
            t('neverUsed')
          ) : (
            <span title={formats.exact(key.lastUsedAt)}>{t('lastUsed', { time: formats.time(key.lastUsedAt) })}</span>
          )}
          {key.interface !== 'both' && ` · ${t(`only_${key.interface}`)}`}
        </Text>
      </div>
      {state.kind !== 'ended' && (
        <KeyMenu name={`${till.label}, ${name}`} shown={key} isEnding={state.kind === 'ending'} {...acts} />
      )}
    </li>
  );
}

function KeyMark({ state }: { readonly state: ReturnType<typeof keyState> }) {
  const { t } = useTranslation('tills');
  const formats = useStoreFormats();
  switch (state.kind) {
    case 'works':
      return <StateMark tone="fine">{t('works')}</StateMark>;
    case 'ending':
      return state.stillUsedAt === null ? (
        <StateMark tone="waiting">{t('ending', { time: formats.time(state.endsAt) })}</StateMark>
      ) : (
        <StateMark tone="differs">
          {t('stillUsed', { time: formats.time(state.stillUsedAt), end: formats.time(state.endsAt) })}
        </StateMark>
      );
    case 'ended':
      return <StateMark tone="unknown">{t('ended', { time: formats.time(state.endedAt) })}</StateMark>;
  }
}

function KeyMenu({
  name,
  shown: key,
  isEnding,
  onRotate,
  onRevoke,
  onPrint,
  onNewKey,
}: KeyActs & { readonly name: string; readonly shown: KeyView; readonly isEnding: boolean }) {
  const { t } = useTranslation('tills');
  const isManager = useIsManager();
  const label = t('actsOf', { key: name });
  if (!isManager) return null;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" px={10} flex="none" aria-label={label}>
          <Ellipsis size={16} aria-hidden />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {!isEnding && (
          <Menu.Item leftSection={<RefreshCw size={16} aria-hidden />} onClick={() => onRotate(key)}>
            {t('rotate')}
          </Menu.Item>
        )}
        <Menu.Item leftSection={<Printer size={16} aria-hidden />} onClick={() => onPrint(key)}>
          {t('cardOf')}
        </Menu.Item>
        <Menu.Item leftSection={<KeyRound size={16} aria-hidden />} onClick={onNewKey}>
          {t('another')}
        </Menu.Item>
        <Menu.Item c="var(--cf-bad)" leftSection={<Ban size={16} aria-hidden />} onClick={() => onRevoke(key)}>
          {t('revoke')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
