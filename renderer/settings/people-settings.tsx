// Who may sign in with a name and a password; it is changed on the command line.

import { Stack, Text } from '@mantine/core';

import type { SettingsView } from '../../server/contract.ts';
import { Copyable } from '../parts/copyable.tsx';
import type { Formats } from '../words/format.ts';
import type { Setting } from './setting.tsx';
import type { Words } from './store-settings.tsx';

export function peopleSettings(
  { users, addUser }: Pick<SettingsView, 'users' | 'addUser'>,
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
  ];
}
