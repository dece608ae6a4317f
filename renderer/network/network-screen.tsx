// Network: a sentence about who can connect, its problems, and the settings with their effects.

import { Alert, Stack, Text, Title } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { useTranslation } from 'react-i18next';

import type { NetworkView } from '../../server/contract/network.ts';
import type { SettingView } from '../../server/contract/setup.ts';
import { networkQuery, settingsQuery } from '../api/queries.ts';
import { Copyable } from '../components/copyable.tsx';
import { LinkButton } from '../components/link-button.tsx';
import { NetworkProblemAlert } from '../components/network-problems.tsx';
import { NetworkSentence } from '../components/network-sentence.tsx';
import { type Setting, SettingSection } from '../components/setting-row.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { isLoopback } from '../lib/loopback.ts';
import { useNow } from '../lib/use-now.ts';
import { allowsPlainHttp, fixedBySetting, headlineOf, isOpen, listProblems } from '../model/network-state.ts';
import { useIsManager } from '../model/selected-journal.ts';
import { flagOf, variableOf } from '../model/setting-name.ts';
import { Authority, Certificate } from './certificates.tsx';
import { InterfaceChoice } from './interface-choice.tsx';
import { NetworkSwitch } from './network-switch.tsx';
import { OutsideTest } from './outside-test.tsx';

export function NetworkScreen() {
  const { t } = useTranslation(['network', 'settings']);
  const isManager = useIsManager();
  const now = useNow();
  const { data: view } = useSuspenseQuery(networkQuery);
  const { data: settings } = useSuspenseQuery(settingsQuery);
  const problems = listProblems(view, now);
  return (
    <Stack gap="xl" maw={960}>
      <Stack gap="md">
        <Headline view={view} />
        {!isManager && <Text c="dimmed">{t('looksOnly')}</Text>}
        <Stack gap="xs" role="status">
          {problems.map((problem) => (
            <NetworkProblemAlert key={problem.kind} problems={[problem]} />
          ))}
          {allowsPlainHttp(view) && isOpen(view) && (
            <Alert color="yellow" icon={<TriangleAlert size={16} aria-hidden />}>
              <Text fw={600}>{t('plainOn')}</Text>
              <Text size="sm">{t('plainOnMeans')}</Text>
            </Alert>
          )}
        </Stack>
        <FixedSettings view={view} settings={settings.settings} />
      </Stack>
      <SettingSection title={t('tillsSection')} settings={useTillSettings(view)} />
      <SettingSection title={t('trustSection')} settings={useTrustSettings(view)} />
      <SettingSection title={t('moreSection')} settings={useMoreSettings(view, settings)} />
    </Stack>
  );
}

function Headline({ view }: { readonly view: NetworkView }) {
  const { t } = useTranslation('network');
  const hint = hintOf(view);
  return (
    <Stack gap={4}>
      <Title order={2} fz={{ base: 20, sm: 24 }} fw={600} style={{ overflowWrap: 'anywhere' }}>
        <NetworkSentence view={view} />
      </Title>
      {hint !== undefined && <Text c="dimmed">{t(hint)}</Text>}
    </Stack>
  );
}

/**
 * The text key of the hint below the headline. Undefined if tills may connect without encryption: a warning then takes its
 * place.
 */
function hintOf(view: NetworkView) {
  const { kind } = headlineOf(view);
  if (kind === 'plain' || (kind === 'open' && allowsPlainHttp(view))) return undefined;
  return kind === 'open' && view.certificate?.source === 'files' ? 'openFilesHint' : (`${kind}Hint` as const);
}

/** Lists the start settings that override this page, and says how to change them. */
function FixedSettings({ view, settings }: { readonly view: NetworkView; readonly settings: readonly SettingView[] }) {
  const { t } = useTranslation(['network', 'settings']);
  if (view.fixedBy.length === 0) return null;
  const isHttpSet = settings.some(({ name, source }) => name === 'plainHttp' && source !== 'default');
  const names = [...view.fixedBy, ...(isHttpSet && view.fixedBy.includes('host') ? ['plainHttp'] : [])];
  return (
    <Alert color="gray">
      <Stack gap="xs">
        <Text fw={600}>{t('fixedTitle')}</Text>
        <Text size="sm">{t('fixedMeans')}</Text>
        {names.map((name) => {
          const { source = 'flag', value = null } = settings.find((each) => each.name === name) ?? {};
          const [flag, variable] = [flagOf(name), variableOf(name)];
          return (
            <div key={name}>
              <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
                {name} = {String(value)}
              </Text>
              <Text size="sm">
                {t(`settings:from_${source}`)} {t('settings:changedBy', { flag, variable, name })}
              </Text>
            </div>
          );
        })}
      </Stack>
    </Alert>
  );
}

