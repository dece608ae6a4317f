// Settings of the desktop app. Browsers do not show this section.

import { Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import type { DesktopApi, DesktopView } from '../../electron/desktop-api.ts';
import type { Setting } from '../components/setting-row.tsx';
import type { Words } from './store-settings.tsx';

declare global {
  interface Window {
    /** The calls to the desktop app; undefined in a browser. */
    readonly desktop?: DesktopApi;
  }
}

export function desktopSettings(t: Words): readonly Setting[] {
  const { desktop } = window;
  if (desktop === undefined) return [];
  return [
    {
      id: 'startAtLogin',
      title: t('startAtLogin'),
      help: t('startAtLoginHelp'),
      control: <StartAtLogin of={desktop} />,
    },
    { id: 'keysKept', title: t('keysKept'), help: t('keysKeptHelp'), control: <KeysKept of={desktop} /> },
    {
      id: 'desktopGateway',
      title: t('desktopGateway'),
      help: t('desktopGatewayHelp'),
      control: <Acts of={desktop} names={['restartGateway', 'quit']} />,
    },
    {
      id: 'desktopFiles',
      title: t('desktopFiles'),
      help: t('desktopFilesHelp'),
      control: <Acts of={desktop} names={['openData', 'openLogs', 'saveDiagnostics']} />,
    },
  ];
}

const QUERY_KEY = ['desktop'];

/** The state of the desktop app; undefined in a browser. */
export const desktopViewQuery = (desktop: DesktopApi | undefined) =>
  queryOptions({ queryKey: QUERY_KEY, queryFn: () => desktop?.getView() });

function useDesktopView(desktop: DesktopApi) {
  return useQuery(desktopViewQuery(desktop));
}

function StartAtLogin({ of: desktop }: { readonly of: DesktopApi }) {
  const { t } = useTranslation('settings');
  const client = useQueryClient();
  const { data } = useDesktopView(desktop);
  const change = useMutation({
    mutationFn: (isOn: boolean) => desktop.setStartAtLogin(isOn),
    onSuccess: (view: DesktopView) => client.setQueryData(QUERY_KEY, view),
  });
  if (data === undefined) return null;
  return (
    <Stack gap={2}>
      <Checkbox
        checked={data.startsAtLogin}
        disabled={change.isPending || !data.canStartAtLogin}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
        label={t('startAtLogin')}
      />
      {!data.canStartAtLogin && (
        <Text size="sm" c="dimmed">
          {t('cannotStartAtLogin')}
        </Text>
      )}
      {change.isError && (
        <Text size="sm" c="red" role="alert">
          {t('desktopFailed')}
        </Text>
      )}
    </Stack>
  );
}

function KeysKept({ of: desktop }: { readonly of: DesktopApi }) {
  const { t } = useTranslation('settings');
  const { data } = useDesktopView(desktop);
  return data && <Text size="sm">{t(data.hasKeyring ? 'keysSealed' : 'keysOpen')}</Text>;
}

const ACTS = {
  restartGateway: (desktop: DesktopApi) => desktop.restartGateway(),
  quit: (desktop: DesktopApi) => desktop.quit(),
  openData: (desktop: DesktopApi) => desktop.showFiles('data'),
  openLogs: (desktop: DesktopApi) => desktop.showFiles('logs'),
  saveDiagnostics: (desktop: DesktopApi) => desktop.showFiles('diagnostics'),
} as const;

/** One button per act, and the error if an act fails. */
function Acts({ of: desktop, names }: { readonly of: DesktopApi; readonly names: readonly (keyof typeof ACTS)[] }) {
  const { t } = useTranslation('settings');
  const act = useMutation({ mutationFn: (name: keyof typeof ACTS) => ACTS[name](desktop) });
  return (
    <Stack gap={2}>
      <Group gap="xs">
        {names.map((name) => (
          <Button
            key={name}
            variant="default"
            loading={act.isPending && act.variables === name}
            onClick={() => act.mutate(name)}
          >
            {t(name)}
          </Button>
        ))}
      </Group>
      {act.isError && (
        <Text size="sm" c="red" role="alert">
          {t('desktopFailed')}
        </Text>
      )}
    </Stack>
  );
}
