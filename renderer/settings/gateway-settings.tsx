// The start settings of the gateway, how to change them, and limits that nobody can change.

import { Code, Stack, Text } from '@mantine/core';

import { MAX_BODY_BYTES, MAX_PAGE_SIZE, MAX_WINDOW_SECONDS, REFUSALS_KEPT_DAYS } from '../../server/contract/codes.ts';
import type { SettingView } from '../../server/contract/setup.ts';
import type { Setting } from '../components/setting-row.tsx';
import type { Formats } from '../locales/format.ts';
import { flagOf, variableOf } from '../model/setting-name.ts';
import type { Words } from './store-settings.tsx';

/** The settings that have their own text. Other settings are shown by name. */
const KNOWN = [
  'port',
  'consolePort',
  'baseDomain',
  'connectionsPerAddress',
  'tlsCertificate',
  'tlsKey',
  'upstreamProxy',
  'upstreamCa',
  'metricsFrom',
  'metricsTokenFile',
  'backupFolder',
  'backupKeep',
  'archiveMonths',
  'archiveFolder',
  'logLevel',
] as const;

/** Settings that only the page Network shows, because people can also set these values there. */
export const ON_NETWORK_PAGE: readonly string[] = ['host', 'consoleHost', 'plainHttp'];

/** The names of a setting: in the file, as an option and as a variable. */
export function searchWordsOf(name: string): string {
  return `${name} ${flagOf(name)} ${variableOf(name)}`;
}

export function gatewaySettings(settings: readonly SettingView[], t: Words): readonly Setting[] {
  const shown = settings.filter(({ name }) => !ON_NETWORK_PAGE.includes(name));
  return shown.map(({ name, value, source }) => {
    const [flag, variable] = [flagOf(name), variableOf(name)];
    const known = KNOWN.find((each) => each === name);
    return {
      id: `gateway-${name}`,
      title: known === undefined ? name : t(known),
      help: known === undefined ? t('gatewayOther') : t(`${known}Help`),
      alsoCalled: searchWordsOf(name),
      control: (
        <Stack gap={2} align="flex-start">
          <Code fz="sm" style={{ overflowWrap: 'anywhere' }}>
            {value === null || value === ''
              ? t('notSet')
              : typeof value === 'boolean'
                ? t(value ? 'yes' : 'no')
                : value}
          </Code>
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {t(`from_${source}`)} {t('changedBy', { flag, variable, name })}
          </Text>
        </Stack>
      ),
    };
  });
}

export function fixedSettings(t: Words, formats: Formats): readonly Setting[] {
  const fixed = (id: string, title: string, help: string, value: string): Setting => ({
    id,
    title,
    help,
    control: <Text>{value}</Text>,
  });
  const days = MAX_WINDOW_SECONDS / 86_400;
  return [
    fixed('kept', t('kept'), t('keptHelp'), t('forEver')),
    fixed('refusals', t('refusals'), t('refusalsHelp'), t('days', { n: REFUSALS_KEPT_DAYS })),
    fixed('largest', t('largest'), t('largestHelp'), t('mebibytes', { n: formats.number(MAX_BODY_BYTES / 1024 ** 2) })),
    fixed('window', t('window'), t('windowHelp', { page: formats.number(MAX_PAGE_SIZE) }), t('days', { n: days })),
  ];
}