function useTillSettings(view: NetworkView): readonly Setting[] {
  const { t } = useTranslation('network');
  const isOn = isOpen(view);
  const { announcement } = view;
  const wantsName = announcement.state === 'off' ? view.settings.isAnnounced === true : true;
  return [
    {
      id: 'open',
      title: t('openTitle'),
      help: t('openHelp'),
      control: (
        <NetworkSwitch
          view={view}
          member="isOpen"
          isOn={isOn}
          label={t(isOn ? 'isOpen' : 'isClosed')}
          askOff={{ title: t('closeTitle'), text: t('closeMeans'), act: t('closeDo') }}
        />
      ),
    },
    {
      id: 'interfaces',
      title: t('interfacesTitle'),
      help: t('interfacesHelp'),
      control: <InterfaceChoice view={view} />,
    },
    {
      id: 'addresses',
      title: t('addressesTitle'),
      help: t('addressesHelp'),
      control: <Addresses view={view} />,
    },
    {
      id: 'name',
      title: t('nameTitle'),
      help: t('nameHelp'),
      control: (
        <Stack gap="xs">
          <NetworkSwitch view={view} member="isAnnounced" isOn={wantsName} label={t('announce')} />
          {announcement.state === 'on' && <Copyable text={announcement.name} label={t('nameTitle')} />}
          {announcement.state === 'off' && wantsName && <Text size="sm">{t('announceWhenOpen')}</Text>}
          {announcement.state === 'failed' && (
            <>
              <StateMark tone="bad">{t('announceFailed')}</StateMark>
              <Text size="xs" c="dimmed" lang="en">
                {announcement.detail}
              </Text>
            </>
          )}
        </Stack>
      ),
    },
    { id: 'test', title: t('testTitle'), help: t('testHelp'), control: <OutsideTest isOpen={isOn} /> },
  ];
}

function Addresses({ view: { addresses, localAddress } }: { readonly view: NetworkView }) {
  const { t } = useTranslation('network');
  return (
    <Stack gap="xs">
      {addresses.length === 0 && <Text>{t('noAddresses')}</Text>}
      {addresses.length > 0 && (
        <Stack component="ol" gap={4} m={0} pl="lg">
          {addresses.map((address) => (
            <li key={address}>
              <Copyable text={address} label={t('addressesTitle')} />
            </li>
          ))}
        </Stack>
      )}
      <div>
        <Text size="xs" c="dimmed">
          {t('localAddress')}
        </Text>
        <Copyable text={localAddress} label={t('localAddress')} />
      </div>
    </Stack>
  );
}

function useTrustSettings(view: NetworkView): readonly Setting[] {
  const { t } = useTranslation('network');
  const { certificate, authority } = view;
  return [
    ...(authority === null
      ? []
      : [
          {
            id: 'authority',
            title: t('authorityTitle'),
            help: t('authorityHelp'),
            control: <Authority view={view} authority={authority} />,
          },
        ]),
    {
      id: 'certificate',
      title: t('certificateTitle'),
      help: t('certificateHelp'),
      control: <Certificate certificate={certificate} />,
    },
  ];
}

function useMoreSettings(view: NetworkView, { users }: { readonly users: readonly unknown[] }): readonly Setting[] {
  const { t } = useTranslation('network');
  const isConsoleOpen =
    fixedBySetting(view, 'isConsoleOpen') === undefined
      ? view.settings.isConsoleOpen
      : view.consoleAddresses.length > 0;
  const isRemote = !isLoopback(location.hostname);
  return [
    {
      id: 'console',
      title: t('consoleTitle'),
      help: t('consoleHelp'),
      control: (
        <Stack gap="xs">
          <NetworkSwitch
            view={view}
            member="isConsoleOpen"
            isOn={isConsoleOpen}
            isImpossible={users.length === 0}
            label={t(isConsoleOpen ? 'consoleOpen' : 'consoleClosed')}
            askOff={isRemote ? { title: t('lockTitle'), text: t('lockMeans'), act: t('lockDo') } : undefined}
          />
          {users.length === 0 && (
            <>
              <Text size="sm">{t('consoleNeedsUser')}</Text>
              <LinkButton to="/settings" size="xs" variant="default" style={{ alignSelf: 'flex-start' }}>
                {t('seeUsers')}
              </LinkButton>
            </>
          )}
          {isConsoleOpen && !isOpen(view) && view.consoleAddresses.length === 0 && (
            <Text size="sm">{t('consoleWhenOpen')}</Text>
          )}
          {view.consoleAddresses.map((address) => (
            <Copyable key={address} text={address} label={t('consoleTitle')} />
          ))}
        </Stack>
      ),
    },
    {
      id: 'plain',
      title: t('plainTitle'),
      help: t('plainHelp'),
      control: (
        <NetworkSwitch
          view={view}
          member="allowsPlainHttp"
          isOn={allowsPlainHttp(view)}
          label={t('plainLabel')}
          askOn={{ title: t('plainAsk'), text: t('plainRisk'), act: t('plainAllow') }}
        />
      ),
    },
  ];
}
