// Settings: all settings on one page with a search.

import { Stack, Text, Title } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Bell, Coins, Network, Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { ACTORS } from '../../server/contract/codes.ts';
import { networkQuery, sessionQuery, settingsQuery } from '../api/queries.ts';
import { Copyable } from '../components/copyable.tsx';
import { FilterField } from '../components/filter-field.tsx';
import { LinkButton } from '../components/link-button.tsx';
import { NetworkSentence } from '../components/network-sentence.tsx';
import { type Setting, SettingSection } from '../components/setting-row.tsx';
import { matchesWords } from '../lib/match-words.ts';
import { useSelectedJournal, useIsManager, useStoreFormats } from '../model/selected-journal.ts';
import { appearanceSettings } from './appearance-settings.tsx';
import { archiveSettings } from './archive-settings.tsx';
import { backupSettings } from './backup-settings.tsx';
import { desktopSettings } from './desktop-settings.tsx';
import { fixedSettings, gatewaySettings, ON_NETWORK_PAGE, searchWordsOf } from './gateway-settings.tsx';
import { peopleSettings } from './people-settings.tsx';
import { earlierSettings, forwardingSettings, storeSettings } from './store-settings.tsx';
import { thisGateway } from './this-gateway.tsx';

interface Section {
  /** For settings of a store, the id contains the store. So a draft for one store never appears for another store. */
  readonly id: string;
  readonly title: string;
  readonly settings: readonly Setting[];
  readonly above?: ReactNode;
}

export function SettingsScreen() {
  const { t } = useTranslation('settings');
  const [wanted, setWanted] = useState('');
  const isManager = useIsManager();
  const sections = useSections()
    .map((section) => ({ ...section, settings: section.settings.filter((each) => isWanted(section, each, wanted)) }))
    .filter(({ settings }) => settings.length > 0);
  return (
    <Stack gap="xl" maw={960}>
      <Stack gap={4}>
        <Title order={2} size={24} fw={600}>
          {t('title')}
        </Title>
        <Text c="dimmed">{t(isManager ? 'applies' : 'looksOnly')}</Text>
      </Stack>
      <FilterField label={t('find')} example={t('findExample')} value={wanted} onChange={setWanted} />
      <div role="status" hidden={sections.length > 0}>
        {sections.length === 0 && <Text>{t('notFound')}</Text>}
      </div>
      {sections.map(({ id, ...section }) => (
        <SettingSection key={id} {...section} />
      ))}
    </Stack>
  );
}

function isWanted(section: Section, { title, help, alsoCalled = '' }: Setting, wanted: string): boolean {
  return matchesWords([section.title, title, help, alsoCalled], wanted);
}

function useSections(): readonly Section[] {
  const { t } = useTranslation('settings');
  const { t: own } = useTranslation('thisGateway');
  const formats = useStoreFormats();
  const journal = useSelectedJournal();
  const isManager = useIsManager();
  const { data: session } = useQuery(sessionQuery);
  const hasPassword = session != null && session.actor !== ACTORS.link;
  const { data: settings } = useSuspenseQuery(settingsQuery);
  const administration = settings.administrations.find(({ name }) => name === journal?.administration);
  const about = administration && { administration, isManager, t };
  const baseDomain = settings.settings.find(({ name }) => name === 'baseDomain')?.value;
  return [
    ...(about === undefined
      ? []
      : [
          {
            id: `store ${about.administration.name}`,
            title: t('storeSection', { store: about.administration.name }),
            settings: [...storeSettings(about), amountSettings(t), ...(isManager ? [anotherStore(t)] : [])],
          },
          {
            id: `forwarding ${about.administration.name}`,
            title: t('forwardingSection'),
            settings: forwardingSettings(about),
          },
          {
            id: `earlier ${about.administration.name}`,
            title: t('earlierSection'),
            above: (
              <Text c="dimmed" mb="sm">
                {t('earlierMeans')}
              </Text>
            ),
            settings: earlierSettings({ ...about, baseDomain: typeof baseDomain === 'string' ? baseDomain : '' }),
          },
        ]),
    { id: 'backups', title: t('backupSection'), settings: [...backupSettings(t), ...archiveSettings(t)] },
    { id: 'appearance', title: t('appearanceSection'), settings: appearanceSettings(t) },
    { id: 'desktop', title: t('desktopSection'), settings: desktopSettings(t) },
    {
      id: 'network',
      title: t('networkSection'),
      above: (
        <Stack gap={4} mb="sm">
          <Text c="dimmed">{t('networkMeans')}</Text>
          <Copyable text={fileIn(settings.dataDir)} label={t('settingsFile')} />
        </Stack>
      ),
      settings: [
        {
          id: 'networkPage',
          title: t('networkPage'),
          help: t('networkPageHelp'),
          alsoCalled: ON_NETWORK_PAGE.map(searchWordsOf).join(' '),
          control: <ToNetwork />,
        },
        ...gatewaySettings(settings.settings, t),
      ],
    },
    {
      id: 'alerts',
      title: t('alertsSection'),
      settings: [{ id: 'alerts', title: t('alerts'), help: t('alertsHelp'), control: <ToAlerts /> }],
    },
    { id: 'people', title: t('peopleSection'), settings: peopleSettings(settings, { hasPassword, isManager }, t) },
    { id: 'gateway', title: own('section'), settings: thisGateway(settings, own) },
    { id: 'fixed', title: t('fixedSection'), settings: fixedSettings(t, formats) },
  ];
}

/** The sentence from the top of the page Network, and a link to that page. */
function ToNetwork() {
  const { t } = useTranslation('settings');
  const { data: view } = useQuery(networkQuery);
  return (
    <Stack gap="xs" align="flex-start">
      {view !== undefined && (
        <Text style={{ overflowWrap: 'anywhere' }}>
          <NetworkSentence view={view} />
        </Text>
      )}
      <LinkButton to="/network" variant="default" leftSection={<Network size={16} aria-hidden />}>
        {t('openNetwork')}
      </LinkButton>
    </Stack>
  );
}

function ToAlerts() {
  const { t } = useTranslation('settings');
  return (
    <LinkButton to="/alerts" variant="default" leftSection={<Bell size={16} aria-hidden />}>
      {t('openAlerts')}
    </LinkButton>
  );
}

/** The path of the settings file in the data directory, with the path separator of the gateway's machine. */
function fileIn(dataDir: string): string {
  return `${dataDir}${dataDir.includes('\\') ? '\\' : '/'}settings.json`;
}

function amountSettings(t: ReturnType<typeof useTranslation<'settings'>>['t']): Setting {
  return {
    id: 'amounts',
    title: t('amounts'),
    help: t('amountsHelp'),
    control: (
      <LinkButton to="/amounts" variant="default" leftSection={<Coins size={16} aria-hidden />}>
        {t('openAmounts')}
      </LinkButton>
    ),
  };
}

function anotherStore(t: ReturnType<typeof useTranslation<'settings'>>['t']): Setting {
  return {
    id: 'another',
    title: t('another'),
    help: t('anotherHelp'),
    control: (
      <LinkButton
        to="/welcome"
        search={{ another: true }}
        variant="default"
        leftSection={<Plus size={16} aria-hidden />}
      >
        {t('addStore')}
      </LinkButton>
    ),
  };
}
