// The people who may sign in (changed on the command line), one's own sessions, and one's own password.

import { Stack, Text } from '@mantine/core';

import type { SettingsView } from '../../server/contract/setup.ts';
import { Copyable } from '../components/copyable.tsx';
import type { Formats } from '../locales/format.ts';
import { OwnPassword } from './own-password.tsx';
import { Sessions } from './sessions.tsx';
import type { Setting } from './setting.tsx';
import type { Words } from './store-settings.tsx';

export function peopleSettings(
  { users, addUser }: Pick<SettingsView, 'users' | 'addUser'>,
  hasPassword: boolean,
  t: Words,
  formats: Formats,
): readonly Setting[] {
  return [
    {
      id: 'users',
      title: t('users'),
      help: t('usersHelp'),
      alsoCalled: users.map(({ name }) => name).join(' '),
      control: (
        <Stack gap="xs">
          {users.length === 0 && <Text>{t('noUsers')}</Text>}
          {users.map(({ name, role, createdAt }) => (
            <Text key={name} title={formats.exact(createdAt)}>
              {name}{' '}
              <Text span c="dimmed">
                {t(role)}
              </Text>
            </Text>
          ))}
          <Copyable text={addUser} label={t('usersAdd')} />
        </Stack>
      ),
    },
    { id: 'sessions', title: t('sessions'), help: t('sessionsHelp'), control: <Sessions /> },
    ...(hasPassword
      ? [{ id: 'ownPassword', title: t('ownPassword'), help: t('ownPasswordHelp'), control: <OwnPassword /> }]
      : []),
  ];
}
